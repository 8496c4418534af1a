import { afterEach, beforeEach, expect, test } from "bun:test";
import { OUTSIDE_FILES, PROTECTED_FILES } from "../../clients/index.ts";
import { TestEnvironment } from "../fixtures/test-environment.ts";
import { createProjectPermissions } from "../permission-memory.ts";

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
  await environment.write({
    "home/.atomic/config.json": JSON.stringify({
      permissions: {
        rules: [
          { effect: "deny", tools: ["shell"], commands: ["rm *"] },
          { effect: "allow", tools: ["edit", "read"], paths: ["src/**"] },
        ],
        protectedPaths: ["deploy/**"],
      },
    }),
  });
  const { atomicHome, project } = environment;
  const memory = createProjectPermissions({ atomicHome, projectDirectory: project, clock: () => Date.UTC(2026, 0, 1) });
  await memory.allow({
    id: "p",
    sessionId: "s",
    kind: "shell",
    toolName: "bash",
    title: "bash: npm test",
    paths: [],
    command: "npm test",
  });
});
afterEach(() => environment.remove());

test("the rules that hold, what was allowed for good and what is protected are listed", async () => {
  const { exitCode, stdout, stderr } = await environment.atomic("permissions", "list");
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout).toStartWith(
    [
      "EFFECT  WHAT                                                 FROM",
      "deny    shell: rm *                                          settings",
      "allow   edit, read: src/**                                   settings",
      "allow   bash: npm test                                       by you, 2026-01-01",
      "ask     everything else (reading in the project is allowed)  settings",
      "",
      "Changes of these files require approval, unless a rule names them:",
      "  deploy/**",
      "      your settings list it",
      "  **/.claude  **/.claude.json  **/.mcp.json  ",
    ].join("\n"),
  );
  expect(stdout).toEndWith(`  ../**\n      ${OUTSIDE_FILES.reason}\n`);
  const listed = JSON.parse((await environment.atomic("permissions", "list", "--json")).stdout);
  const own = { pattern: "deploy/**", reason: "your settings list it" };
  expect(listed.protectedFiles).toEqual([own, ...PROTECTED_FILES, OUTSIDE_FILES]);
});

test("what was allowed for good can be taken back", async () => {
  const first = await environment.atomic("permissions", "forget");
  expect(first).toEqual({ exitCode: 0, stdout: "Forgotten: 1. You will be asked again.\n", stderr: "" });
  const second = await environment.atomic("permissions", "forget", "--json");
  expect(second).toEqual({ exitCode: 0, stdout: '{"forgotten":0}\n', stderr: "" });
  const listed = JSON.parse((await environment.atomic("permissions", "list", "--json")).stdout);
  expect(listed.remembered).toEqual([]);
});

test("why says what the policy makes of a command line, command by command and rule by rule", async () => {
  const { exitCode, stdout } = await environment.atomic("permissions", "why", "npm test && rm -rf build");
  expect(exitCode).toBe(1);
  expect(stdout).toBe(
    [
      'refused: Rule 1 forbids it: the command "rm -rf build" matches "rm *".',
      "",
      "Command by command:",
      '  npm test: a person is asked; refused where nobody can be asked. No rule matches, so a person is asked ("otherwise": "ask").',
      '  rm -rf build: refused. Rule 1 forbids it: the command "rm -rf build" matches "rm *".',
      "",
      "Rules, the strictest first:",
      '  1. deny shell: rm *: the command "rm -rf build" matches "rm *"',
      '  2. allow edit, read: src/**: it is about "edit", "read", and this is "shell"',
      "",
    ].join("\n"),
  );
});

test.each([
  { args: ["ls"], exitCode: 0, starts: "a person is asked" },
  { args: ["ls", "--allow", "shell:ls*"], exitCode: 0, starts: "allowed: Rule 3 allows it" },
  { args: ["ls", "--yolo"], exitCode: 0, starts: "allowed: " },
  { args: ["--kind", "edit", "--path", "src/main.ts"], exitCode: 0, starts: "allowed: Rule 2 allows it" },
  { args: ["--kind", "edit", "--path", "../x"], exitCode: 0, starts: "a person is asked" },
  { args: ["--kind", "read", "--path", "README.md"], exitCode: 0, starts: "allowed: No rule is about it, and reading" },
  {
    args: ["--kind", "edit", "--path", ".claude/settings.json", "--allow", "edit"],
    exitCode: 0,
    starts: "a person is asked; refused where nobody can be asked: The file",
  },
  {
    args: ["--kind", "edit", "--path", "deploy/run.sh", "--allow", "edit"],
    exitCode: 0,
    starts: "a person is asked; refused where nobody can be asked: The file",
  },
  {
    args: ["--tool", "CronCreate"],
    exitCode: 0,
    starts: "a person is asked; refused where nobody can be asked: No rule",
  },
])("why $args", async ({ args, exitCode, starts }) => {
  const result = await environment.atomic("permissions", "why", ...args);
  expect({ exitCode: result.exitCode, stderr: result.stderr }).toEqual({ exitCode, stderr: "" });
  expect(result.stdout).toStartWith(starts);
});

test("why says which files make a search require approval", async () => {
  await environment.write({ "project/.env": "KEY=1", "project/lib/a.ts": "" });
  const search = await environment.atomic("permissions", "why", "--search");
  expect(search.stdout).toStartWith("a person is asked; refused where nobody can be asked: ");
  expect(environment.normalise(search.stdout)).toEndWith("\nThe search would read:\n  <root>/project/.env\n");
  const limited = await environment.atomic("permissions", "why", "--include", "*.ts", "--json");
  expect(JSON.parse(limited.stdout)).toMatchObject({ effect: "allow", reached: [], isComplete: true });
  const denied = await environment.atomic("permissions", "why", "--search", "--path", ".", "--deny", "read:**/.env");
  expect({ exitCode: denied.exitCode, start: denied.stdout.slice(0, 8) }).toEqual({ exitCode: 1, start: "refused:" });
});

test("why knows what was allowed for good", async () => {
  const { stdout } = await environment.atomic("permissions", "why", "npm test");
  expect(stdout).toContain("You allowed the very same call for good in this project, so nobody is asked.\n");
  const { isRemembered } = JSON.parse((await environment.atomic("permissions", "why", "npm test", "--json")).stdout);
  expect(isRemembered).toBe(true);
});

test("where what was allowed for good cannot be read, why goes on as a run would, and says so; a list of it is refused", async () => {
  await environment.write({ "home/.atomic/allowed-calls.json": '{"version":2}' });
  const problem = `What you allowed for good cannot be read from ${environment.atomicHome}/allowed-calls.json: `;
  const why = await environment.atomic("permissions", "why", "npm test");
  expect({ exitCode: why.exitCode, stderr: why.stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(why.stdout).toStartWith(
    `a person is asked; refused where nobody can be asked: No rule matches, so a person is asked ("otherwise": "ask").\n${problem}`,
  );
  const { isRemembered, memoryProblem } = JSON.parse(
    (await environment.atomic("permissions", "why", "npm test", "--json")).stdout,
  );
  expect({ isRemembered, memoryProblem }).toEqual({
    isRemembered: false,
    memoryProblem: expect.stringContaining(problem),
  });
  const list = await environment.atomic("permissions", "list");
  expect({ exitCode: list.exitCode, stdout: list.stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(list.stderr).toEndWith("       (PERMISSION_MEMORY_BROKEN)\n");
});

test.each([
  { args: [], says: "Say which command: " },
  { args: ["--kind", "edti"], says: '"edti" is no kind of call. Did you mean "edit"?' },
  { args: ["--kind", "edit", "--search"], says: 'Only a call of the kind "read" searches, and this is "edit".' },
  { args: ["ls", "--kind", "edit"], says: 'A call of the kind "edit" has no command.' },
])("a wrong question is refused: $args", async ({ args, says }) => {
  const { exitCode, stderr } = await environment.atomic("permissions", "why", ...args);
  expect(exitCode).toBe(2);
  expect(stderr.replaceAll("\n       ", " ")).toStartWith(`error: ${says}`);
});
