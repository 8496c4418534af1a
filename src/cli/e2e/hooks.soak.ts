import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Sandbox } from "./fixtures/sandbox.ts";

let sandbox: Sandbox;

beforeEach(async () => {
  sandbox = await Sandbox.create();
});
afterEach(() => sandbox.remove());

function claude(commands: Readonly<Record<string, string>>): string {
  const hooks = Object.fromEntries(
    Object.entries(commands).map(([event, command]) => [event, [{ hooks: [{ type: "command", command }] }]]),
  );
  return JSON.stringify({ hooks });
}

async function writeHome(name: string, text: string): Promise<void> {
  const path = join(sandbox.root, "home", name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

const prompt = (...args: readonly string[]) => sandbox.atomic("-p", "Hello.", "--agent", "scripted", ...args);

test("the user's hooks run with -p, and --no-hooks and the setting turn them off", async () => {
  await writeHome(".claude/settings.json", claude({ UserPromptSubmit: "echo 'not now' >&2; exit 2" }));
  const blocked = await prompt();
  const without = await prompt("--no-hooks");
  await sandbox.writeConfig({ hooks: "off" });
  const off = await prompt();
  expect([blocked.exitCode, blocked.stderr, without.exitCode, off.exitCode]).toEqual([
    1,
    'error: A hook has blocked this message: not now.\n       See which hooks run with "atomic hooks list"; "--no-hooks" runs none.\n       (HOOK_BLOCKED)\n',
    0,
    0,
  ]);
});

test("the project's hooks run once the project is trusted, and their changes are named", async () => {
  await sandbox.write({ ".claude/settings.json": claude({ UserPromptSubmit: "echo one >> log.txt" }) });
  const untrusted = await prompt();
  const trusted = await prompt("--trust");
  await sandbox.write({ ".claude/settings.json": claude({ UserPromptSubmit: "echo two >> log.txt" }) });
  const changed = await prompt();
  expect([untrusted.exitCode, untrusted.stderr, trusted.exitCode, trusted.stderr, changed.stderr]).toEqual([
    0,
    "Not loaded, because this project is not trusted: .claude/settings.json. Trust it with --trust.\n",
    0,
    `Trusted ${sandbox.project}.\n`,
    "note: 1 file is new or has changed since you trusted this project: .claude/settings.json.\n",
  ]);
  expect(await readFile(join(sandbox.project, "log.txt"), "utf8")).toBe("one\ntwo\n");
});

test("broken files and failing hooks are reported, and the message is answered", async () => {
  await writeHome(".claude/settings.json", '{\n  "hooks": {');
  await writeHome(
    ".copilot/hooks/a.json",
    JSON.stringify({ version: 1, hooks: { sessionStart: [{ type: "command", bash: "sleep 600", timeoutSec: 0.2 }] } }),
  );
  const { exitCode, stderr } = await prompt();
  const home = join(sandbox.root, "home");
  expect([exitCode, stderr.trimEnd().split("\n")]).toEqual([
    0,
    [
      `Hooks: ${home}/.claude/settings.json:2: It is no valid JSON: "}" is missing. Correct it. None of its hooks run.`,
      `The hook sessionStart in ${home}/.copilot/hooks/a.json:1 took longer than 0.2 s and was ended`,
    ],
  ]);
});

const WORKFLOW = `import { agentNode, graph } from "@bastani/atomic/graph";
const ask = (id) => agentNode({ id, buildMessage: () => "Do " + id + "." });
export default () => graph().start(ask("first")).then(ask("second")).end().compile();
`;

test("hooks run for the agents of a run's nodes, and what they say to the user is shown", async () => {
  const note = (name: string): string => `echo ${name} >> "$CLAUDE_PROJECT_DIR/log.txt"`;
  const events = { SessionStart: "start", UserPromptSubmit: "prompt", Stop: "stop", SessionEnd: "end" };
  const commands = Object.entries(events).map(([event, name]) => [event, note(name)]);
  const say = { hooks: [{ type: "command", command: `echo '{"systemMessage":"Mind the tests."}'` }] };
  const settings = JSON.parse(claude(Object.fromEntries(commands)));
  settings.hooks.Stop.push(say);
  await sandbox.write({ ".claude/settings.json": JSON.stringify(settings), ".atomic/workflows/two.ts": WORKFLOW });
  const { exitCode, stdout, stderr } = await sandbox.atomic("run", "two", "--agent", "scripted", "--trust");
  const lines = (await readFile(join(sandbox.project, "log.txt"), "utf8")).trimEnd().split("\n");
  expect([exitCode, lines]).toEqual([0, ["start", "prompt", "stop", "end", "start", "prompt", "stop", "end"]]);
  expect(`${stdout}${stderr}`).toContain("Mind the tests.");
});
