import { expect, test } from "bun:test";
import { openBenches, plan, planAndDo } from "./fixtures/ralph-bench.ts";

const open = openBenches();

test("a prompt that names a list has its tasks done, and none planned", async () => {
  const bench = await open(planAndDo([plan("never")]));
  await bench.write(
    "project/tasks.json",
    JSON.stringify({
      version: "1.0",
      tasks: [
        { id: "a", name: "Add X", status: "passing" },
        { id: "b", name: "Add Y", status: "in_progress", dependencies: ["c"] },
        { id: "c", name: "Add Z", status: "failing", metadata: { note: "mine", loop: { attempts: 3 } } },
        { id: "d", name: "Add W", status: "skipped" },
      ],
    }),
  );
  const { status, state } = await bench.run({ prompt: "tasks.json" });
  expect([status, bench.handedOut]).toEqual(["completed", ["c", "b"]]);
  expect(state.goal).toBe("The tasks of tasks.json:\n\n- Add X\n- Add Y\n- Add Z\n- Add W");
  expect(state.tasks.map(({ id, status: is, metadata }) => [id, is, metadata?.note])).toEqual([
    ["a", "passing", undefined],
    ["b", "passing", undefined],
    ["c", "passing", "mine"],
    ["d", "skipped", undefined],
  ]);
});

test("the goal of a list comes before its tasks", async () => {
  const bench = await open(planAndDo([plan("never")]));
  const tasks = [{ id: "a", name: "Add X" }];
  await bench.write("project/tasks.json", JSON.stringify({ version: "1.0", goal: "A shop.\n", tasks }));
  expect((await bench.run({ prompt: "tasks.json" })).state.goal).toBe("A shop.\n\nThe tasks of tasks.json:\n\n- Add X");
});

test.each([
  { title: "is empty", tasks: [], problem: "There are no tasks in it." },
  {
    title: "uses an id of Ralph's own",
    tasks: [{ id: "repair-1", name: "A" }],
    problem: 'The id "repair-1" is reserved; choose another.',
  },
  {
    title: "has a cycle",
    tasks: [{ id: "a", name: "A", dependencies: ["a"] }],
    problem: "These tasks depend on each other in a cycle: a → a.",
  },
])("a list that $title is an error before any agent starts", async ({ tasks, problem }) => {
  const bench = await open(planAndDo([plan("never")]));
  await bench.write("project/my-tasks.json", JSON.stringify({ version: "1.0", tasks }));
  const { status, errorInfo } = await bench.run({ prompt: "my-tasks.json" });
  expect([status, errorInfo?.code, errorInfo?.message]).toEqual([
    "failed",
    "TASKS_FILE_INVALID",
    expect.stringContaining(problem),
  ]);
  expect(bench.agent.turns).toEqual([]);
});
