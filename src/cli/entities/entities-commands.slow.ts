import { afterEach, beforeEach, expect, test } from "bun:test";
import { TestEnvironment } from "../fixtures/test-environment.ts";

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
  await environment.trustProject();
  await environment.write({
    "project/.claude/agents/check.md":
      "---\nname: check\ndescription: Checks\nmodel: opus\ntools: Read, Bash(git:*)\n---\nCheck it.\n",
    "project/.opencode/agents/check.md": "---\ndescription: Checks for OpenCode\n---\nCheck.",
    "home/.copilot/agents/Check.agent.md": "---\ndescription: Checks for Copilot\n---\nCheck.",
    "project/.claude/agents/empty.md": "",
    "project/.claude/commands/git/commit.md": "---\nargument-hint: '[message] | --amend'\n---\nCommit $ARGUMENTS\n",
    "project/.claude/commands/hollow.md": "---\ndescription: Hollow\n---\n",
    "project/.atomic/skills/pdf/SKILL.md": "---\nname: pdf\ndescription: Reads PDFs\n---\nRead.",
    "project/opencode.json": '{\n  "agent": }',
  });
});
afterEach(() => environment.remove());

/** What a call printed, without the folders of this test. */
async function call(...args: readonly string[]): Promise<{ exitCode: number; stdout: string; stderr: string }> {
  const { exitCode, stdout, stderr } = await environment.start(args, { columns: 400 }).ended;
  return { exitCode, stdout: environment.normalise(stdout), stderr: environment.normalise(stderr) };
}

const BROKEN_CONFIG =
  "error: <root>/project/opencode.json:2:12: It is not valid JSON: value expected. Correct the file.\n";

test("agents are listed with the built-in ones and with the problems of agents' files only", async () => {
  expect(await call("agents", "list")).toEqual({
    exitCode: 0,
    stdout: [
      "AGENT                       FROM             MODEL  DESCRIPTION",
      "check                       claude, project  opus   Checks",
      "codebase-analyzer           built-in                Explains how a part of the codebase works, with file and line",
      "codebase-locator            built-in                Finds the files that belong to a topic and groups them by purpose",
      "codebase-pattern-finder     built-in                Finds existing code to model new code on, with tests",
      "codebase-research-analyzer  built-in                Reports what the project's own documents decide, and what is outdated",
      "debugger                    built-in                Finds the cause of a failure, fixes it, and proves the fix with a test",
      "explore                     built-in                Answers a question about the codebase fast, with evidence",
      "general-purpose             built-in                Carries out any task of several steps and returns its result",
      "plan                        built-in                Carries out a task without changing anything",
      "planner                     built-in                Reads the code and writes a plan in small, verifiable steps; changes nothing",
      "researcher                  built-in                Answers a question from documentation and other sources on the web",
      "reviewer                    built-in                Reviews a change and reports verified defects by severity; changes nothing",
      "worker                      built-in                Carries out one task completely, with tests",
      "",
    ].join("\n"),
    stderr: `error: <root>/project/.claude/agents/empty.md:1: The file is empty. Write the prompt into it, or remove it.\n${BROKEN_CONFIG}`,
  });
});

test("a list names misspelled tools, and so does doctor", async () => {
  await environment.write({
    "project/.github/prompts/look.prompt.md":
      "---\ndescription: Looks\ntools: ['search/codebase', 'Raed']\n---\nLook.\n",
  });
  const problem = '<root>/project/.github/prompts/look.prompt.md:3: Unknown tool "Raed"; did you mean "Read"?';
  const remedy = "Correct the name, or keep it if it is that of a tool of your own.";
  const { stderr } = await call("commands", "list");
  expect(stderr.split("\n")).toContain(`warning: ${problem} ${remedy}`);
  expect((await call("doctor")).stdout).toContain(`${problem} ${remedy}`);
});

test("with --all, what is shadowed follows what is used", async () => {
  const { stdout } = await call("agents", "list", "--all");
  expect(stdout.split("\n").slice(1, 4)).toEqual([
    "check                       claude, project    opus   Checks",
    "check                       opencode, project         (shadowed by <root>/project/.claude/agents/check.md) Checks for OpenCode",
    "Check                       copilot, user             (shadowed by <root>/project/.claude/agents/check.md) Checks for Copilot",
  ]);
});

test("a definition whose name is unusable, because the project's namesake has an error, says so", async () => {
  await environment.write({ "project/.claude/agents/triage.md": "", "home/.claude/agents/triage.md": "Triage." });
  const problem = "<root>/project/.claude/agents/triage.md:1: The file is empty.";
  const { stdout } = await call("agents", "list");
  const row = stdout.split("\n").find((line) => line.startsWith("triage "));
  expect(row?.replace(/ {2,}/g, "  ")).toStartWith(`triage  claude, user  (cannot be used: ${problem}`);
  const json = JSON.parse((await call("agents", "list", "--json")).stdout);
  expect(json.agents.find(({ name }: { name: string }) => name === "triage").unusable).toMatchObject({
    message: "The file is empty",
    line: 1,
  });
});

test("commands are listed with their arguments and their problems", async () => {
  expect(await call("commands", "list")).toEqual({
    exitCode: 0,
    stdout: [
      "COMMAND     FROM             ARGUMENTS            DESCRIPTION",
      "git:commit  claude, project  [message] | --amend  Commit $ARGUMENTS",
      "hollow      claude, project                       Hollow",
      "",
    ].join("\n"),
    stderr: `warning: <root>/project/.claude/commands/hollow.md: Nothing follows the frontmatter. Correct the file; for now, only its readable part is used.\n${BROKEN_CONFIG}`,
  });
});

test("skills have no problems here, and the built-in ones are listed", async () => {
  const { stdout, stderr } = await call("skills", "list");
  expect(stderr).toBe("");
  expect(stdout.split("\n").map((line) => line.split(" ")[0])).toEqual([
    "SKILL",
    "commit",
    "create-feature-list",
    "create-gh-pr",
    "create-spec",
    "explain-code",
    "implement-feature",
    "pdf",
    "research-codebase",
    "",
  ]);
});

test("where there are only built-in ones, or none, the list says where to put one's own", async () => {
  const empty = await TestEnvironment.create();
  try {
    const agents = await empty.atomic("agents", "list");
    expect(agents.stdout).toEndWith(
      "\n\nWrite your own in .atomic/agents/NAME.md, or use those of Claude Code, OpenCode and Copilot.\n",
    );
    expect(await empty.atomic("commands", "list")).toEqual({
      exitCode: 0,
      stdout:
        "No commands were found here. Write your own in .atomic/commands/NAME.md, or use those of Claude Code, OpenCode and Copilot.\n",
      stderr: "",
    });
  } finally {
    await empty.remove();
  }
});

test("as JSON, a list has all facts except the prompts, and the problems", async () => {
  const { exitCode, stdout, stderr } = await call("commands", "list", "--json");
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  const source = { provider: "claude", location: "project" };
  expect(JSON.parse(stdout)).toEqual({
    commands: [
      {
        type: "command",
        name: "git:commit",
        description: "Commit $ARGUMENTS",
        argumentHint: "[message] | --amend",
        source: { ...source, path: "<root>/project/.claude/commands/git/commit.md" },
      },
      {
        type: "command",
        name: "hollow",
        description: "Hollow",
        source: { ...source, path: "<root>/project/.claude/commands/hollow.md" },
      },
    ],
    problems: [
      {
        path: "<root>/project/.claude/commands/hollow.md",
        message: "Nothing follows the frontmatter",
        remedy: "Correct the file; for now, only its readable part is used.",
        severity: "warning",
        types: ["command"],
      },
      {
        path: "<root>/project/opencode.json",
        line: 2,
        column: 12,
        message: "It is not valid JSON: value expected",
        remedy: "Correct the file.",
        severity: "error",
        types: ["agent", "command"],
      },
    ],
  });
});

test("as JSON, a shadowed definition names the source of the other one", async () => {
  const { stdout } = await call("agents", "list", "--all", "--json");
  const { agents } = JSON.parse(stdout) as { agents: readonly { name: string; shadowedBy?: unknown }[] };
  const used = { provider: "claude", location: "project", path: "<root>/project/.claude/agents/check.md" };
  expect(agents.slice(0, 3).map(({ name, shadowedBy }) => [name, shadowedBy])).toEqual([
    ["check", undefined],
    ["check", used],
    ["Check", used],
  ]);
});

test("a definition is shown with all that its file says, by its name in any case", async () => {
  expect(await call("agents", "show", "CHECK")).toEqual({
    exitCode: 0,
    stdout: [
      "Name        check",
      "Description Checks",
      "From        claude, project",
      "File        <root>/project/.claude/agents/check.md",
      "Model       opus",
      "Tools       Read, Bash(git:*)",
      "",
      "Check it.",
      "",
    ].join("\n"),
    stderr: "",
  });
  const command = await call("commands", "show", "/git:commit");
  expect(command.stdout).toContain("\nArguments   [message] | --amend\n\nCommit $ARGUMENTS\n");
  const builtIn = await call("skills", "show", "commit");
  expect(builtIn.stdout).toStartWith(
    "Name        commit\nDescription Commit the changes with a good message\nFrom        built-in\nArguments   [instructions]\n\nCommit the changes in this repository.\n",
  );
});

test.each([
  { fields: "tools: { write: true, edit: false }", tools: "all, but never edit, write" },
  { fields: 'permission: { "*": deny, read: allow }', tools: "read" },
  { fields: "permission: { edit: deny, bash: deny }", tools: "all, but never edit, write, bash" },
  { fields: "permission: deny", tools: "none" },
])("a definition with $fields is shown with the limit in force: $tools", async ({ fields, tools }) => {
  await environment.write({ "project/.opencode/agent/limited.md": `---\ndescription: Works\n${fields}\n---\nWork.\n` });
  const { stdout } = await call("agents", "show", "limited");
  expect(stdout).toContain(`\nTools       ${tools}\n`);
});

test("as JSON, a definition has its prompt and the fields of its file", async () => {
  const { stdout } = await call("agents", "show", "check", "--json");
  expect(JSON.parse(stdout)).toEqual({
    type: "agent",
    name: "check",
    description: "Checks",
    prompt: "Check it.",
    tools: ["read", "bash"],
    vendorTools: ["Read", "Bash(git:*)"],
    model: "opus",
    vendorModel: "opus",
    fields: { name: "check", description: "Checks", model: "opus", tools: "Read, Bash(git:*)" },
    source: { provider: "claude", location: "project", path: "<root>/project/.claude/agents/check.md" },
  });
});

test.each([
  { args: ["agents", "show", "chekc"], message: 'There is no agent "chekc".', hint: 'Did you mean "check"?' },
  { args: ["skills", "run", "pfd"], message: 'There is no skill "pfd".', hint: 'Did you mean "pdf"?' },
  { args: ["commands", "run", "zzzzzz"], message: 'There is no command "zzzzzz".', hint: undefined },
])("an unknown name is a usage error with the nearest name: $args", async ({ args, message, hint }) => {
  const lines = [`error: ${message}`, hint, `See all of them: atomic ${args[0]} list`, "(USAGE)"];
  expect(await call(...args)).toEqual({
    exitCode: 2,
    stdout: "",
    stderr: `${lines.filter((line) => line !== undefined).join("\n       ")}\n`,
  });
});

test.each([
  {
    args: ["commands", "run", "pdf"],
    message: 'There is no command "pdf".',
    hint: "It is a skill: atomic skills run pdf",
  },
  {
    args: ["skills", "run", "check"],
    message: 'There is no skill "check".',
    hint: 'It is an agent: atomic agents run check "…"',
  },
  {
    args: ["run", "check"],
    message: 'There is no workflow "check".',
    hint: 'It is an agent: atomic agents run check "…"',
  },
  {
    args: ["-p", "Hi", "--agent", "check"],
    message: 'No program is the agent "check".',
    hint: 'It is a definition, which any of them can use: atomic agents run check "…"',
  },
])("a name of another type is named with its call: $args", async ({ args, message, hint }) => {
  // It is not the file that defines the name.
  await environment.writeWorkflows({ broken: "export default (" });
  const { exitCode, stdout, stderr } = await call(...args);
  expect({ exitCode, stdout, lines: stderr.split("\n       ").slice(0, 2) }).toEqual({
    exitCode: 2,
    stdout: "",
    lines: [`error: ${message}`, hint],
  });
});

test("control sequences in a definition do not reach the terminal", async () => {
  await environment.write({
    "project/.claude/commands/red.md":
      '---\ndescription: "a \\u001b[31mred\\u001b]0;x\\u0007 b"\n---\nSay \u001b[31mred.',
  });
  const listed = await call("commands", "list");
  const shown = await call("commands", "show", "red");
  expect(listed.stdout + shown.stdout).not.toContain("\u001b");
  expect(shown.stdout).toContain("\nSay red.\n");
});

test("an agent is shown with the calls that OpenCode's permission denies", async () => {
  const permission = { bash: { "*": "ask", "git push*": "deny" } };
  await environment.write({
    "project/.opencode/agent/careful.md": `---\ndescription: A\npermission: ${JSON.stringify(permission)}\n---\nWork.\n`,
    "project/opencode.json": JSON.stringify({ agent: { ready: { prompt: "Work.", permission } } }),
  });
  for (const name of ["careful", "ready"]) {
    const { stdout } = await call("agents", "show", name);
    expect(stdout.split("\n")).toContain("Tools       all, but never bash(git push*)");
  }
});

test("the layers of one OpenCode agent are no agents of the same name", async () => {
  await environment.write({
    "project/opencode.json": JSON.stringify({ agent: { ship: { prompt: "Ship.", tools: { bash: false } } } }),
    "project/.opencode/agent/ship.md": "---\ndescription: Ships\n---\nShip it.",
  });
  const { stdout, stderr } = await call("agents", "show", "ship");
  expect([stdout.split("\n"), stderr]).toEqual([expect.arrayContaining(["Tools       all, but never bash"]), ""]);
});

test("show and run warn of another agent with the same name in the same folder", async () => {
  await environment.write({
    "project/.claude/agents/one.md": "---\nname: twin\ndescription: A\n---\nFirst.\n",
    "project/.claude/agents/two.md": "---\nname: Twin\ndescription: B\n---\nSecond.\n",
  });
  const folder = "<root>/project/.claude/agents";
  const warning = `warning: The agent "twin" is also defined in ${folder}/two.md; ${folder}/one.md is used. Rename or remove one of them.`;
  for (const args of [
    ["show", "twin"],
    ["run", "twin", "Go.", "--agent", "none"],
  ]) {
    const { stderr } = await call("agents", ...args);
    expect(stderr.split("\n")).toContain(warning);
  }
  expect((await call("agents", "show", "check")).stderr).toBe("");
});
