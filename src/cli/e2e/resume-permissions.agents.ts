import { afterEach, beforeEach, expect, test } from "bun:test";
import { access, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type ModelServer, scriptConversation, startModelServer } from "../../testkit/index.ts";
import { runIdIn } from "../fixtures/test-environment.ts";
import { Sandbox } from "./fixtures/sandbox.ts";

const ASK_THEN_RUN = `
import { agentNode, annotation, defineState, graph, waitNode } from "@bastani/atomic/graph";
const State = defineState({ prompt: annotation(""), answer: annotation("") });
export default () =>
  graph(State)
    .start(waitNode({ id: "wait", prompt: "Go on?", inputMapper: (answer) => ({ answer }) }))
    .then(agentNode({ id: "work", buildMessage: () => "Do it." }))
    .end()
    .compile();
`;

const ALLOW_ALL = { rules: [{ effect: "allow", tools: ["shell"] }], otherwise: "allow" };

let model: ModelServer;
let sandbox: Sandbox;

beforeEach(async () => {
  model = await startModelServer({ script: () => ({ type: "message", text: "Hello." }) });
  sandbox = await Sandbox.create();
  // A workflow of the user does not depend on trust in the project.
  const workflows = join(sandbox.atomicHome, "workflows");
  await mkdir(workflows, { recursive: true });
  await writeFile(join(workflows, "mine.ts"), ASK_THEN_RUN);
});
afterEach(async () => {
  await sandbox.remove();
  await model.stop();
});

async function configure(permissions?: unknown): Promise<void> {
  const endpoint = { protocol: "openai-chat", baseUrl: `${model.url}/v1`, models: [{ id: "scripted-model" }] };
  const opencode = { homeDirectory: join(sandbox.root, "agent-home"), endpoint };
  await sandbox.writeConfig({ agents: { opencode }, ...(permissions === undefined ? {} : { permissions }) });
}

/** Starts a run that waits for a person. */
async function start(...args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await sandbox.atomic("run", "mine", "Go.", "--agent", "opencode", ...args);
  return runIdIn(stdout + stderr);
}

/** Answers a run, whose agent then runs a command, and says whether it ran. */
async function runsCommand(runId: string, ...args: readonly string[]): Promise<boolean> {
  const touch = { name: "bash", input: { command: "touch made", description: "Touches a file" } };
  model.setScript(
    scriptConversation([
      { type: "message", toolCalls: [touch] },
      { type: "message", text: "Done." },
    ]),
  );
  const { exitCode, stderr } = await sandbox.atomic("runs", "answer", runId, "yes", ...args);
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  return await access(join(sandbox.project, "made")).then(
    () => true,
    () => false,
  );
}

test("a resumed run keeps no rule of a project that is no longer trusted", async () => {
  await configure();
  await sandbox.write({ ".atomic/config.json": JSON.stringify({ permissions: ALLOW_ALL }) });
  const runId = await start("--trust");
  expect((await sandbox.atomic("trust", "revoke")).exitCode).toBe(0);
  expect(await runsCommand(runId)).toBe(false);
});

test("a resumed run obeys the current settings", async () => {
  await configure(ALLOW_ALL);
  const runId = await start();
  await configure({ ...ALLOW_ALL, rules: [...ALLOW_ALL.rules, { effect: "ask", tools: ["shell"] }] });
  expect(await runsCommand(runId)).toBe(false);
});

test("a resumed run keeps its options, and the rules that still apply", async () => {
  await configure({ otherwise: "deny" });
  const allowed = await start("--allow", "shell:touch made");
  expect(await runsCommand(allowed)).toBe(true);
  await configure(ALLOW_ALL);
  const denied = await start("--deny", "shell");
  await sandbox.shell("rm made");
  expect(await runsCommand(denied)).toBe(false);
});
