import { afterEach, describe, expect, test } from "bun:test";
import type { ToolDefinition } from "../../contracts/index.ts";
import { graph } from "../builder.ts";
import { FakeCodingAgent } from "../fixtures/fake-coding-agent.ts";
import { FakeSubagents, succeed } from "../fixtures/fake-subagents.ts";
import { node, TestState } from "../fixtures/test-nodes.ts";
import { agentNode } from "../nodes/agents/agent-node.ts";
import { subgraphNode } from "../nodes/flow/subgraph-node.ts";
import { subagentNode } from "../nodes/subagents/subagent-node.ts";
import { customToolNode } from "../nodes/tools/custom-tool-node.ts";
import { MemorySaver } from "../savers/memory-saver.ts";
import {
  createImportScope,
  getClientProvider,
  getSubagentBridge,
  getSubagentRegistry,
  getToolRegistry,
  getWorkflowResolver,
  setClientProvider,
  setSubagentBridge,
  setSubagentRegistry,
  setToolRegistry,
  setWorkflowResolver,
  withServiceScope,
} from "./default-services.ts";
import { NamedRegistry } from "./named-registry.ts";

afterEach(() => {
  setClientProvider(undefined);
  setWorkflowResolver(undefined);
  setSubagentBridge(undefined);
  setSubagentRegistry(undefined);
  setToolRegistry(undefined);
});

function tool(name: string, answer: string): ToolDefinition {
  return { name, description: name, inputSchema: {}, handler: () => answer };
}

const useTool = graph(TestState)
  .start(customToolNode<TestState>({ id: "use", toolName: "lint" }))
  .end()
  .compile();

describe("the default services", () => {
  test("serve a run that brings none", async () => {
    setClientProvider(() => new FakeCodingAgent([{ content: "asked" }]));
    setWorkflowResolver((name) => (name === "inner" ? graph(TestState).start(node("n")).end().compile() : null));
    setSubagentBridge(new FakeSubagents());
    getSubagentRegistry().register({ name: "explore", prompt: "You explore." });
    getToolRegistry().register(tool("lint", "linted"));
    const inner = subgraphNode<TestState, TestState>({
      id: "inner",
      subgraph: "inner",
      outputMapper: ({ log }) => ({ log }),
    });
    const { state } = await graph(TestState)
      .start(agentNode<TestState>({ id: "ask", buildMessage: "Ask" }))
      .then(inner)
      .then(subagentNode<TestState>({ id: "look", agentName: "explore", task: "Look" }))
      .then(customToolNode<TestState>({ id: "use", toolName: "lint" }))
      .end()
      .compile()
      .run();
    expect({ outputs: state.outputs, log: state.log }).toEqual({
      outputs: { ask: "asked", look: "explore: Look", use: "linted" },
      log: ["n"],
    });
  });

  test("are what getClientProvider, getWorkflowResolver and getSubagentBridge return", () => {
    const [provider, resolver, bridge] = [() => new FakeCodingAgent([]), () => null, new FakeSubagents()];
    const current = () => [getClientProvider(), getWorkflowResolver(), getSubagentBridge()];
    expect(current()).toEqual([undefined, undefined, undefined]);
    setClientProvider(provider);
    setWorkflowResolver(resolver);
    setSubagentBridge(bridge);
    expect(current()).toEqual([provider, resolver, bridge]);
  });

  test("give way to a run's own", async () => {
    getToolRegistry().register(tool("lint", "default"));
    const services = { tools: new NamedRegistry([tool("lint", "own")]) };
    expect((await useTool.run({}, { services })).state.outputs).toEqual({ use: "own" });
  });

  test("fill what a run's own services lack", async () => {
    getToolRegistry().register(tool("lint", "default"));
    expect((await useTool.run({}, { services: { workingDirectory: "/work" } })).state.outputs).toEqual({
      use: "default",
    });
  });

  test("are read when a run starts, so that what is set later is not seen by it", async () => {
    setToolRegistry(new NamedRegistry([tool("lint", "first")]));
    const swap = node("swap", () => {
      setToolRegistry(new NamedRegistry([tool("lint", "second")]));
      return;
    });
    const compiled = graph(TestState)
      .start(swap)
      .then(customToolNode<TestState>({ id: "use", toolName: "lint" }))
      .end()
      .compile();
    expect((await compiled.run()).state.outputs).toEqual({ use: "first" });
    expect((await useTool.run()).state.outputs).toEqual({ use: "second" });
  });

  test("serve a run that is resumed, forked or looked at", async () => {
    const asking = graph(TestState)
      .start(node("begin"))
      .wait({ id: "gate", inputMapper: (value) => ({ value }) })
      .end()
      .compile();
    setWorkflowResolver(() => asking);
    const sub = subgraphNode<TestState, TestState>({
      id: "sub",
      subgraph: "asking",
      outputMapper: ({ value }) => ({ value }),
    });
    const compiled = graph(TestState).start(sub).end().compile({ checkpointer: new MemorySaver() });
    const { runId } = await compiled.run();
    const last = (await compiled.history(runId)).at(-1)?.sequence ?? 0;
    const past = await compiled.stateAt(runId, last);
    await compiled.checkAnswers(runId, { "sub/gate": "yes" }, {});
    const forked = await compiled.fork(runId, { at: last });
    const resumed = await compiled.resume(runId, { "sub/gate": "yes" });
    expect({ past: past.value, forked: forked.status, resumed: resumed.state.value }).toEqual({
      past: "",
      forked: "suspended",
      resumed: "yes",
    });
  });

  test("are missing like any other when nobody set them, and have nothing in them at first", async () => {
    expect((await useTool.run()).errorInfo?.code).toBe("SERVICE_MISSING");
    expect([getToolRegistry().names(), getSubagentRegistry().names()]).toEqual([[], []]);
    expect((await useTool.run()).errorInfo?.message).toBe(
      'The node "use" needs the tool "lint", which does not exist. There are no tools. Add it, or correct the name.',
    );
  });

  test("let two runs at once use different ones", async () => {
    const explore = graph(TestState)
      .start(subagentNode<TestState>({ id: "look", agentName: "explore", task: "Look" }))
      .end()
      .compile();
    getSubagentRegistry().register({ name: "explore", prompt: "You explore." });
    const bothRun = Promise.withResolvers<void>();
    let spawnedCount = 0;
    const bridge = (name: string) =>
      new FakeSubagents(async (options) => {
        if (++spawnedCount === 2) bothRun.resolve();
        await bothRun.promise;
        return { ...succeed(options), output: name };
      });
    setSubagentBridge(bridge("first"));
    const first = explore.run();
    setSubagentBridge(bridge("second"));
    const second = explore.run();
    expect([(await first).state.outputs, (await second).state.outputs]).toEqual([
      { look: "first" },
      { look: "second" },
    ]);
  });
});

describe("a scope of default services", () => {
  test("keeps what is registered in it from everything outside, at the same time and later", async () => {
    getToolRegistry().register(tool("shared", "outside"));
    const bothRegistered = Promise.withResolvers<void>();
    let count = 0;
    const runIn = (answer: string) =>
      withServiceScope(async () => {
        getToolRegistry().register(tool("lint", answer));
        getSubagentRegistry().register({ name: answer, prompt: "" });
        if (++count === 2) bothRegistered.resolve();
        await bothRegistered.promise;
        const { state } = await useTool.run();
        return [state.outputs, getToolRegistry().names(), getSubagentRegistry().names()];
      });
    expect(await Promise.all([runIn("first"), runIn("second")])).toEqual([
      [{ use: "first" }, ["lint"], ["first"]],
      [{ use: "second" }, ["lint"], ["second"]],
    ]);
    expect([getToolRegistry().names(), getSubagentRegistry().names()]).toEqual([["shared"], []]);
  });

  test("has the program's clients and resolver, until it sets its own", () => {
    const [provider, own] = [() => new FakeCodingAgent([]), () => new FakeCodingAgent([])];
    setClientProvider(provider);
    withServiceScope(() => {
      const before = getClientProvider();
      setClientProvider(own);
      expect([before, getClientProvider()]).toEqual([provider, own]);
    });
    expect(getClientProvider()).toBe(provider);
  });

  test("has what a file registered when it was imported, however often the file is used", async () => {
    const scope = createImportScope();
    await scope.load(async () => {
      getToolRegistry().register(tool("lint", "of the file"));
      getSubagentRegistry().register({ name: "explore", prompt: "You explore." });
    });
    expect(getToolRegistry().names()).toEqual([]);
    const use = (prepare: () => void) =>
      withServiceScope(async () => {
        prepare();
        scope.apply();
        return [(await useTool.run()).state.outputs, getSubagentRegistry().names()];
      });
    expect(await use(() => undefined)).toEqual([{ use: "of the file" }, ["explore"]]);
    expect(await use(() => getToolRegistry().register(tool("lint", "of the run")))).toEqual([
      { use: "of the run" },
      ["explore"],
    ]);
    expect(await use(() => undefined)).toEqual([{ use: "of the file" }, ["explore"]]);
  });

  test("imports one file at a time, also after one that fails", async () => {
    const order: string[] = [];
    const load = (name: string, work: () => Promise<void>) =>
      createImportScope().load(async () => {
        order.push(`${name} starts`);
        await work();
        order.push(`${name} ends`);
      });
    const loads = await Promise.allSettled([
      load("slow", () => new Promise((resolve) => setImmediate(resolve))),
      load("broken", () => Promise.reject(new Error("broken"))),
      load("last", async () => undefined),
    ]);
    expect({ order, statuses: loads.map(({ status }) => status) }).toEqual({
      order: ["slow starts", "slow ends", "broken starts", "last starts", "last ends"],
      statuses: ["fulfilled", "rejected", "fulfilled"],
    });
  });
});
