import { afterEach, beforeEach, expect, test } from "bun:test";
import { readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { type CallResult, TestEnvironment } from "../fixtures/test-environment.ts";

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
});
afterEach(() => environment.remove());

const LIST = JSON.stringify([{ description: "Add X", passes: true }, { description: "Add Y" }]);

async function migrate(...args: readonly string[]): Promise<CallResult> {
  const { exitCode, stdout, stderr } = await environment.start(["migrate", "feature-list", ...args], {
    workingDirectory: "project",
  }).ended;
  const normalise = (text: string): string => text.replaceAll(environment.root, "<root>");
  return { exitCode, stdout: normalise(stdout), stderr: normalise(stderr) };
}

async function namesIn(path: string): Promise<readonly string[]> {
  const { tasks } = JSON.parse(await readFile(join(environment.project, path), "utf8"));
  return tasks.map(({ name, status }: { name: string; status: string }) => `${name} ${status}`);
}

test("the list of earlier versions becomes the tasks.json beside it, which is not replaced by the next call", async () => {
  await environment.write({ "project/research/feature-list.json": LIST });
  expect(await migrate()).toEqual({
    exitCode: 0,
    stdout: "Wrote 2 tasks, 1 passing, to <root>/project/research/tasks.json\n",
    stderr: "",
  });
  expect(await namesIn("research/tasks.json")).toEqual(["Add X passing", "Add Y pending"]);
  expect(await migrate()).toEqual({
    exitCode: 2,
    stdout: "",
    stderr:
      "error: <root>/project/research/tasks.json exists already.\n       Name another file with --output, or replace it with --force.\n       (USAGE)\n",
  });
  expect((await migrate("--force")).exitCode).toBe(0);
  expect(await readFile(join(environment.project, "research/feature-list.json"), "utf8")).toBe(LIST);
});

test("another list goes to another file, as JSON", async () => {
  await environment.write({ "project/old.json": JSON.stringify({ features: [{ description: "Add X" }] }) });
  const { exitCode, stdout } = await migrate("old.json", "--output", "new/list.json", "--json");
  expect({ exitCode, json: JSON.parse(stdout) }).toEqual({
    exitCode: 0,
    json: {
      type: "migrated",
      from: "<root>/project/old.json",
      to: "<root>/project/new/list.json",
      tasks: 1,
      passing: 0,
    },
  });
  expect(await namesIn("new/list.json")).toEqual(["Add X pending"]);
});

test("a list without features, and a duplicate id", async () => {
  await environment.write({ "project/old.json": "[]" });
  expect((await migrate("old.json")).stdout).toBe("Wrote 0 tasks, 0 passing, to <root>/project/tasks.json\n");
  await environment.write({ "project/old.json": '[{"id":1,"description":"A"},{"id":1,"description":"B"}]' });
  const { exitCode, stderr } = await migrate("old.json", "--force");
  expect({ exitCode, problem: stderr.split("\n")[2] }).toEqual({
    exitCode: 2,
    problem: '         - The id "1" is used 2 times, by the tasks at 1, 2.',
  });
});

test.each([
  { title: "is missing", path: undefined, place: "project/research/feature-list.json", reason: "it does not exist" },
  { title: "is a folder", path: ".", place: "project", reason: "it is not a regular file" },
])("a list that $title is an error in plain words", async ({ path, place, reason }) => {
  const { exitCode, stderr } = await migrate(...(path === undefined ? [] : [path]));
  expect({ exitCode, stderr: stderr.replace(/\s+/g, " ") }).toEqual({
    exitCode: 2,
    stderr: `error: The feature list <root>/${place} cannot be read: ${reason}. Name its file: atomic migrate feature-list path/to/feature-list.json (USAGE) `,
  });
});

test("a link in the place of the folder is not followed, unless the file to write is named", async () => {
  await environment.write({ "outside/feature-list.json": LIST });
  await symlink(join(environment.root, "outside"), join(environment.project, "research"));
  expect(await migrate()).toEqual({
    exitCode: 2,
    stdout: "",
    stderr: [
      "error: A link leads from <root>/project/research to <root>/outside.",
      "       Name the place to write to with --output.",
      "       (USAGE)",
      "",
    ].join("\n"),
  });
  expect((await migrate("--output", "tasks.json")).exitCode).toBe(0);
  expect(await namesIn("tasks.json")).toEqual(["Add X passing", "Add Y pending"]);
});

test("a list that never ends is not read", async () => {
  const { exitCode, stderr } = await migrate("/dev/zero");
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining("it is not a regular file")]);
});

test("a broken list is one error", async () => {
  await environment.write({ "project/old.json": '[{ "passes": 1 }]' });
  const { exitCode, stderr } = await migrate("old.json");
  expect([exitCode, stderr]).toEqual([
    2,
    [
      "error: The feature list <root>/project/old.json cannot be converted.",
      "       Correct the following:",
      "         - [0].description: expected string, received undefined.",
      "         - [0].passes: expected boolean, received number.",
      "       (FEATURE_LIST_INVALID)",
      "",
    ].join("\n"),
  ]);
});
