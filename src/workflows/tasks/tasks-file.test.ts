import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmod, mkdtemp, readdir, readFile, realpath, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { type TasksFile, taskListSchema } from "./task.ts";
import { loadTasks, parseTasks, saveTasks, TasksFileError } from "./tasks-file.ts";

let folder = "";
let path = "";
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "atomic-tasks-")));
  path = join(folder, "tasks.json");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const FULL: TasksFile = {
  version: "1.0",
  tasks: [
    { id: "1", name: "Parser", description: "Write it", status: "passing", priority: 1, metadata: { steps: ["a"] } },
    { id: "2", name: "Printer", status: "pending", dependencies: ["1"] },
  ],
  metadata: { createdAt: "2026-02-05T00:00:00Z", updatedAt: "2026-02-05T00:00:00Z", source: "spec" },
};

function problemsIn(value: unknown): unknown {
  try {
    return parseTasks(typeof value === "string" ? value : JSON.stringify(value), "tasks.json");
  } catch (error) {
    return error instanceof Error && "problems" in error ? error.problems : error;
  }
}

test("a whole file is read as it is, with the notes somebody left in it", () => {
  const withNotes = { ...FULL, note: "mine", tasks: FULL.tasks.map((task) => ({ ...task, owner: "ada" })) };
  expect<unknown>(parseTasks(JSON.stringify(withNotes), path)).toEqual(withNotes);
});

test("a field that is almost a known one is misspelled, and other fields are notes", () => {
  const tasks = [
    { id: "1", name: "a", descriptoin: "x", note: "mine", dependson: [] },
    { id: "2", name: "b", dependancies: ["1"], dependencies: [] },
    { id: "3", name: "c", dependancies: ["1"] },
  ];
  expect(() => parseTasks(JSON.stringify({ version: "1.0", tasks }), "/tasks.json")).toThrow(
    new TasksFileError("/tasks.json", [
      'The task at 1 has an unknown field "descriptoin". Did you mean "description"?',
      'The task at 3 has an unknown field "dependancies". Did you mean "dependencies"?',
    ]),
  );
});

test("a task without a status is pending", () => {
  expect(parseTasks('{ "version": "1.0", "tasks": [{ "id": "1", "name": "x" }] }', path)).toEqual({
    version: "1.0",
    tasks: [{ id: "1", name: "x", status: "pending" }],
  });
});

const task = (id: unknown, ...dependencies: readonly string[]) => ({ id, name: "x", status: "pending", dependencies });

test.each([
  {
    title: "no JSON",
    value: '{ "version": "1.0",\n "tasks": [},] }',
    expected: ['line 2, column 12: expected a value or "]".'],
  },
  { title: "a bare list", value: [], expected: ["expected object, received array."] },
  {
    title: "several wrong fields",
    value: { version: "2.0", tasks: [{ id: 1, name: "", status: "done", priority: "high" }] },
    expected: [
      'version: expected "1.0".',
      "tasks[0].id: expected string, received number.",
      "tasks[0].name: Too small: expected string to have >=1 characters.",
      'tasks[0].status: expected one of "pending"|"in_progress"|"passing"|"failing"|"skipped".',
      "tasks[0].priority: expected number, received string.",
    ],
  },
  {
    title: "identifiers used twice",
    value: { version: "1.0", tasks: [task("a"), task("b"), task("a"), task("a")] },
    expected: ['The id "a" is used 3 times, by the tasks at 1, 3, 4.'],
  },
  {
    title: "unknown dependencies",
    value: { version: "1.0", tasks: [task("parser"), task("b", "parsr", "zzzzzz", "zzzzzz")] },
    expected: [
      'The task "b" depends on "parsr", which does not exist. Did you mean "parser"?',
      'The task "b" depends on "zzzzzz", which does not exist.',
    ],
  },
  {
    title: "cycles",
    value: { version: "1.0", tasks: [task("a", "b"), task("b", "a"), task("c"), task("d", "e", "c"), task("e", "d")] },
    expected: [
      "These tasks depend on each other in a cycle: a → b → a.",
      "These tasks depend on each other in a cycle: d → e → d.",
    ],
  },
  {
    title: "wrong fields and wrong links together",
    value: { version: "1.0", tasks: [{ ...task("a", "a"), status: "todo" }, "no task", task("b", "nowhere")] },
    expected: [
      'tasks[0].status: expected one of "pending"|"in_progress"|"passing"|"failing"|"skipped".',
      "tasks[1]: expected object, received string.",
      'The task "b" depends on "nowhere", which does not exist.',
      "These tasks depend on each other in a cycle: a → a.",
    ],
  },
])("$title: every problem is reported", ({ value, expected }) => {
  expect(problemsIn(value)).toEqual(expected);
});

test("the error names the file and lists the problems", () => {
  expect(() =>
    parseTasks('{ "version": "1.0", "tasks": [{ "id": "1" }, { "id": "1", "name": "x" }] }', "research/tasks.json"),
  ).toThrow(
    expect.objectContaining({
      code: "TASKS_FILE_INVALID",
      message: [
        "The list of tasks research/tasks.json cannot be used. Correct the following:",
        "  - tasks[0].name: expected string, received undefined.",
        '  - The id "1" is used 2 times, by the tasks at 1, 2.',
      ].join("\n"),
    }),
  );
});

test("what is saved is loaded again, with the time of the save", async () => {
  const saved = await saveTasks(path, FULL, { clock: () => Date.UTC(2026, 10, 21) });
  expect(saved).toEqual({
    ...FULL,
    metadata: { createdAt: "2026-02-05T00:00:00Z", updatedAt: "2026-11-21T00:00:00.000Z", source: "spec" },
  });
  expect(await loadTasks(path)).toEqual(saved);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(["tasks.json"]);
});

test("a file without metadata gets none", async () => {
  const file: TasksFile = { version: "1.0", tasks: [] };
  expect(await saveTasks(path, file)).toEqual(file);
  expect(await readFile(path, "utf8")).toBe('{\n  "version": "1.0",\n  "tasks": []\n}\n');
});

test("a file that others may read stays so", async () => {
  await writeFile(path, "{}");
  await chmod(path, 0o664);
  await saveTasks(path, FULL);
  expect((await stat(path)).mode & 0o777).toBe(0o664);
  expect((await loadTasks(path)).tasks).toEqual(FULL.tasks);
});

test("nothing is written through a link, which an agent could turn to any file", async () => {
  await writeFile(path, "{}");
  const link = join(folder, "link.json");
  await symlink("tasks.json", link);
  await expect(saveTasks(link, FULL)).rejects.toThrow(
    expect.objectContaining({
      code: "TASKS_FILE_INVALID",
      problems: ["It is a link, and Atomic writes through none: put the file itself in its place, or name that file."],
    }),
  );
  expect(await readFile(path, "utf8")).toBe("{}");
});

test("a list that becomes a link while it is saved is replaced, and what the link leads to stays as it is", async () => {
  await writeFile(path, "{}");
  const outside = join(folder, "outside.json");
  await writeFile(outside, "mine");
  const turnIntoLink = async (): Promise<void> => {
    await rm(path);
    await symlink(outside, path);
  };
  await saveTasks(path, FULL, { beforeReplace: turnIntoLink });
  expect([await readFile(outside, "utf8"), (await loadTasks(path)).tasks]).toEqual(["mine", FULL.tasks]);
});

test("a missing file is its own error", async () => {
  await expect(loadTasks(path)).rejects.toThrow(
    expect.objectContaining({
      code: "TASKS_FILE_NOT_FOUND",
      message: `There is no list of tasks at ${path}. Create it, or give another path.`,
    }),
  );
});

test("the JSON Schema of a task list works for an agent's answer, and additional fields are left out", () => {
  const schema = z.toJSONSchema(taskListSchema, { io: "input" });
  expect(schema).toMatchObject({ type: "object", required: ["tasks"] });
  expect(schema.properties?.tasks).toMatchObject({
    type: "array",
    items: { type: "object", required: ["id", "name"] },
  });
  expect(taskListSchema.parse({ tasks: [{ id: "1", name: "x", mood: "good" }] })).toEqual({
    tasks: [{ id: "1", name: "x", status: "pending" }],
  });
});
