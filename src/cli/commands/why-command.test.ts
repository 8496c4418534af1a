import { afterEach, beforeEach, expect, test } from "bun:test";
import { createProjectPermissions } from "../agents/permission-memory.ts";
import { writePermissionSettings } from "../fixtures/permission-settings.ts";
import { TestEnvironment } from "../fixtures/test-environment.ts";

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
  await writePermissionSettings(environment);
});
afterEach(() => environment.remove());

test("why says what the policy makes of a command line, command by command and rule by rule", async () => {
  const { exitCode, stdout } = await environment.atomic("permissions", "why", "npm test && rm -rf build");
  expect(exitCode).toBe(1);
  expect(stdout).toBe(
    [
      'denied: Rule 1 denies it: the command "rm -rf build" matches "rm *".',
      "",
      "Command by command:",
      '  npm test: requires approval. No rule matches, so it requires approval ("otherwise": "ask").',
      '  rm -rf build: denied. Rule 1 denies it: the command "rm -rf build" matches "rm *".',
      "",
      "Rules, the strictest first:",
      '  1. deny shell: rm *: the command "rm -rf build" matches "rm *"',
      '  2. allow edit, read: src/**: it is about "edit", "read", and this is "shell"',
      "",
    ].join("\n"),
  );
});

test.each([
  { args: ["ls"], exitCode: 3, starts: "requires approval: " },
  { args: ["ls", "--allow", "shell:ls*"], exitCode: 0, starts: "allowed: Rule 3 allows it" },
  { args: ["ls", "--yolo"], exitCode: 0, starts: "allowed: " },
  { args: ["--kind", "edit", "--path", "src/main.ts"], exitCode: 0, starts: "allowed: Rule 2 allows it" },
  { args: ["--kind", "edit", "--path", "../x"], exitCode: 3, starts: "requires approval: " },
  { args: ["--kind", "read", "--path", "README.md"], exitCode: 0, starts: "allowed: No rule matches it, and reading" },
  {
    args: ["--kind", "edit", "--path", ".claude/settings.json", "--allow", "edit"],
    exitCode: 3,
    starts: "requires approval: The file",
  },
  {
    args: ["--kind", "edit", "--path", "deploy/run.sh", "--allow", "edit"],
    exitCode: 3,
    starts: "requires approval: The file",
  },
  {
    args: ["--tool", "CronCreate"],
    exitCode: 3,
    starts: "requires approval: No rule",
  },
])("why $args", async ({ args, exitCode, starts }) => {
  const result = await environment.atomic("permissions", "why", ...args);
  expect({ exitCode: result.exitCode, stderr: result.stderr }).toEqual({ exitCode, stderr: "" });
  expect(result.stdout).toStartWith(starts);
});

test("a call that requires approval says that it is denied if nobody can answer, and why this read is special", async () => {
  const env = await environment.atomic("permissions", "why", "--kind", "read", "--path", ".env");
  expect(environment.normalise(env.stdout)).toStartWith(
    'requires approval: No rule matches, and "<root>/project/.env" may hold secrets, by its name, so it requires approval ("otherwise": "ask").\nIt is denied if nobody can answer.\n',
  );
  const outside = await environment.atomic("permissions", "why", "--kind", "read", "--path", "/etc/hosts");
  expect(outside.stdout).toStartWith(
    'requires approval: No rule matches, and "/etc/hosts" is outside of the working directory, so it requires approval',
  );
});

test("a search says which files it leaves out", async () => {
  await environment.write({ "project/.env": "KEY=1", "project/lib/a.ts": "" });
  const search = await environment.atomic("permissions", "why", "--search");
  expect({ exitCode: search.exitCode, lines: search.stdout.split("\n").slice(0, 5) }).toEqual({
    exitCode: 0,
    lines: [
      "allowed: No rule matches it, and reading in the working directory is allowed.",
      "",
      "The search leaves out:",
      "  .env",
      "A search that cannot leave files out, such as one for file names, requires approval.",
    ],
  });
  const denied = await environment.atomic("permissions", "why", "--search", "--deny", "read:**/.env", "--json");
  expect(JSON.parse(denied.stdout)).toMatchObject({
    ...{ effect: "allow", leftOut: [".env"], effectWithoutLeavingOut: "deny", reached: [], isComplete: true },
  });
});

test("a search that is limited by the call says which files make it require approval", async () => {
  await environment.write({ "project/.env": "KEY=1", "project/lib/a.ts": "" });
  const search = await environment.atomic("permissions", "why", "--include", "**");
  expect(search.exitCode).toBe(3);
  expect(environment.normalise(search.stdout)).toContain("\nThe search would read:\n  <root>/project/.env\n");
  const limited = await environment.atomic("permissions", "why", "--include", "*.ts", "--json");
  expect(JSON.parse(limited.stdout)).toMatchObject({ effect: "allow", reached: [], leftOut: [], isComplete: true });
});

test("a call that was allowed for good is allowed", async () => {
  const { exitCode, stdout } = await environment.atomic("permissions", "why", "npm test");
  expect(exitCode).toBe(0);
  expect(stdout).toStartWith(
    'allowed: You allowed this very call of the tool "bash" for good in this project, on 2026-01-01. Otherwise: No rule matches, so it requires approval ("otherwise": "ask").\n\nRules',
  );
  const json = JSON.parse((await environment.atomic("permissions", "why", "npm test", "--json")).stdout);
  expect([json.effect, json.isRemembered]).toEqual(["allow", true]);
  // Another agent's shell has another name, and what was allowed for good is about one of them.
  expect((await environment.atomic("permissions", "why", "npm test", "--tool", "Bash")).exitCode).toBe(3);
  expect((await environment.atomic("permissions", "why", "npm test", "--deny", "shell:npm *")).exitCode).toBe(1);
});

test("a change of a protected file requires approval each time, although rules allow edits and it was allowed for good", async () => {
  const { atomicHome, project } = environment;
  const path = `${project}/package.json`;
  const call = { id: "p", sessionId: "s", kind: "edit", toolName: "edit", title: "edit", paths: [path] } as const;
  await createProjectPermissions({ atomicHome, projectDirectory: project }).allow(call);
  const args = ["permissions", "why", "--kind", "edit", "--path", path, "--tool", "edit", "--allow", "edit"];
  expect((await environment.atomic(...args)).exitCode).toBe(3);
});

test("Atomic's own folder is protected as in a run, whatever it is called", async () => {
  const ATOMIC_HOME = `${environment.root}/state`;
  const args = ["permissions", "why", "--kind", "edit", "--path", `${ATOMIC_HOME}/config.json`];
  const { exitCode, stdout } = await environment.start([...args, "--allow", `edit:${environment.root}/**`], {
    env: { ATOMIC_HOME },
  }).ended;
  expect(exitCode).toBe(3);
  expect(stdout).toContain(`is protected by "${ATOMIC_HOME.slice(1)}"`);
});

test("a path that is another file for each process is denied, as in a run", async () => {
  const args = ["permissions", "why", "--kind", "read", "--path", "/proc/self/environ", "--yolo"];
  const { exitCode, stdout } = await environment.atomic(...args);
  expect({ exitCode, stdout: stdout.split("\n")[0] }).toEqual({
    exitCode: 1,
    stdout: 'denied: "/proc/self/environ" means another file to each process. Name the file itself.',
  });
});

test("with unreadable remembered calls, why decides as a run would and says so; listing them is an error", async () => {
  await environment.write({ "home/.atomic/allowed-calls.json": '{"version":2}' });
  const problem = `What you allowed for good cannot be read from ${environment.atomicHome}/allowed-calls.json: `;
  const why = await environment.atomic("permissions", "why", "npm test");
  expect({ exitCode: why.exitCode, stderr: why.stderr }).toEqual({ exitCode: 3, stderr: "" });
  expect(why.stdout).toStartWith(
    `requires approval: No rule matches, so it requires approval ("otherwise": "ask").\nIt is denied if nobody can answer.\n${problem}`,
  );
  const json = JSON.parse((await environment.atomic("permissions", "why", "npm test", "--json")).stdout);
  expect([json.effect, json.isRemembered, json.memoryProblem]).toEqual([
    ...["ask", false],
    expect.stringContaining(problem),
  ]);
  const list = await environment.atomic("permissions", "list");
  expect({ exitCode: list.exitCode, stdout: list.stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(list.stderr).toEndWith("       (PERMISSION_MEMORY_BROKEN)\n");
});

test.each([
  { args: [], says: "Say which command: " },
  { args: ["--kind", "edti"], says: '"edti" is not a kind of call. Did you mean "edit"?' },
  { args: ["--kind", "edit", "--search"], says: 'Only a call of the kind "read" searches, and this is "edit".' },
  { args: ["ls", "--kind", "edit"], says: 'A call of the kind "edit" has no command.' },
])("a wrong call is rejected: $args", async ({ args, says }) => {
  const { exitCode, stderr } = await environment.atomic("permissions", "why", ...args);
  expect(exitCode).toBe(2);
  expect(stderr.replaceAll("\n       ", " ")).toStartWith(`error: ${says}`);
});
