import { describe, expect, test } from "bun:test";
import type { RunEvent } from "../../../contracts/index.ts";
import { graph } from "../../builder.ts";
import type { CompiledGraph } from "../../compiled-graph.ts";
import { survive } from "../../fixtures/crash-harness.ts";
import { controlled, fieldsOf, logs, node, rejectionOf, TestState } from "../../fixtures/test-nodes.ts";
import { MemorySaver } from "../../savers/memory-saver.ts";
import { annotation, defineState, type StateOf } from "../../state/annotation.ts";
import { waitNode } from "../people/wait-node.ts";
import { sleepNode } from "./sleep-node.ts";
import { subgraphNode } from "./subgraph-node.ts";

const Inner = defineState({ question: annotation(""), answer: annotation("") });
type Inner = StateOf<typeof Inner>;

const think = {
  id: "think",
  type: "tool" as const,
  execute: ({ state }: { readonly state: Readonly<Inner> }) => ({ stateUpdate: { answer: `${state.question}!` } }),
};
const inner = graph(Inner).start(think).end().compile();

const research = subgraphNode<TestState, Inner>({
  id: "research",
  subgraph: inner,
  inputMapper: ({ value }) => ({ question: value }),
  outputMapper: ({ answer }, { log }) => ({ value: answer, log: [`after ${log.length}`] }),
});

describe("subgraphNode", () => {
  test("runs another graph with its own state, and maps its final state", async () => {
    const compiled = graph(TestState).start(node("first")).then(research).then(node("last")).end().compile();
    const { status, state } = await compiled.run({ value: "why" });
    expect({ status, fields: fieldsOf(state) }).toMatchObject({
      status: "completed",
      fields: { value: "why!", log: ["first", "after 1", "last"] },
    });
  });

  test("without mappers starts with the subgraph's defaults and keeps its final state", async () => {
    const { state } = await graph(TestState)
      .start(subgraphNode<TestState, Inner>({ id: "sub", subgraph: inner }))
      .end()
      .compile()
      .run();
    expect(state.outputs).toMatchObject({ sub: { question: "", answer: "!" } });
  });

  test("without an inputMapper starts with the values of the fields that both declare", async () => {
    const Outer = defineState({
      question: annotation("?"),
      answer: annotation<string>("none"),
      topic: annotation("locks"),
    });
    const sub = subgraphNode<StateOf<typeof Outer>, Inner>({
      id: "sub",
      subgraph: "think",
      outputMapper: ({ question, answer }) => ({ question, answer }),
    });
    const compiled = graph(Outer).start(sub).end().compile();
    const { state } = await compiled.run({ question: "why" }, { services: { workflows: () => inner } });
    expect([state.question, state.answer, state.topic]).toEqual(["why", "why!", "locks"]);
  });

  test("starts a graph without a schema with all fields of the state, but not with its outputs", async () => {
    const seen: unknown[] = [];
    const look = {
      id: "look",
      type: "tool" as const,
      execute: ({ state }: { readonly state: object }) => void seen.push(state),
    };
    const open = graph().start(look).end().compile();
    const outer = graph(TestState)
      .start({ id: "before", type: "tool", execute: () => ({ stateUpdate: { value: "v", outputs: { before: 1 } } }) })
      .then(subgraphNode<TestState>({ id: "sub", subgraph: open }))
      .end()
      .compile();
    const { runId } = await outer.run({ log: ["a"] });
    const fields = { log: ["a"], total: 0, value: "v", isDone: false, outputs: {} };
    expect(seen).toEqual([{ ...fields, executionId: runId, lastUpdated: expect.any(Date) }]);
  });

  test("names the tasks inside by their path, and ends with its graph", async () => {
    const events: string[] = [];
    const onEvent = (event: RunEvent): void => {
      if (event.type === "node-start" || event.type === "node-end") events.push(`${event.type} ${event.taskId}`);
    };
    await graph(TestState).start(research).end().compile().run({}, { onEvent });
    expect(events).toEqual([
      "node-start research",
      "node-start research/think",
      "node-end research/think",
      "node-end research",
    ]);
  });

  test.each([
    { title: "sleeps", last: sleepNode<Inner>({ id: "last", durationMs: 1 }) },
    { title: "asks", last: waitNode<Inner>({ id: "last", autoApprove: { afterMs: 1 } }) },
  ])("ends after its last node when that one $title", async ({ last }) => {
    const told: string[] = [];
    const onEvent = ({ type, ...event }: RunEvent): void => {
      const isEnd = type === "node-end" || type === "answer";
      if (isEnd && "taskId" in event) told.push(event.taskId);
    };
    const sub = subgraphNode<TestState, Inner>({ id: "sub", subgraph: graph(Inner).start(last).end().compile() });
    await graph(TestState).start(sub).end().compile().run({}, { onEvent, checkpointer: new MemorySaver() });
    expect(told).toEqual(["sub/last", "sub"]);
  });

  test("can have the same ids as the graph around it, and be entered again", async () => {
    const twin = graph(TestState).start(node("same")).end().compile();
    const sub = subgraphNode<TestState, TestState>({
      id: "sub",
      subgraph: twin,
      inputMapper: () => ({}),
      outputMapper: ({ log }) => ({ log, total: 1 }),
    });
    const compiled = graph(TestState)
      .start(node("same"))
      .loop(sub, { until: ({ total }) => total === 2, maxIterations: 3 })
      .end()
      .compile();
    expect((await compiled.run()).state.log).toEqual(["same", "same", "same"]);
  });

  test("runs a workflow by its name", async () => {
    const sub = subgraphNode<TestState, Inner>({
      id: "sub",
      subgraph: "think-hard",
      outputMapper: ({ answer }) => ({ value: answer }),
    });
    const compiled = graph(TestState).start(sub).end().compile();
    const workflows = (name: string) => (name === "think-hard" ? inner : null);
    expect((await compiled.run({}, { services: { workflows } })).state.value).toBe("!");
    expect((await compiled.run({}, { services: { workflows: () => null } })).error?.message).toBe(
      'The node "sub" runs the workflow "think-hard", which does not exist. List the workflows with: atomic workflows list',
    );
    expect((await compiled.run()).error?.message).toContain('The node "sub" needs "workflows"');
    // The cast is what a program without types could do.
    const wrong = { workflows: () => "x" as never };
    expect((await compiled.run({}, { services: wrong })).error).toMatchObject({
      code: "SERVICE_INVALID",
      message:
        'The service "workflows" of the run returned "x" for the workflow "think-hard"; it must return a compiled graph.',
    });
  });

  test("names the cycle when workflows run each other", async () => {
    const graphs = new Map<string, CompiledGraph>();
    const call = (name: string) =>
      graph()
        .start(subgraphNode({ id: `call-${name}`, subgraph: name }))
        .end()
        .compile();
    graphs.set("b", call("c"));
    graphs.set("c", call("a"));
    const workflows = (name: string) => graphs.get(name) ?? null;
    graphs.set("a", call("b"));
    const { status, error } = await call("b").run({}, { name: "a", services: { workflows } });
    expect({ status, message: error?.message }).toEqual({
      status: "failed",
      message: "Workflows run each other in a cycle: a → b → c → a. Remove one of these steps.",
    });
  });

  test("passes failures through, even to a catch around it", async () => {
    const bad = graph()
      .start({ id: "bad", type: "tool", execute: () => Promise.reject(new Error("deep trouble")) })
      .end()
      .compile();
    const sub = subgraphNode<TestState>({ id: "sub", subgraph: bad });
    const uncaught = await graph(TestState).start(sub).end().compile().run();
    expect({ status: uncaught.status, info: uncaught.errorInfo }).toEqual({
      status: "failed",
      info: { code: "NODE_FAILED", message: "deep trouble", nodeId: "bad" },
    });
    const caught = graph(TestState)
      .start(sub)
      .catch((error) => logs(`took ${error.message}`))
      .end()
      .compile();
    expect((await caught.run()).state.log).toEqual(["took deep trouble"]);
  });

  test("passes a cancel to the nodes inside", async () => {
    const endless = controlled("endless");
    const slow = graph(TestState).start(endless.node).end().compile();
    const controller = new AbortController();
    const compiled = graph(TestState)
      .start(subgraphNode<TestState, TestState>({ id: "sub", subgraph: slow }))
      .end()
      .compile();
    const ended = compiled.run({}, { signal: controller.signal });
    await endless.started;
    controller.abort(new Error("enough"));
    expect(await endless.aborted).toEqual(new Error("enough"));
    expect((await ended).status).toBe("cancelled");
  });

  test("passes questions through; the run continues inside with the answer", async () => {
    const gate = graph(Inner)
      .start(think)
      .wait({ id: "gate", inputMapper: (answer) => ({ answer }) })
      .end()
      .compile();
    const sub = subgraphNode<TestState, Inner>({
      id: "sub",
      subgraph: "gate",
      outputMapper: ({ answer }) => ({ value: answer }),
    });
    const compiled = graph(TestState).start(sub).end().compile({ checkpointer: new MemorySaver() });
    const services = { workflows: () => gate };
    const asked = await compiled.run({}, { services });
    expect(asked.requests.map(({ id }) => id)).toEqual(["sub/gate"]);
    expect((await rejectionOf(compiled.resume(asked.runId, { "sub/gate": "yes" }))).message).toContain(
      'needs "workflows"',
    );
    const ended = await compiled.resume(asked.runId, { "sub/gate": "yes" }, { services });
    expect({ status: ended.status, value: ended.state.value }).toEqual({ status: "completed", value: "yes" });
  });

  test("rejects an input the subgraph does not have", async () => {
    // The cast makes the mistake that the types prevent.
    const sub = subgraphNode<TestState, Inner>({
      id: "sub",
      subgraph: inner,
      inputMapper: () => ({ colour: "red" }) as object,
    });
    expect((await graph(TestState).start(sub).end().compile().run()).error?.message).toContain(
      'The state has no field "colour".',
    );
  });

  test("runs anything else that executes as one step", async () => {
    const plain = { execute: async (input: Partial<Inner>) => ({ ...input, answer: "plain" }) as Inner };
    const sub = subgraphNode<TestState, Inner>({
      id: "sub",
      subgraph: plain,
      outputMapper: ({ answer }) => ({ value: answer }),
    });
    expect((await graph(TestState).start(sub).end().compile().run()).state.value).toBe("plain");
  });

  test("survives a crash at every entry of its journal, snapshots or not", async () => {
    const build: Parameters<typeof survive>[0] = (world) => {
      const work = (id: string) =>
        node(id, async (context) => {
          world.enter(context);
          return { stateUpdate: { log: [`${id} ${context.state.value}`], total: 1 } };
        });
      const deepest = graph(TestState)
        .start(work("x"))
        .wait({ id: "gate", inputMapper: (answer) => ({ value: answer }) })
        .then(work("y"))
        .end()
        .compile();
      const enter = (id: string, subgraph: CompiledGraph<TestState>) =>
        subgraphNode<TestState, TestState>({
          id,
          subgraph,
          inputMapper: ({ value }) => ({ value: `${value}>` }),
          outputMapper: ({ log, value }) => ({ log, value }),
        });
      const middle = graph(TestState)
        .start(work("m"))
        .parallel([enter("deep", deepest), work("n")])
        .end()
        .compile();
      return graph(TestState)
        .start(work("first"))
        .loop(enter("sub", middle), { until: ({ log }) => log.length > 6, maxIterations: 2 })
        .then(work("last"));
    };
    const calm = await survive(build, { lives: [] });
    expect(calm.fields).toMatchObject({ log: expect.arrayContaining(["y yes", "last yes"]) });
    for (const options of [{}, { snapshotMinLength: 0 }]) {
      for (let failAfter = 1; failAfter <= calm.writeCount; failAfter++) {
        const survival = await survive(build, { lives: [failAfter], options });
        expect({ failAfter, ...survival, writeCount: 0 }).toEqual({ failAfter, ...calm, writeCount: 0 });
      }
    }
  });
});
