import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdir, readdir, readFile, symlink, truncate } from "node:fs/promises";
import { join } from "node:path";
import { type CallResult, TestEnvironment } from "../fixtures/test-environment.ts";

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
});
afterEach(() => environment.remove());

const SESSIONS = "project/.ralph/sessions";

function session(...features: readonly object[]): string {
  return JSON.stringify({ sessionId: "old", status: "paused", features });
}

const OPEN = session(
  { id: "f1", name: "Add X", description: "Add X", status: "passing" },
  { id: "f2", name: "Add Y", description: "Add Y", status: "failing" },
);

async function migrate(...args: readonly string[]): Promise<CallResult> {
  const { exitCode, stdout, stderr } = await environment.start(["migrate", "ralph-sessions", ...args], {
    workingDirectory: "project",
  }).ended;
  const normalise = (text: string): string => text.replaceAll(environment.root, "<root>");
  return { exitCode, stdout: normalise(stdout), stderr: normalise(stderr) };
}

async function statusesIn(path: string): Promise<readonly string[]> {
  const { tasks } = JSON.parse(await readFile(join(environment.project, path), "utf8"));
  return tasks.map(({ id, status }: { id: string; status: string }) => `${id} ${status}`);
}

test("each old session becomes a list that Ralph takes, and stays as it is", async () => {
  const done = session({ id: "1", name: "Add Z", description: "Add Z", status: "passing" });
  await environment.write({ [`${SESSIONS}/a b/session.json`]: OPEN, [`${SESSIONS}/done/session.json`]: done });
  await environment.write({ [`${SESSIONS}/notes.txt`]: "mine" });
  expect(await migrate()).toEqual({
    exitCode: 0,
    stdout: [
      "Wrote 2 tasks, 1 passing, to <root>/project/.ralph/migrated/a b/tasks.json",
      "  Continue: atomic ralph '.ralph/migrated/a b/tasks.json'",
      "Wrote 1 task, 1 passing, to <root>/project/.ralph/migrated/done/tasks.json",
      "  Nothing is left to do.",
      "",
    ].join("\n"),
    stderr: "",
  });
  expect(await statusesIn(".ralph/migrated/a b/tasks.json")).toEqual(["f1 passing", "f2 pending"]);
  expect(await readdir(join(environment.root, SESSIONS, "a b"))).toEqual(["session.json"]);
  expect(await readFile(join(environment.root, SESSIONS, "a b/session.json"), "utf8")).toBe(OPEN);
});

test("a list that exists is not replaced without --force", async () => {
  await environment.write({ [`${SESSIONS}/a/session.json`]: OPEN, "project/.ralph/migrated/a/tasks.json": "mine" });
  expect(await migrate()).toEqual({
    exitCode: 2,
    stdout: "",
    stderr: [
      "error: 1 of 1 old sessions could not be converted:",
      "         - a: <root>/project/.ralph/migrated/a/tasks.json exists already. Replace it with --force, or name another folder with --output.",
      "       (RALPH_SESSIONS_NOT_MIGRATED)",
      "",
    ].join("\n"),
  });
  expect(await readFile(join(environment.project, ".ralph/migrated/a/tasks.json"), "utf8")).toBe("mine");
  expect((await migrate("--force")).exitCode).toBe(0);
  expect(await statusesIn(".ralph/migrated/a/tasks.json")).toEqual(["f1 passing", "f2 pending"]);
});

test("other folders, as JSON", async () => {
  await environment.write({ "project/old/a/session.json": OPEN });
  const { exitCode, stdout } = await migrate("old", "--output", "new", "--json");
  expect({ exitCode, json: JSON.parse(stdout) }).toEqual({
    exitCode: 0,
    json: {
      type: "migrated",
      from: "<root>/project/old/a/session.json",
      to: "<root>/project/new/a/tasks.json",
      tasks: 2,
      passing: 1,
    },
  });
});

test("a damaged session is one problem, and the others are converted", async () => {
  const outside = join(environment.root, "outside");
  await environment.write({
    "outside/session.json": OPEN,
    [`${SESSIONS}/empty/session.json`]: "",
    [`${SESSIONS}/huge/session.json`]: "",
    [`${SESSIONS}/none/session.json`]: session(),
    [`${SESSIONS}/open/session.json`]: OPEN,
    [`${SESSIONS}/types/session.json`]: '{"features":[{"name":1},{"name":2}]}',
  });
  for (const name of ["bare", "inner", "pipe/session.json"])
    await mkdir(join(environment.root, SESSIONS, name), { recursive: true });
  await truncate(join(environment.root, SESSIONS, "huge/session.json"), 1_000_000_000);
  await symlink(outside, join(environment.root, SESSIONS, "linked"));
  await symlink(join(outside, "session.json"), join(environment.root, SESSIONS, "inner/session.json"));
  const { exitCode, stdout, stderr } = await migrate();
  expect([exitCode, stdout.split("\n")[0]]).toEqual([
    2,
    "Wrote 2 tasks, 1 passing, to <root>/project/.ralph/migrated/open/tasks.json",
  ]);
  expect(stderr.trim().split("\n")).toEqual([
    "error: 8 of 9 old sessions could not be converted:",
    "         - bare: Its session.json cannot be read: it does not exist.",
    "         - empty: line 1, column 1: expected a value.",
    "         - huge: Its session.json cannot be read: it is larger than 1048576 bytes.",
    "         - inner: <root>/project/.ralph/sessions/inner/session.json is a link to <root>/outside/session.json, which is not followed.",
    "         - linked: <root>/project/.ralph/sessions/linked is a link to <root>/outside, which is not followed.",
    "         - none: It has no tasks.",
    "         - pipe: Its session.json cannot be read: it is not a regular file.",
    "         - types: features[0].name: expected string, received number. (and 1 more)",
    "       (RALPH_SESSIONS_NOT_MIGRATED)",
  ]);
});

test("nothing is written through a link in the project", async () => {
  await environment.write({ "outside/sessions/a/session.json": OPEN });
  await symlink(join(environment.root, "outside"), join(environment.project, ".ralph"));
  expect((await migrate()).stderr).toContain("A link leads from <root>/project/.ralph to <root>/outside.");
  await environment.write({ "project/old/sessions/a/session.json": OPEN });
  await symlink(join(environment.root, "outside"), join(environment.project, "old/migrated"));
  expect((await migrate("old/sessions")).stderr.replace(/\s+/g, " ")).toContain(
    "<root>/project/old/migrated is a link to <root>/outside, which is not followed.",
  );
  expect(await readdir(join(environment.root, "outside"))).toEqual(["sessions"]);
});

test("a folder without sessions, and none at all, are errors", async () => {
  const missing = await migrate();
  expect([missing.exitCode, missing.stderr.replace(/\s+/g, " ").trim()]).toEqual([
    2,
    "error: The old sessions in <root>/project/.ralph/sessions cannot be read: it does not exist. Name their folder: atomic migrate ralph-sessions path/to/sessions (USAGE)",
  ]);
  await mkdir(join(environment.root, SESSIONS), { recursive: true });
  expect((await migrate()).stderr).toContain("There is no old session in <root>/project/.ralph/sessions.");
});
