import { afterEach, beforeEach, expect, test } from "bun:test";
import { access, mkdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { type ModelServer, type ModelToolCall, scriptConversation, startModelServer } from "../../testkit/index.ts";
import { createProjectPermissions } from "../agents/permission-memory.ts";
import { Sandbox } from "./fixtures/sandbox.ts";

let model: ModelServer;
let sandbox: Sandbox;

beforeEach(async () => {
  model = await startModelServer({ script: () => ({ type: "message", text: "Hello." }) });
  sandbox = await Sandbox.create();
});
afterEach(async () => {
  await sandbox.remove();
  await model.stop();
});

/** Settings of OpenCode with the scripted model. */
function settings(permissions?: unknown): unknown {
  const endpoint = { protocol: "openai-chat", baseUrl: `${model.url}/v1`, models: [{ id: "scripted-model" }] };
  const opencode = { homeDirectory: join(sandbox.root, "agent-home"), endpoint };
  return { agents: { opencode }, ...(permissions === undefined ? {} : { permissions }) };
}

/** Whether the call ran that the model made, when it was allowed nothing but by the settings and these arguments. */
async function runs(call: ModelToolCall, file: string, args: readonly string[] = []): Promise<boolean> {
  model.setScript(
    scriptConversation([
      { type: "message", toolCalls: [call] },
      { type: "message", text: "Done." },
    ]),
  );
  const { exitCode, stderr } = await sandbox.atomic("-p", "Go on.", "--agent", "opencode", ...args);
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  return await access(join(sandbox.project, file)).then(
    () => true,
    () => false,
  );
}

const COMMAND = "touch made";
const TOUCH: ModelToolCall = { name: "bash", input: { command: COMMAND, description: "Touches a file" } };

test("permissions why predicts the decision of a run", async () => {
  await sandbox.writeConfig(settings());
  const why = async (...args: readonly string[]) =>
    (await sandbox.atomic("permissions", "why", COMMAND, ...args)).exitCode;
  expect([await why(), await runs(TOUCH, "made")]).toEqual([3, false]);
  const denied = ["--deny", "shell:touch *", "--yolo"];
  expect([await why(...denied), await runs(TOUCH, "made", denied)]).toEqual([1, false]);
  const projectDirectory = await realpath(sandbox.project);
  const memory = createProjectPermissions({ atomicHome: sandbox.atomicHome, projectDirectory });
  await memory.allow({
    ...{ id: "p", sessionId: "s", kind: "shell", toolName: "bash", title: `bash: ${COMMAND}`, paths: [] },
    command: COMMAND,
  });
  expect([await why(), await runs(TOUCH, "made")]).toEqual([0, true]);
  expect((await sandbox.atomic("permissions", "forget", COMMAND)).exitCode).toBe(0);
  expect(await why()).toBe(3);
});

test("a trusted project cannot take the approval away that the user's settings want, and list says so", async () => {
  await sandbox.writeConfig(settings({ otherwise: "ask" }));
  await sandbox.write({ ".atomic/config.json": JSON.stringify({ permissions: { otherwise: "allow" } }) });
  expect((await sandbox.atomic("trust", "add")).exitCode).toBe(0);
  expect(await runs(TOUCH, "made")).toBe(false);
  expect((await sandbox.atomic("permissions", "why", COMMAND)).exitCode).toBe(3);
  expect((await sandbox.atomic("permissions", "list")).stdout).toContain(
    `Ignored: "otherwise": "allow" in the project's settings, because your settings are stricter.\n`,
  );
});

test("a home of Atomic with another name is protected in a run, and why says so", async () => {
  await mkdir(join(sandbox.project, "state"));
  const ATOMIC_HOME = join(sandbox.project, "state");
  const file = join(ATOMIC_HOME, "config.json");
  const call = sandbox.start(["permissions", "why", "--kind", "edit", "--path", file, "--allow", "edit"], {
    ATOMIC_HOME,
  });
  const { exitCode, stdout } = await call.ended;
  expect(exitCode).toBe(3);
  expect(stdout).toContain('is protected by "state": ');
});

test("settings that cannot be used are named with file, key, value and what is possible", async () => {
  await sandbox.writeConfig({ permissions: { allow: "edit", otherwise: "maybe" } });
  const { exitCode, stderr } = await sandbox.atomic("-p", "hello");
  expect({ exitCode, lines: stderr.split("\n") }).toEqual({
    exitCode: 2,
    lines: [
      `error: The settings in ${sandbox.atomicHome}/config.json cannot be used:`,
      '         - line 1: permissions.otherwise: "maybe" is not possible. Possible: "allow", "deny", "ask".',
      '         - line 1: permissions.allow: unknown key, with the value "edit". Possible keys: rules, otherwise, protectedPaths.',
      "       Correct the file.",
      "       (CONFIG_INVALID)",
      "",
    ],
  });
});

test("trust is seen, given and withdrawn, and doctor says what is not trusted", async () => {
  await sandbox.write({ ".git/HEAD": "", ".atomic/config.json": "{}" });
  expect((await sandbox.atomic("trust")).stdout).toStartWith(`${sandbox.project} is not trusted.\n`);
  const doctor = await sandbox.atomic("doctor");
  expect(doctor.stdout).toMatch(/^project +not trusted +1 file left out$/m);
  expect(doctor.stdout).toContain(
    "\nproject: Nothing is wrong: agents start without .atomic/config.json. To have it loaded, look at it, then: atomic trust add\n",
  );
  expect((await sandbox.atomic("trust", "add")).exitCode).toBe(0);
  expect((await sandbox.atomic("trust")).stdout).toStartWith(`${sandbox.project} is trusted, since `);
  expect((await sandbox.atomic("doctor")).stdout).toMatch(/^project +ok +trusted, 1 file loaded$/m);
  expect((await sandbox.atomic("trust", "revoke")).exitCode).toBe(0);
  expect((await sandbox.atomic("trust", "list")).stdout).toBe("You trust no project yet.\n");
});
