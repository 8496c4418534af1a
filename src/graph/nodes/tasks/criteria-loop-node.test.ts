import { describe, expect, test } from "bun:test";
import { graph } from "../../builder.ts";
import { SchemaValidationError } from "../../errors/errors.ts";
import { FakeCodingAgent } from "../../fixtures/fake-coding-agent.ts";
import { rejectionOf } from "../../fixtures/test-nodes.ts";
import type { NodeDefinition } from "../../model/node-definition.ts";
import { annotation, defineState, Reducers, type StateOf } from "../../state/annotation.ts";
import { agentNode } from "../agents/agent-node.ts";
import { toolNode } from "../tools/tool-node.ts";
import type { CriteriaLoopConfig } from "./check-criteria.ts";
import { criteriaLoopFields, criteriaLoopNode } from "./criteria-loop-node.ts";

const State = defineState({ ...criteriaLoopFields, log: annotation<string[]>([], Reducers.concat) });
type State = StateOf<typeof State>;

const work = agentNode<State>({ id: "work", buildMessage: ({ iteration }) => `Round ${iteration + 1}` });

function loop(config: Partial<CriteriaLoopConfig<State>> = {}) {
  return graph(State)
    .start(criteriaLoopNode<State>({ taskNodes: [work], ...config }))
    .end()
    .compile();
}

async function run(answers: readonly string[], config: Partial<CriteriaLoopConfig<State>> = {}) {
  const agent = new FakeCodingAgent(answers.map((content) => ({ content })));
  const result = await loop(config).run({}, { services: { clients: () => agent } });
  return { ...result, asked: agent.calls.filter((call) => call.startsWith("send")) };
}

function fieldsOf({ iteration, shouldContinue, criteriaComplete, maxIterationsReached }: State) {
  return { iteration, shouldContinue, criteriaComplete, maxIterationsReached };
}

describe("a criteria loop", () => {
  test("ends when the agent says the word", async () => {
    const { state, asked } = await run(["not yet", "INCOMPLETE", "COMPLETED?", "All done: COMPLETE.", "never asked"]);
    expect(asked).toEqual(["send s1: Round 1", "send s2: Round 2", "send s3: Round 3", "send s4: Round 4"]);
    expect(fieldsOf(state)).toEqual({
      iteration: 4,
      shouldContinue: false,
      criteriaComplete: true,
      maxIterationsReached: false,
    });
  });

  test.each([
    { title: "a tag", completionSignal: "<done/>", said: "x<done/>y" },
    { title: "several words", completionSignal: "nothing left", said: "There is nothing left." },
    { title: "signs that patterns are made of", completionSignal: "(.*)", said: "see (.*)" },
    { title: "a word of another alphabet", completionSignal: "готово", said: "Всё готово!" },
  ])("takes another signal: $title", async ({ completionSignal, said }) => {
    const { state } = await run(["(unfinished)", said], { completionSignal });
    expect(fieldsOf(state)).toMatchObject({ iteration: 2, criteriaComplete: true });
  });

  test("continues after its last iteration, and says so", async () => {
    const { status, state } = await run(["no", "no"], { maxIterations: 2 });
    expect(status).toBe("completed");
    expect(fieldsOf(state)).toEqual({
      iteration: 2,
      shouldContinue: false,
      criteriaComplete: false,
      maxIterationsReached: true,
    });
  });

  test.each([{ maxIterations: 0 }, {}])("needs no bound of its own: %o", async (config) => {
    const { state, asked } = await run([...Array.from({ length: 120 }, () => "no"), "COMPLETE"], config);
    expect(asked).toHaveLength(121);
    expect(fieldsOf(state)).toMatchObject({ iteration: 121, criteriaComplete: true });
  });

  test("fails after 1,000 iterations without a limit, instead of running for ever", async () => {
    const never: NodeDefinition<State> = {
      id: "never",
      type: "tool",
      execute: () => ({ stateUpdate: { outputs: { never: "" } } }),
    };
    const { errorInfo, state } = await run([], { taskNodes: never });
    expect({ code: errorInfo?.code, iteration: state.iteration }).toEqual({
      code: "GRAPH_LOOP_LIMIT",
      iteration: 1_000,
    });
  });

  test("does not search for a signal without one", async () => {
    const { state } = await run(["COMPLETE", "COMPLETE"], { completionSignal: false, maxIterations: 2 });
    expect(fieldsOf(state)).toMatchObject({ iteration: 2, criteriaComplete: false, maxIterationsReached: true });
  });

  test("finds the signal in the answer of an agent whose update is the author's", async () => {
    const mapped = agentNode<State>({
      id: "mapped",
      buildMessage: "Go on.",
      outputMapper: ({ content }) => ({ log: [content.toLowerCase()] }),
    });
    const after: NodeDefinition<State> = { id: "after", type: "tool", execute: () => undefined };
    const { state } = await run(["no", "COMPLETE", "never asked"], { taskNodes: [mapped, after] });
    expect(state).toMatchObject({ log: ["no", "complete"], iteration: 2, outputs: { mapped: "COMPLETE" } });
  });

  test.each([
    { title: "returns nothing", outputMapper: () => undefined as never },
    { title: "returns nothing of the answer", outputMapper: () => ({}) },
  ])("finds the signal even if an outputMapper $title", async ({ outputMapper }) => {
    const quiet = agentNode<State>({ id: "quiet", buildMessage: "Go on.", outputMapper });
    const { state } = await run(["no", "COMPLETE", "never asked"], { taskNodes: quiet });
    expect(state).toMatchObject({ iteration: 2, outputs: { quiet: "COMPLETE" } });
  });

  test("finds the signal in the answer of an agent's node that another node wraps", async () => {
    const { execute, ...rest } = agentNode<State>({ id: "inner", buildMessage: "Go on.", outputMapper: () => ({}) });
    const wrapped: NodeDefinition<State> = { ...rest, execute: (context) => execute(context) };
    const { state } = await run(["no", "COMPLETE", "never asked"], { taskNodes: wrapped });
    expect(state).toMatchObject({ iteration: 2, outputs: { inner: "COMPLETE" } });
  });

  test("looks at the given output", async () => {
    const note: NodeDefinition<State> = toolNode<State, object, string>({
      id: "note",
      execute: (_args, { state }) => `after ${state.outputs.work}`,
      outputMapper: (text) => ({ log: [text] }),
    });
    const output = ({ log }: State): string => log.at(-1) ?? "";
    const { state } = await run(["a", "COMPLETE"], { taskNodes: [work, note], output });
    expect(state.log).toEqual(["after a", "after COMPLETE"]);
  });

  test("fails if there is no text to search, and says what to do", async () => {
    const quiet: NodeDefinition<State> = { id: "quiet", type: "tool", execute: () => undefined };
    const { errorInfo } = await run([], { taskNodes: [quiet] });
    expect(errorInfo).toEqual({
      code: "CRITERIA_NO_OUTPUT",
      message:
        'The loop "criteria-loop" looks for its completionSignal in outputs["quiet"], which is not a text, and no agent before it answered. Set "output" to a function that returns the text.',
      nodeId: "criteria-loop-check",
    });
  });

  test("restarts each time it is entered", async () => {
    const agent = new FakeCodingAgent(["COMPLETE", "x", "COMPLETE"].map((content) => ({ content })));
    const compiled = graph(State)
      .loop(criteriaLoopNode<State>({ taskNodes: work }), { maxIterations: 2 })
      .end()
      .compile();
    const { state } = await compiled.run({}, { services: { clients: () => agent } });
    expect(state).toMatchObject({ iteration: 2, criteriaComplete: true });
    expect(agent.calls.filter((call) => call.startsWith("send"))).toHaveLength(3);
  });

  test("does not count an iteration twice whose first node rejects its input", async () => {
    let refusals = 0;
    const picky: NodeDefinition<State> = {
      id: "picky",
      type: "tool",
      retry: { maxAttempts: 2 },
      execute({ state }) {
        if (state.iteration === 1 && refusals++ === 0) throw new SchemaValidationError("wrong shape");
        return { stateUpdate: { log: [`round ${state.iteration + 1}`] } };
      },
    };
    const { state } = await run(["no", "COMPLETE"], { taskNodes: [picky, work] });
    expect(state).toMatchObject({ log: ["round 1", "round 2"], iteration: 2, criteriaComplete: true });
    expect(refusals).toBe(2);
  });

  test("must have an end", async () => {
    const endless = async () => loop({ completionSignal: false });
    expect((await rejectionOf(endless())).message).toContain(
      '"criteria-loop" has no completionSignal and no maxIterations; give it one of them, or it never ends',
    );
  });

  test("needs its fields in the state, if the graph has a schema", async () => {
    const Lacking = defineState({ iteration: annotation(0), shouldContinue: annotation(false) });
    // The cast is what a file without types could do.
    const node = criteriaLoopNode<State>({ taskNodes: [work] }) as NodeDefinition;
    const compile = async () =>
      graph(Lacking)
        .start(node as never)
        .end()
        .compile();
    expect((await rejectionOf(compile())).message).toBe(`The graph cannot be compiled:
  - "criteria-loop" needs fields that the state does not have: criteriaComplete, maxIterationsReached; write defineState({ ...criteriaLoopFields, … })
Correct the graph's definition.`);
    expect(graph().start(node).end().compile().inputDefaults).toBeUndefined();
  });

  test("is checked with the graph", async () => {
    const config = { taskNodes: [], completionSignal: "", maxIterations: 0.5 };
    expect((await rejectionOf((async () => loop(config))())).message).toBe(`The graph cannot be compiled:
  - "criteria-loop" has taskNodes []; it must be a node or a list of nodes that is not empty
  - "criteria-loop" has completionSignal ""; it must be a text that is not empty, or false
  - "criteria-loop" has maxIterations 0.5; it must be a whole number from 0
Correct the graph's definition.`);
  });
});
