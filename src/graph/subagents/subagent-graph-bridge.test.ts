import { afterAll, expect, test } from "bun:test";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRedactor, type RunEvent } from "../../contracts/index.ts";
import { type AgentScript, createScriptedAgent } from "../../testkit/index.ts";
import {
  type AgentDefinition,
  graph,
  MemorySaver,
  NamedRegistry,
  parallelSubagentNode,
  type SubagentResult,
  subagentNode,
} from "../index.ts";
import { SubagentGraphBridge } from "./subagent-graph-bridge.ts";
import { SubagentSessionManager } from "./subagent-session-manager.ts";

const root = await mkdtemp(join(tmpdir(), "atomic-bridge-"));
afterAll(() => rm(root, { recursive: true }));

const LONG = `a${"x".repeat(4_998)}z`;

function createBridge(script: AgentScript, sessionDir?: string) {
  const agent = createScriptedAgent({ script });
  const sessionManager = new SubagentSessionManager({ clients: () => agent });
  return {
    agent,
    bridge: new SubagentGraphBridge({ sessionManager, ...(sessionDir === undefined ? {} : { sessionDir }) }),
  };
}

async function readResults(folder: string): Promise<Readonly<Record<string, unknown>>> {
  const names = await readdir(join(folder, "agents"));
  const texts = await Promise.all(names.sort().map((name) => readFile(join(folder, "agents", name), "utf8")));
  return Object.fromEntries(names.map((name, index) => [name, JSON.parse(texts[index] ?? "")]));
}

test("a bridge keeps each result in a file of the session, with the whole answer", async () => {
  const folder = await mkdtemp(join(root, "session-"));
  const { bridge } = createBridge(({ prompt }) => {
    if (prompt === "fail") throw new Error("out of luck");
    return LONG;
  });
  bridge.setSessionDir(folder);
  const [first, second] = await bridge.spawnParallel([
    { agentId: "explore-1", agentName: "explore", task: "look" },
    { agentId: "map[1]/Explore", agentName: "explore", task: "fail" },
  ]);
  expect(first).toMatchObject({
    success: true,
    isTruncated: true,
    outputPath: join(folder, "agents", "explore-1.json"),
  });
  expect(first).not.toHaveProperty("fullOutput");
  expect(first?.output).toHaveLength(2_000 + "\n… (3000 characters left out) …\n".length);
  expect(second).toMatchObject({ success: false, error: "out of luck" });
  const session = { agentType: "scripted", sessionId: expect.any(String) };
  const shared = { agentName: "explore", ...session, durationMs: expect.any(Number), finishedAt: expect.any(String) };
  expect(await readResults(folder)).toEqual({
    "explore-1.json": {
      ...shared,
      success: true,
      agentId: "explore-1",
      task: "look",
      output: LONG,
      toolUses: 0,
      usage: expect.any(Object),
    },
    [second?.outputPath?.split("/").at(-1) ?? ""]: {
      ...shared,
      success: false,
      agentId: "map[1]/Explore",
      task: "fail",
      output: "",
      error: "out of luck",
      toolUses: 0,
    },
  });
  expect(second?.outputPath).toMatch(/\/agents\/Explore-[0-9a-f]{8}\.json$/);
});

test("without a folder a bridge returns the whole answer beside the bounded one", async () => {
  const { bridge } = createBridge(() => LONG);
  const result = await bridge.spawn({ agentId: "a", agentName: "explore", task: "look" });
  expect([result.fullOutput, result.outputPath]).toEqual([LONG, undefined]);
});

test("a file and the bounded answer have no secret, also where the answer is cut", async () => {
  const secret = "zq8-Wm4Kt2Vx9LbN";
  const redactor = createRedactor({ secrets: [{ name: "KEY", value: secret }] });
  const folder = await mkdtemp(join(root, "run-"));
  const { bridge } = createBridge(() => `${"x".repeat(10)}${secret}${LONG}`, folder);
  const settings = { agentId: "a", agentName: "explore", task: `use ${secret}`, redactor, maxOutputLength: 40 };
  const { output } = await bridge.spawn(settings);
  expect(output).toStartWith("xxxxxxxxxx[redacted:");
  const text = JSON.stringify(await readResults(folder));
  expect([text.includes(secret.slice(0, 5)), text.includes("use [redacted:KEY]")]).toEqual([false, true]);
});

test("a result that cannot be written is complete in memory, and the log says why", async () => {
  const file = join(root, "no-folder");
  await writeFile(file, "");
  const { bridge } = createBridge(() => LONG, file);
  const lines: string[] = [];
  const result = await bridge.spawn({
    agentId: "a",
    agentName: "explore",
    task: "look",
    onLog: (line) => lines.push(line),
  });
  expect(result).toMatchObject({ success: true, fullOutput: LONG });
  expect(lines).toEqual([
    expect.stringContaining('The result of the sub-agent "explore" could not be kept in a file: ENOTDIR'),
  ]);
});

const agents = new NamedRegistry<AgentDefinition>([{ name: "explore", prompt: "You explore." }]);

test("nodes delegate to a bridge; their files are in the folder of the run", async () => {
  const folder = await mkdtemp(join(root, "run-"));
  const { bridge } = createBridge(({ prompt }) => `Saw ${prompt}`);
  const results: SubagentResult[] = [];
  const workflow = graph()
    .start(
      parallelSubagentNode({
        id: "look",
        agents: [
          { agentName: "explore", task: "tests" },
          { agentName: "explore", task: "docs" },
        ],
        merge: (all) => {
          results.push(...all.values());
          return {};
        },
      }),
    )
    .then(subagentNode({ id: "sum", agentName: "explore", task: "all" }))
    .end()
    .compile();
  const { state } = await workflow.run({}, { services: { agents, subagents: bridge, sessionDirectory: folder } });
  expect(state.outputs).toMatchObject({ sum: "Saw all" });
  expect(results.map(({ output }) => output)).toEqual(["Saw tests", "Saw docs"]);
  expect(Object.keys(await readResults(folder)).map((name) => name.replace(/-[0-9a-f]{8}/, ""))).toEqual([
    "look-explore-0.json",
    "look-explore-1.json",
    "sum.json",
  ]);
});

test("a resumed run continues the session in which its sub-agent was interrupted", async () => {
  const checkpointer = new MemorySaver();
  const { agent, bridge } = createBridge(async ({ prompt }, { signal }) => {
    if (prompt.startsWith("Your work")) return "finished";
    return await new Promise<never>((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
    });
  });
  const workflow = graph()
    .start(subagentNode({ id: "look", agentName: "explore", task: "Look" }))
    .end()
    .compile({ checkpointer });
  const stop = new AbortController();
  const services = { agents, subagents: bridge };
  const onEvent = ({ type }: RunEvent): void => {
    if (type === "agent-session") setImmediate(() => stop.abort(new Error("enough")));
  };
  expect((await workflow.run({}, { runId: "r", services, signal: stop.signal, onEvent })).status).toBe("cancelled");
  const prompts: unknown[] = [];
  const noting = (event: RunEvent): void => {
    if (event.type === "agent-prompt") prompts.push([event.message.slice(0, 9), event.agentType]);
  };
  const { state } = await workflow.resume("r", {}, { services, onEvent: noting });
  expect(state.outputs).toEqual({ look: "finished" });
  expect(prompts).toEqual([["Your work", agent.agentType]]);
  expect(new Set(agent.turns.map(({ sessionId }) => sessionId)).size).toBe(1);
});
