import { afterEach, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { ATOMIC_METADATA, RALPH_METADATA, REVIEW_METADATA, WRITE_METADATA } from "../../workflows/index.ts";
import { TestEnvironment } from "../fixtures/test-environment.ts";
import { GATE, GREET } from "../fixtures/workflow-files.ts";

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
});
afterEach(() => environment.remove());

test("the list has the project's, the user's and the built-in workflows, in the order of precedence", async () => {
  await environment.writeWorkflows({ greet: GREET });
  await environment.write({ "home/.atomic/workflows/gate.ts": `export const argumentHint = "TOPIC\\n";\n${GATE}` });
  expect(await environment.atomic("workflows", "list")).toEqual({
    exitCode: 0,
    stdout: [
      "WORKFLOW  ALIASES  ARGUMENTS                                   SOURCE   DESCRIPTION",
      "greet     hello                                                local    Greets",
      "gate               TOPIC                                       global   Custom workflow: gate",
      'ralph     loop     "<prompt-or-spec-path>" [--verify COMMAND]  builtin  Plan a piece of work, implement it task by task, and verify the result',
      'atomic             "<prompt-or-path>"                          builtin  Research a task, write a specification, have it approved, then implement it and open a pull request',
      "review             [--input base=BRANCH]                       builtin  Review the changes of a branch, and have another agent check each finding",
      'write              "<task-or-path>"                            builtin  Have an agent write a workflow script for a task, check it, and run it when you approve',
      "",
    ].join("\n"),
    stderr: "",
  });
});

test("as JSON the list has the metadata, the problems and the files that were not loaded", async () => {
  await environment.write({ "home/.atomic/workflows/broken.ts": "export default (" });
  await environment.write({ "project/.atomic/workflows/greet.ts": GREET });
  const { exitCode, stdout, stderr } = await environment.atomic("workflows", "list", "--json");
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(JSON.parse(stdout)).toEqual({
    workflows: [RALPH_METADATA, ATOMIC_METADATA, REVIEW_METADATA, WRITE_METADATA],
    claudeScripts: [],
    problems: [
      {
        path: join(environment.atomicHome, "workflows", "broken.ts"),
        line: 1,
        column: 16,
        message: "Syntax error: Unexpected end of file.",
        remedy: "Correct the file; the rest of it has not been looked at.",
        severity: "error",
      },
    ],
    untrusted: [join(environment.project, ".atomic/workflows/greet.ts")],
  });
});

test("broken files are reported on stderr, and --trust is remembered", async () => {
  await environment.write({
    "project/.atomic/workflows/greet.ts": GREET,
    "project/.atomic/workflows/broken.ts": "export default (",
  });
  const before = await environment.atomic("workflows", "list");
  expect(before.stderr).toBe(
    "note: 2 workflow files of this project were not loaded, because the project is not trusted. Look at them, then call again with --trust.\n",
  );
  const trusted = await environment.atomic("workflows", "list", "--trust");
  const problem =
    "error: <root>/project/.atomic/workflows/broken.ts:1:16: Syntax error: Unexpected end of file. Correct the file; the rest of it has not been looked at.\n";
  expect(environment.normalise(trusted.stderr)).toBe(`Trusted <root>/project.\n${problem}`);
  const again = await environment.atomic("workflows", "list");
  expect({ ...again, stderr: environment.normalise(again.stderr) }).toEqual({ ...trusted, stderr: problem });
});

test("scripts for Claude Code are listed with their source, and run on any agent", async () => {
  const script =
    'export const meta = { name: "speed-up", description: "Finds what is slow" };\nreturn await agent("x");';
  await environment.write({
    "project/.claude/workflows/speed.js": script,
    "project/.claude/workflows/broken.js": "export const meta = {",
    "home/.claude/workflows/ralph.js": 'export const meta = { description: "Mine" };',
  });
  const { exitCode, stdout, stderr } = await environment.atomic("workflows", "list");
  expect({ exitCode, stdout, stderr: environment.normalise(stderr) }).toEqual({
    exitCode: 0,
    stdout: [
      "WORKFLOW  ALIASES  ARGUMENTS                                   SOURCE          DESCRIPTION",
      'ralph     loop     "<prompt-or-spec-path>" [--verify COMMAND]  builtin         Plan a piece of work, implement it task by task, and verify the result',
      'atomic             "<prompt-or-path>"                          builtin         Research a task, write a specification, have it approved, then implement it and open a pull request',
      "review             [--input base=BRANCH]                       builtin         Review the changes of a branch, and have another agent check each finding",
      'write              "<task-or-path>"                            builtin         Have an agent write a workflow script for a task, check it, and run it when you approve',
      "speed-up                                                       local, script   Finds what is slow",
      "ralph                                                          global, script  Mine",
      "",
    ].join("\n"),
    stderr: [
      "error: <root>/project/.claude/workflows/broken.js:1:22: Syntax error: Unexpected token. Correct the file.\n",
      'warning: <root>/home/.claude/workflows/ralph.js: The script is not started by its name: "ralph" is the name of a workflow. ',
      "Run the script by its path, or name it otherwise.\n",
    ].join(""),
  });
  for (const name of ["speed-up", ".claude/workflows/speed.js"]) {
    expect((await environment.atomic("run", name, "--agent", "scripted", "--trust")).exitCode).toBe(0);
  }
  // A workflow of Atomic's own comes first.
  expect((await environment.atomic("run", "ralph", "x", "--agent", "scripted")).exitCode).toBe(0);
});

test("a script whose name is an alias of a workflow is not what the name starts, which a warning says", async () => {
  await environment.write({
    "project/.claude/workflows/loop.js": 'export const meta = { description: "Mine" };\nreturn await agent("x");',
  });
  const run = await environment.atomic("run", "LOOP", "--plan", "--trust");
  expect([run.exitCode, environment.normalise(run.stderr)]).toEqual([
    0,
    'Trusted <root>/project.\nwarning: <root>/project/.claude/workflows/loop.js: The script is not started by its name: "LOOP" is an alias of the workflow "ralph". Run the script by its path, or name it otherwise.\n',
  ]);
  const byPath = await environment.atomic("run", ".claude/workflows/loop.js", "--agent", "scripted");
  expect([byPath.exitCode, byPath.stderr]).toEqual([0, expect.stringMatching(/^▶ loop /)]);
});

test("scripts of an installed Claude plugin are listed verified and run by the plugin's name", async () => {
  const installPath = `${environment.root}/plugins/good`;
  const file = "<root>/plugins/good/workflows/fly.js";
  await environment.write({
    "home/.claude/plugins/installed_plugins.json": JSON.stringify({ plugins: { "good@shop": [{ installPath }] } }),
    "plugins/good/workflows/fly.js": 'export const meta = { name: "fly", description: "Flies" };\nimport "node:fs";',
  });
  const problem = `error: ${file}:2:1: A script cannot import anything. Remove the import: a script has only the functions that its runtime provides.\n`;
  const broken = await environment.atomic("workflows", "verify");
  expect([broken.exitCode, environment.normalise(broken.stderr)]).toEqual([1, problem]);
  await environment.write({ "plugins/good/workflows/fly.js": 'export const meta = { description: "Flies" };' });
  const { claudeScripts, problems } = JSON.parse((await environment.atomic("workflows", "list", "--json")).stdout);
  expect({ claudeScripts, problems }).toEqual({
    claudeScripts: [
      { name: "good:fly", description: "Flies", phases: [], source: "global", path: `${installPath}/workflows/fly.js` },
    ],
    problems: [],
  });
  expect((await environment.atomic("run", "good:fly", "--agent", "scripted")).exitCode).toBe(0);
});

test("a file of the design documents, which requires Atomic 0.4.19, is a workflow; one for a later Atomic is not", async () => {
  await environment.writeWorkflows({
    old: `${GATE}export const minSDKVersion = "0.4.19";`,
    late: `${GATE}export const minSDKVersion = "99.0.0";`,
  });
  const { stdout, stderr } = await environment.atomic("workflows", "list");
  expect(stdout.split("\n")[1]?.replace(/ +/g, " ")).toBe("old local Custom workflow: old");
  expect(stdout).not.toContain("late");
  expect(stderr).toContain("late.ts:");
  expect((await environment.atomic("run", "old")).exitCode).toBe(3);
  expect((await environment.atomic("run", "late")).stderr).toContain("99.0.0");
});
