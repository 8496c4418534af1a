import { afterAll, beforeAll, expect, test } from "bun:test";
import type { RunEvent } from "../../contracts/index.ts";
import { type ModelServer, startModelServer } from "../../testkit/index.ts";
import { Sandbox } from "./fixtures/sandbox.ts";
import { useScriptedModel } from "./fixtures/vendor-agents.ts";

/** One worker stalls, one meets a limit with a reset time, the login of one has expired. */
const WORKFLOW = `import { graph, subagentNode } from "@bastani/atomic/graph";
const work = (id, settings) => subagentNode({ id, agentName: "general-purpose", agentType: id, title: id, task: "Do it, " + id + ".", ...settings });
export default () =>
  graph()
    .parallel([
      work("opencode", { stallTimeoutMs: 15_000, retry: { maxAttempts: 2, backoffMs: 10 } }),
      work("claude", { onLimit: "wait" }),
      work("copilot", { fallbackAgents: ["claude"] }),
    ])
    .end()
    .compile();
`;

let model: ModelServer;
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await Sandbox.create();
  model = await startModelServer({ script: () => ({ type: "error", status: 500, message: "no script yet" }) });
  await useScriptedModel(sandbox, model);
  await sandbox.write({ ".atomic/workflows/three.ts": WORKFLOW });
});
afterAll(async () => {
  await sandbox.remove();
  await model.stop();
});

/** Each worker's trouble, once. */
function script(): void {
  const met = new Set<string>();
  const isFirst = (name: string): boolean => !met.has(name) && met.add(name) !== undefined;
  model.setScript(({ messages, protocol }) => {
    const user = messages.flatMap(({ role, text }) => (role === "user" ? [text] : [])).join("\n");
    const name = /Do it, (\w+)\./.exec(user)?.[1] ?? "";
    if (name === "opencode" && isFirst(name)) return { type: "stall", afterText: "Hm" };
    if (name === "claude" && isFirst(name)) {
      return { type: "error", status: 429, message: "Usage limit reached", headers: { "retry-after": "3" } };
    }
    if (name === "copilot" && protocol.startsWith("openai")) {
      return { type: "error", status: 401, message: "Your login has expired" };
    }
    return { type: "message", text: `Done: ${name}` };
  });
}

test("a stalled, a limited and a signed-out worker: each is visible in --json, and the run continues as the policies say", async () => {
  script();
  const { exitCode, stderr, events } = await sandbox.atomic("run", "three", "--trust", "--json");
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  const seen = (nodeId: string, fits: (event: RunEvent) => boolean): number =>
    events.filter((event) => "nodeId" in event && event.nodeId === nodeId && fits(event)).length;
  const isAgents =
    (type: "stalled" | "waiting" | "error") =>
    (event: RunEvent): boolean =>
      event.type === "agent" && event.event.type === type;
  expect({
    stalled: seen("opencode", isAgents("stalled")),
    attempts: seen("opencode", ({ type }) => type === "node-start"),
    isLimitSeen: seen("claude", isAgents("waiting")) > 0,
    handOvers: seen("copilot", ({ type }) => type === "log"),
  }).toEqual({ stalled: 1, attempts: 2, isLimitSeen: true, handOvers: 1 });
});

test("the same in the terminal, with the worker's name while others work", async () => {
  script();
  const { exitCode, stdout, stderr } = await sandbox.atomic("run", "three", "--trust");
  expect(exitCode).toBe(0);
  expect(stdout).toStartWith("completed  three  ");
  const lines = stderr.split("\n");
  for (const pattern of [
    /^· (opencode: )?The agent has been silent for 15 s; its turn is aborted\.$/,
    /^↻ opencode: .* gave no sign of life for 15000 ms/,
    /^✔ opencode \(attempt 2\)/,
    /^· claude: The agent waits \(rate-limit, again in \d s\)/,
    /^· copilot: The agent reports an error: The endpoint of the agent "copilot" rejected its key/,
    /^· The endpoint of the agent "copilot" rejected its key.* The agent "claude" takes over\.$/,
  ]) {
    expect(lines).toContainEqual(expect.stringMatching(pattern));
  }
});
