import { expect, test } from "bun:test";
import { FeatureListError, migrateFeatureList } from "./migrate-feature-list.ts";
import { parseTasks } from "./tasks-file.ts";

const migrate = (value: unknown) =>
  migrateFeatureList(typeof value === "string" ? value : JSON.stringify(value), { path: "list.json", clock: () => 0 });

const AT = "1970-01-01T00:00:00.000Z";
const METADATA = { createdAt: AT, updatedAt: AT, source: "migrated" };

test("features become tasks, in their order, with what they had", () => {
  const long = `${"x".repeat(250)}\nand more`;
  const file = migrate([
    { category: "functional", description: "Add feature X", steps: ["Open it", "Press X\nand wait"], passes: true },
    { description: "Add feature Y", passes: false, owner: "Ada" },
    { description: long },
  ]);
  expect(file).toEqual({
    version: "1.0",
    tasks: [
      {
        id: "1",
        name: "Add feature X",
        description: "Category: functional\n\nSteps:\n- Open it\n- Press X\n  and wait",
        status: "passing",
        metadata: { category: "functional", steps: ["Open it", "Press X\nand wait"] },
      },
      { id: "2", name: "Add feature Y", status: "pending", metadata: { owner: "Ada" } },
      { id: "3", name: `${"x".repeat(199)}…`, description: long, status: "pending" },
    ],
    metadata: METADATA,
  });
  expect(parseTasks(JSON.stringify(file), "tasks.json")).toEqual(file);
});

test("an agent reads the steps of a task with a long description, and without a category", () => {
  const [task] = migrate([
    { description: "Add X\nwith care", steps: ["Open it"] },
    { description: "B", steps: [] },
  ]).tasks;
  expect(task?.description).toBe("Add X\nwith care\n\nSteps:\n- Open it");
});

test("ids, dependencies on them and the status are kept; other features get numbers that are free", () => {
  const { tasks } = migrate([
    { id: 2, description: "A", status: "skipped" },
    { id: "login", description: "B", dependencies: [2], status: "in_progress" },
    { description: "C", dependencies: ["login", 2], status: "failing", passes: true },
    { id: {}, description: "D", status: "blocked", dependencies: "A" },
  ]);
  expect(tasks).toEqual([
    { id: "2", name: "A", status: "skipped" },
    { id: "login", name: "B", status: "pending", dependencies: ["2"] },
    { id: "1", name: "C", status: "passing", dependencies: ["login", "2"], metadata: { status: "failing" } },
    { id: "3", name: "D", status: "pending", metadata: { id: {}, status: "blocked", dependencies: "A" } },
  ]);
});

test("dependencies in a list without ids stay notes", () => {
  expect(migrate([{ description: "A" }, { description: "B", dependencies: ["A"] }]).tasks[1]).toEqual({
    id: "2",
    name: "B",
    status: "pending",
    metadata: { dependencies: ["A"] },
  });
});

test.each([
  { title: "in an object", value: { features: [{ description: "A" }] }, names: ["A"] },
  { title: "of no features", value: [], names: [] },
])("a list $title is converted", ({ value, names }) => {
  expect(migrate(value).tasks.map(({ name }) => name)).toEqual([...names]);
});

test.each([
  { title: "that is no JSON", value: "[{", problems: ['line 1, column 3: expected a name in double quotes or "}".'] },
  {
    title: "that is something else",
    value: { tasks: [] },
    problems: ["features: expected array, received undefined."],
  },
  {
    title: "with several faults",
    value: [{ description: " " }, { description: "B", passes: "yes" }, 3],
    problems: [
      "[0].description: Too small: expected string to have >=1 characters.",
      "[1].passes: expected boolean, received string.",
      "[2]: expected object, received number.",
    ],
  },
  {
    title: "with duplicate ids and lost dependencies",
    value: [
      { id: 1, description: "A" },
      { id: "1", description: "B", dependencies: ["logn"] },
      { id: "login", description: "C" },
    ],
    problems: [
      'The id "1" is used 2 times, by the tasks at 1, 2.',
      'The task "1" depends on "logn", which does not exist. Did you mean "login"?',
    ],
  },
])("a list $title is rejected with every fault", ({ value, problems }) => {
  expect(() => migrate(value)).toThrow(new FeatureListError("list.json", problems));
});
