import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { TestEnvironment } from "../fixtures/test-environment.ts";
import { GREET } from "../fixtures/workflow-files.ts";
import { VERSION } from "../version.ts";

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
});
afterEach(() => environment.remove());

/** An OpenCode that can only say which version it is. */
async function installFakeOpenCode(text = "#!/bin/sh\necho 1.99.9\n"): Promise<string> {
  await environment.write({ "bin/opencode": text });
  const path = join(environment.root, "bin/opencode");
  await chmod(path, 0o755);
  await environment.write({
    "home/.atomic/config.json": JSON.stringify({ agent: "opencode", agents: { opencode: { binaryPath: path } } }),
  });
  return path;
}

interface Check {
  readonly name: string;
  readonly status: string;
  readonly detail: string;
  readonly remedy?: string;
  readonly startMs?: number;
  readonly login?: string;
  readonly files?: readonly unknown[];
}

/** GitHub's program need not be installed where tests run. */
const GH = Bun.which("gh")
  ? { name: "gh", status: "ok", detail: expect.stringMatching(/^gh version /) }
  : {
      name: "gh",
      status: "missing",
      detail: "not found",
      remedy: expect.stringMatching(/^Only atomic ralph --pr needs it/),
    };

async function checksOf(): Promise<{ readonly exitCode: number; readonly checks: readonly Check[] }> {
  const { exitCode, stdout } = await environment.atomic("doctor", "--json");
  return { exitCode, checks: JSON.parse(stdout).checks };
}

test("where everything is here, every line is ok, and the program that the settings name is the one looked at", async () => {
  const path = await installFakeOpenCode();
  expect(await checksOf()).toEqual({
    exitCode: 0,
    checks: [
      { name: "atomic", status: "ok", detail: VERSION },
      { name: "bun", status: "ok", detail: Bun.version },
      { name: "home", status: "ok", detail: environment.atomicHome },
      { name: "disk", status: "ok", detail: expect.stringMatching(/ free for runs, in /) },
      { name: "terminal", status: "ok", detail: "none: the output is not a terminal" },
      { name: "git", status: "ok", detail: expect.stringMatching(/^git version /) },
      GH,
      { name: "agents", status: "ok", detail: "claude, opencode, copilot, gemini, codex, goose, scripted" },
      {
        ...{ name: "claude", status: "ok", startMs: expect.any(Number), login: "none" },
        detail: expect.stringMatching(/^\d+\.\d+\.\d+ \(Claude Code\) \(\/.*claude\)$/),
      },
      { name: "opencode", status: "ok", detail: `1.99.9 (${path})`, startMs: expect.any(Number), login: "none" },
      { name: "copilot", status: "ok", detail: expect.stringMatching(/^\/.*copilot-runtime$/), login: "unknown" },
      { name: "sandbox", status: "ok", detail: expect.stringMatching(/^\/.*bwrap$/) },
      { name: "config", status: "ok", detail: "agent opencode, model not set" },
      { name: "project", status: "ok", detail: "not trusted, 0 files left out" },
      { name: "hooks", status: "ok", detail: "0 hooks", files: [] },
      {
        ...{ name: "telemetry", status: "ok" },
        detail: `recorded in ${environment.root}/home/.local/share/atomic/telemetry, not sent`,
      },
      { name: "workflows", status: "ok", detail: "ralph, atomic, review, write" },
      { name: "tools", status: "ok", detail: "0 tools" },
      { name: "definitions", status: "ok", detail: "12 agents, 7 skills, 0 commands, 0 instructions" },
    ],
  });
});

test("for a person it is a table", async () => {
  await installFakeOpenCode();
  const { exitCode, stdout, stderr } = await environment.atomic("doctor");
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  const lines = environment.normalise(stdout).split("\n");
  expect(lines[0]).toMatch(/^CHECK +STATUS +DETAIL$/);
  const opencode = lines
    .find((line) => line.startsWith("opencode"))
    ?.replace(/ {2,}/g, " | ")
    .replace(/\d+\.\d s/, "N s");
  expect(opencode).toBe("opencode | ok | no login found, starts in N s, 1.99.9 (<root>/bin/opencode)");
});

test("in a narrow terminal, lines break between words", async () => {
  await installFakeOpenCode();
  await environment.write({ "project/.claude/settings.json": "{}" });
  const { stdout } = await environment.start(["doctor"], { isTTY: true, columns: 40 }).ended;
  const lines = environment.normalise(stdout).split("\n");
  expect(lines.slice(0, 4)).toEqual(["CHECK        STATUS", "  DETAIL", "atomic       ok", `  ${VERSION}`]);
  expect(lines.slice(-5)).toEqual([
    "project: Nothing is wrong: agents start",
    "without .claude/settings.json. To have",
    "it loaded, look at it, then:",
    "atomic trust add",
    "",
  ]);
});

test("problems with definition files are listed with their line and what to do, and counted by severity", async () => {
  await environment.write({
    "project/.claude/agents/empty.md": "",
    "project/.claude/agents/good.md": "---\nname: good\ndescription: Good.\n---\nDo it.",
    "project/.claude/commands/hollow.md": "---\ndescription: Hollow.\n---\n",
    "project/opencode.json": '{\n  "agent": {,}\n}',
    "project/CLAUDE.md": "Be good.",
  });
  const { exitCode, checks } = await checksOf();
  expect(exitCode).toBe(1);
  expect(checks.filter(({ name }) => name.startsWith("definition"))).toEqual([
    {
      name: "definitions",
      status: "ok",
      detail: "13 agents, 7 skills, 1 command, 1 instructions; 2 errors, 1 warning",
    },
    {
      name: "definition",
      status: "broken",
      detail: `${environment.project}/.claude/agents/empty.md:1: The file is empty. Write the prompt into it, or remove it.`,
    },
    {
      name: "definition",
      status: "warning",
      detail: `${environment.project}/.claude/commands/hollow.md: Nothing follows the frontmatter. Correct the file; for now, only its readable part is used.`,
    },
    {
      name: "definition",
      status: "broken",
      detail: `${environment.project}/opencode.json:2:13: It is not valid JSON: value expected. Correct the file.`,
    },
  ]);
});

const TOOL = 'export default { description: "Does it", execute: () => "done" };';

async function toolChecksOf(): Promise<{ readonly exitCode: number; readonly checks: readonly Check[] }> {
  const { exitCode, checks } = await checksOf();
  return { exitCode, checks: checks.filter(({ name }) => name === "tool" || name === "tools") };
}

test("tools are counted, and each problem of their files is listed with its place and what to do", async () => {
  await environment.trustProject();
  await environment.write({
    "home/.atomic/tools/lint.ts": TOOL,
    "home/.atomic/tools/same.ts": TOOL,
    "project/.atomic/tools/broken.ts": "export default (",
    "project/.atomic/tools/ends.ts": "process.exit(7);",
    "project/.atomic/tools/lint.ts": `${TOOL}\nexport const all = { description: "Does all", execute: () => "done" };`,
    "project/.atomic/tools/lint_all.ts": TOOL,
    "project/.atomic/tools/prints.ts": `console.log("hello");\n${TOOL}`,
  });
  const folder = join(environment.project, ".atomic/tools");
  expect(await toolChecksOf()).toEqual({
    exitCode: 1,
    checks: [
      { name: "tools", status: "ok", detail: "4 tools: lint, lint_all, prints, same" },
      {
        name: "tool",
        status: "broken",
        detail: `${folder}/broken.ts:1:16: Syntax error: Unexpected end of file. Correct the file; the rest of it has not been looked at.`,
      },
      {
        name: "tool",
        status: "broken",
        detail: `${folder}/ends.ts:1:9: Loading it threw process.exit(7) was called, which would end Atomic itself. Return, or throw an error, instead. Correct the file; code outside its functions runs whenever Atomic loads the file.`,
      },
      {
        name: "tool",
        status: "broken",
        detail: `${folder}/lint_all.ts: The tool "lint_all" is left out: ${folder}/lint.ts has a tool of that name, "lint_all". Rename one of the two.`,
      },
      {
        name: "tool",
        status: "warning",
        detail: `${folder}/prints.ts: It prints while it is loaded: "hello". Print in the tool's function instead: this text appears before any call.`,
      },
    ],
  });
});

test("the tool files of an untrusted project are counted, and none of them runs", async () => {
  const marks = `await Bun.write(${JSON.stringify(join(environment.root, "ran"))}, "");`;
  await environment.write({
    "home/.atomic/tools/mine.ts": TOOL,
    "project/.atomic/tools/theirs.ts": `${marks}\n${TOOL}`,
  });
  expect(await toolChecksOf()).toEqual({
    exitCode: 0,
    checks: [{ name: "tools", status: "not trusted", detail: "1 tool: mine; 1 file of this project left out" }],
  });
  expect(await Bun.file(join(environment.root, "ran")).exists()).toBe(false);
});

test("a tool file that never returns is one problem, and everything else is reported", async () => {
  await environment.trustProject();
  await environment.write({
    "project/.atomic/tools/loops.ts": "for (;;) {}",
    "project/.atomic/tools/other.ts": TOOL,
  });
  const { exitCode, checks } = await checksOf();
  expect([exitCode, checks[0], checks.slice(-3)]).toEqual([
    1,
    { name: "atomic", status: "ok", detail: VERSION },
    [
      { name: "tools", status: "ok", detail: "1 tool: other" },
      {
        name: "tool",
        status: "broken",
        detail: `${environment.project}/.atomic/tools/loops.ts: Loading did not finish within 10000 ms. Look for a loop at the top level that never ends; move slow work into the tool's function.`,
      },
      { name: "definitions", status: "ok", detail: expect.stringMatching(/^12 agents, 7 skills/) },
    ],
  ]);
});

test("broken settings, broken files and untrusted ones are listed with what to do, and the exit code is 1", async () => {
  await environment.write({
    "home/.atomic/config.json": '{ "agent": 1 }',
    "home/.atomic/workflows/broken.ts": "export default (",
    "project/.atomic/workflows/greet.ts": GREET,
    "project/.claude/settings.json": "{}",
  });
  const { exitCode, checks } = await checksOf();
  expect(exitCode).toBe(1);
  expect(checks.filter(({ name }) => ["config", "project", "workflow"].includes(name))).toEqual([
    {
      name: "config",
      status: "broken",
      detail: `The settings in ${environment.atomicHome}/config.json cannot be used:\n  - line 1: agent: 1 is not a string. Write a string.\nCorrect the file.`,
    },
    {
      name: "project",
      status: "not trusted",
      detail: "2 files left out",
      remedy:
        "Nothing is wrong: agents start without .atomic/workflows, .claude/settings.json. To have it loaded, look at it, then: atomic trust add",
    },
    {
      name: "workflow",
      status: "broken",
      detail: `${environment.atomicHome}/workflows/broken.ts:1:16: Syntax error: Unexpected end of file. Correct the file; the rest of it has not been looked at.`,
    },
  ]);
});

test("mistakes in the settings of a project that is not trusted are a warning", async () => {
  await environment.write({ "project/.atomic/config.json": "{{{ broken" });
  const { checks } = JSON.parse((await environment.atomic("doctor", "--json")).stdout);
  expect(checks.filter(({ name }: Check) => name === "config")).toEqual([
    { name: "config", status: "ok", detail: "agent not set, model not set" },
    {
      name: "config",
      status: "warning",
      detail: `The settings in ${environment.project}/.atomic/config.json cannot be used:\n  - line 1, column 2: Expected a key in double quotes, found "{".\nCorrect the file.`,
      remedy: "They have no effect, because the project is not trusted. Correct them before you trust it.",
    },
  ]);
});

test("a detail that the table cuts off is printed whole below it", async () => {
  await environment.write({ "home/.atomic/config.json": '{\n  "agent": "scripted",\n  "model" x\n}\n' });
  const { exitCode, stdout } = await environment.atomic("doctor");
  expect(exitCode).toBe(1);
  expect(environment.normalise(stdout)).toContain(
    [
      "\nconfig: The settings in <root>/home/.atomic/config.json cannot be used:",
      '  - line 3, column 11: Unexpected "x". Keys and strings need double quotes.',
      "Correct the file.\n",
    ].join("\n"),
  );
});

test("an agent that the settings name and nobody knows is broken settings", async () => {
  await environment.write({ "home/.atomic/config.json": '{ "agent": "opencod" }' });
  const { exitCode, checks } = await checksOf();
  expect(exitCode).toBe(1);
  expect(checks.find(({ name }) => name === "config")).toEqual({
    name: "config",
    status: "broken",
    detail: expect.stringContaining(
      `There is no agent "opencod", which ${environment.atomicHome}/config.json names. Known agents: `,
    ),
    remedy: "Correct the file it names.",
  });
});

test("invalid settings of the sandbox are reported in the words of a call that rejects them", async () => {
  const settings = { sandbox: { readRoots: ["/no/such/folder"] } };
  await environment.write({ "home/.atomic/config.json": JSON.stringify(settings) });
  const problem = 'The setting sandbox.readRoots[0] cannot be used: "/no/such/folder" does not exist.';
  const { exitCode, checks } = await checksOf();
  expect([exitCode, checks.find(({ name }) => name === "config")]).toEqual([
    1,
    {
      name: "config",
      status: "broken",
      detail: problem,
      remedy: "Correct it in config.json: with this, no agent starts in this folder.",
    },
  ]);
  const { stderr } = await environment.atomic("-p", "Hello.", "--agent", "scripted");
  expect(stderr.replaceAll(/\s+/g, " ")).toContain(problem);
});

test.each([
  { title: "a program that is gone", text: undefined, status: "missing" },
  { title: "a program that fails", text: "#!/bin/sh\nexit 3\n", status: "broken" },
])("$title is reported with the setting to correct", async ({ text, status }) => {
  await installFakeOpenCode(text);
  if (text === undefined) {
    const opencode = { binaryPath: join(environment.root, "bin/nothing") };
    await environment.write({ "home/.atomic/config.json": JSON.stringify({ agents: { opencode } }) });
  }
  const { checks } = await checksOf();
  expect(checks.find(({ name }) => name === "opencode")).toEqual({
    name: "opencode",
    status,
    detail: expect.any(String),
    remedy: "Correct agents.opencode.binaryPath in config.json, or remove it to use the one that is installed.",
  });
});

test("a damaged list of trusted projects is reported, and no project counts as trusted", async () => {
  await environment.writeWorkflows({ greet: GREET });
  await environment.write({ "home/.atomic/trusted-projects.json": "[" });
  const { exitCode, checks } = await checksOf();
  expect(exitCode).toBe(1);
  expect(checks.filter(({ name }) => ["trust", "project"].includes(name))).toEqual([
    {
      name: "trust",
      status: "broken",
      detail:
        "The list of trusted projects cannot be used: JSON Parse error: Unexpected EOF. No project counts as trusted.",
      remedy: `${environment.atomicHome}/trusted-projects.json: Correct or remove the file, then trust your projects again.`,
    },
    {
      name: "project",
      status: "not trusted",
      detail: "1 file left out",
      remedy:
        "Nothing is wrong: agents start without .atomic/workflows. To have it loaded, look at it, then: atomic trust add",
    },
  ]);
  expect((await environment.atomic("doctor")).stderr).toBe("");
});

test("an agent that the settings describe is looked for, too", async () => {
  const agents = { mine: { command: "/bin/sh" }, lost: { command: "no-such-agent" }, vague: {} };
  await environment.write({ "home/.atomic/config.json": JSON.stringify({ agents }) });
  const { checks } = await checksOf();
  const remedyFor = (name: string) => `Correct agents.${name} in config.json, or install its program.`;
  expect(checks.filter(({ name }) => Object.hasOwn(agents, name))).toEqual([
    { name: "mine", status: "ok", detail: "ACP (/bin/sh)", login: "unknown" },
    {
      name: "lost",
      status: "missing",
      detail:
        'The agent "lost" cannot start: its program "no-such-agent" was not found. Install it, or set its command.',
      remedy: remedyFor("lost"),
    },
    {
      name: "vague",
      status: "broken",
      detail:
        'The agent "vague" has no command. Set agents.vague.command in config.json to the program that speaks ACP.',
      remedy: remedyFor("vague"),
    },
  ]);
});
