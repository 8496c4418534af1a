import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { TestEnvironment } from "../fixtures/test-environment.ts";

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
  await writeHome(".claude/settings.json", claude("Stop"));
  await environment.writeProject({
    ".claude/settings.json": claude("PreToolUse", { matcher: "Bash" }),
    ".github/hooks/a.json": JSON.stringify({
      version: 1,
      hooks: { sessionEnd: [{ type: "command", bash: "bye" }], stop: [] },
    }),
    ".opencode/plugin/guard.ts": "throw new Error('never imported')",
  });
});
afterEach(() => environment.remove());

function claude(event: string, group: object = {}): string {
  return JSON.stringify({ hooks: { [event]: [{ ...group, hooks: [{ type: "command", command: "check" }] }] } });
}

async function writeHome(name: string, text: string): Promise<void> {
  const path = join(environment.root, "home", name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

/** The agent's hooks, as `--json` lists them. */
async function listStates(...args: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const { stdout, stderr, exitCode } = await environment.atomic("hooks", "list", "--json", ...args);
  expect([exitCode, stderr]).toEqual([0, ""]);
  const { hooks } = JSON.parse(stdout);
  return Object.fromEntries(
    hooks.map(({ event = "plugin", source, state }: Readonly<Record<string, string>>) => [`${source} ${event}`, state]),
  );
}

test("--trust names what it trusts, once, and stays silent where a program reads the output", async () => {
  const calls: string[] = [];
  for (const args of [["--trust"], ["--trust"]])
    calls.push((await environment.atomic("hooks", "list", ...args)).stderr);
  const line = `Trusted ${environment.project}.\n`;
  expect(calls.map((stderr) => stderr.startsWith(line))).toEqual([true, false]);
  await environment.atomic("trust", "revoke");
  const { stderr } = await environment.atomic("hooks", "list", "--trust", "--json");
  expect(stderr).not.toContain("Trusted ");
});

test("a table shows which hooks run with the agent, and problems name what does not", async () => {
  const { stdout, stderr, exitCode } = await environment.atomic("hooks", "list", "--agent", "opencode", "--trust");
  const { project, root } = environment;
  const lines = stdout
    .trimEnd()
    .split("\n")
    .map((line) => line.trimEnd().split(/ {2,}/));
  expect(lines).toEqual([
    ["EVENT", "MATCHER", "RUNS", "COMMAND", "FILE"],
    ["Stop", "yes", "check", `${root}/home/.claude/settings.json:1`],
    ["PreToolUse", "Bash", "yes", "check", `${project}/.claude/settings.json:1`],
    ["sessionEnd", "yes", "bye", `${project}/.github/hooks/a.json:1`],
    ["(plugin)", "by opencode itself", `${project}/.opencode/plugin/guard.ts`],
  ]);
  expect([exitCode, stderr]).toEqual([
    0,
    `Trusted ${project}.\nwarning: ${project}/.github/hooks/a.json:1: There is no event "stop". ${stderr.split('"stop". ')[1]}`,
  ]);
});

test.each([
  { agent: "opencode", states: ["runs", "runs", "runs", "by-agent"] },
  { agent: "claude", states: ["by-agent", "by-agent", "runs", "runs"] },
  { agent: "copilot", states: ["runs", "by-agent", "by-agent", "runs"] },
  { agent: "gemini", states: ["runs", "runs", "runs", "runs"] },
])("no hook runs twice: with $agent", async ({ agent, states: [userStop, preToolUse, sessionEnd, plugin] }) => {
  expect(await listStates("--agent", agent, "--trust")).toEqual({
    "user Stop": String(userStop),
    "project PreToolUse": String(preToolUse),
    "project sessionEnd": String(sessionEnd),
    "project plugin": String(plugin),
  });
});

test("the hooks of an untrusted project do not run", async () => {
  expect(await listStates("--agent", "gemini")).toEqual({
    "user Stop": "runs",
    "project PreToolUse": "untrusted",
    "project sessionEnd": "untrusted",
    "project plugin": "untrusted",
  });
});

test("a project can turn hooks off and not on", async () => {
  const config = (hooks: string): string => JSON.stringify({ hooks });
  await writeHome(".atomic/config.json", config("user"));
  await environment.writeProject({ ".atomic/config.json": config("project-and-user") });
  const states = await listStates("--agent", "gemini", "--trust");
  await environment.writeProject({ ".atomic/config.json": config("off") });
  expect([Object.values(states), Object.values(await listStates("--agent", "gemini", "--trust"))]).toEqual([
    ["runs", "off", "off", "off"],
    ["off", "off", "off", "off"],
  ]);
});

test("an agent that is set up without the user's settings has no hooks of theirs", async () => {
  await writeHome(".atomic/config.json", JSON.stringify({ agents: { claude: { userSettings: false } } }));
  const states = await listStates("--agent", "claude", "--trust");
  expect([states["user Stop"], states["project PreToolUse"], states["project sessionEnd"]]).toEqual([
    "without-settings",
    "without-settings",
    "runs",
  ]);
});

test("a folder without hooks says so", async () => {
  await environment.remove();
  environment = await TestEnvironment.create();
  const { stdout } = await environment.atomic("hooks", "list");
  expect(stdout).toBe("No hooks were found here. See docs/hooks.md for the files that are read.\n");
});
