import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createRedactor } from "../../contracts/index.ts";
import { openBenches, plan, planAndDo } from "./fixtures/ralph-bench.ts";
import { createRalphWorkflow } from "./ralph-workflow.ts";

const open = openBenches();

test("what a person changes in tasks.json between two tasks is obeyed", async () => {
  const answer = planAndDo([plan("a"), plan("b"), plan("c")]);
  const bench = await open(async (turn, tools) => {
    if (turn.prompt.includes("(task a)"))
      await bench.editTasks(([a, b]) => [a, { ...b, description: "Do b differently." }, { id: "d", name: "New" }]);
    return answer(turn, tools);
  });
  const { status, state } = await bench.run({ prompt: "Build it" });
  expect(status).toBe("completed");
  expect(bench.handedOut).toEqual(["a", "b", "d"]);
  expect(bench.agent.turns[2]?.prompt).toContain("\nDo b differently.\n");
  expect(state.tasks.map(({ id, status: each }) => `${id} ${each}`)).toEqual(["a passing", "b passing", "d passing"]);
});

test("where a person settles all that is left, the run completes", async () => {
  const answer = planAndDo([plan("a"), plan("b")]);
  const bench = await open(async (turn, tools) => {
    if (turn.prompt.includes("(task a)")) await bench.editTasks(([a]) => [a]);
    return answer(turn, tools);
  });
  expect((await bench.run({ prompt: "Build it" })).status).toBe("completed");
  expect(bench.handedOut).toEqual(["a"]);
});

test("tasks that cannot start stop the run with what to correct, and a resume tries them again", async () => {
  const answer = planAndDo([plan("a"), plan("b"), plan("c", "b")]);
  const bench = await open(async (turn, tools) => {
    if (turn.prompt.includes("(task a)")) await bench.editTasks(([a, b, c]) => [a, { ...b, status: "failing" }, c]);
    return answer(turn, tools);
  });
  const blocked = await bench.run({ prompt: "Build it" });
  expect(blocked.errorInfo).toEqual({
    code: "RALPH_TASKS_LEFT",
    message: [
      "These tasks are not done:",
      "  - b, Task b: is marked as failing",
      "  - c, Task c: waits for b",
      `Resume the run to try them again. You can correct the tasks before, in ${bench.root}/session/tasks.json.`,
    ].join("\n"),
    nodeId: "conclude",
  });
  expect((await bench.resume()).status).toBe("completed");
  expect(bench.handedOut).toEqual(["a", "b", "c"]);
});

test("a broken tasks.json stops the run with all its problems, and it resumes after the correction", async () => {
  const answer = planAndDo([plan("a"), plan("b")]);
  const bench = await open(async (turn, tools) => {
    if (turn.prompt.includes("(task a)"))
      await bench.editTasks(([a, b]) => [a, { ...b, status: "nonsense", dependencies: ["z"] }]);
    return answer(turn, tools);
  });
  const broken = await bench.run({ prompt: "Build it" });
  expect(broken.errorInfo?.code).toBe("TASKS_FILE_INVALID");
  expect(broken.errorInfo?.message).toStartWith(
    `The list of tasks ${bench.root}/session/tasks.json cannot be used. Correct the following:\n  - `,
  );
  await bench.editTasks(([a]) => [a, { ...plan("b"), status: "pending" }]);
  expect((await bench.resume()).status).toBe("completed");
  expect(bench.handedOut).toEqual(["a", "b"]);
});

test("without a session's folder, tasks or an agent the error says so", async () => {
  const bench = await open(planAndDo([plan("a")]));
  const services = { sessionDirectory: join(bench.root, "session") };
  const needs = (service: string): string => `needs "${service}", which this run does not have.`;
  const folder = await createRalphWorkflow().run({ prompt: "Build it" });
  expect(folder.errorInfo?.message).toContain(`The node "prepare" ${needs("sessionDirectory")}`);
  const agent = await createRalphWorkflow().run({ prompt: "Build it" }, { services });
  expect(agent.errorInfo?.message).toContain(`The node "plan" ${needs("clients")}`);
  const tasks = await createRalphWorkflow().run(
    { prompt: "Build it" },
    { services: { ...services, clients: () => bench.agent } },
  );
  expect(tasks.errorInfo?.message).toContain(`The node "tasks" ${needs("tasks")}`);
});

test("more tasks than the configuration allows fail the run, and a resume allows as many again", async () => {
  const bench = await open(planAndDo([plan("a"), plan("b"), plan("c")]));
  const { errorInfo } = await bench.run({ prompt: "Build it" }, undefined, { maxIterations: 2 });
  expect([errorInfo, bench.handedOut]).toEqual([
    {
      code: "RALPH_LIMIT",
      message:
        "Ralph started 2 tasks, which is its limit, and these are not done: c. Resume the run to allow as many again.",
      nodeId: "conclude",
    },
    ["a", "b"],
  ]);
  expect((await bench.resume(undefined, { maxIterations: 2 })).status).toBe("completed");
  expect(bench.handedOut).toEqual(["a", "b", "c"]);
});

test("a task that is added to a run that failed is done when that is resumed", async () => {
  const bench = await open(planAndDo([plan("a")]));
  const verifyCommand = "test -e green";
  expect((await bench.run({ prompt: "Build it", verifyCommand }, undefined, { maxAttempts: 1 })).status).toBe("failed");
  await bench.write("project/green", "");
  await bench.editTasks(([a]) => [a, { id: "extra-1", name: "And that" }]);
  expect((await bench.resume()).status).toBe("completed");
  expect(bench.handedOut).toEqual(["a", "a", "extra-1"]);
});

test("a secret in the output of the verify command is in no task", async () => {
  const bench = await open(planAndDo([plan("a")]));
  const redactor = createRedactor({ secrets: [{ name: "KEY", value: "zq8-Wm4Kt2Vx9LbN" }] });
  bench.services = { redactor };
  await bench.write("project/output", "it has zq8-Wm4Kt2Vx9LbN");
  const alternating = "if test -e odd; then rm odd; cat output; exit 3; else touch odd; fi";
  const { errorInfo } = await bench.run({ prompt: "Build it", verifyCommand: alternating });
  expect(errorInfo?.code).toBe("RALPH_NOT_VERIFIED");
  const written = await readFile(join(bench.root, "session", "tasks.json"), "utf8");
  expect(written).toContain("it has [redacted:KEY]");
  expect([written, errorInfo?.message].join()).not.toContain("zq8-Wm4Kt2Vx9LbN");
});

test("the output of a run sums up what was done, by whom, and what proves it", async () => {
  const bench = await open(planAndDo([plan("a"), plan("b", "a")]));
  const { output } = await bench.run({ prompt: "Build it", verifyCommand: "true" }, undefined, { agents: ["x"] });
  expect(output).toBe(
    [
      "2 of 2 tasks done",
      "✔ a: Task a (x)",
      "✔ b: Task b (x)",
      "Verified: `true` succeeded.",
      "Nothing was reviewed.",
    ].join("\n"),
  );
  expect(bench.logs).toEqual([
    "One task after the other, in this folder: tasks side by side need a git repository with a commit.",
    "Nothing will be reviewed: there is no git repository with a commit.",
  ]);
});

test("an unknown configuration is rejected", () => {
  // The cast passes what the types reject.
  expect(() => createRalphWorkflow({ maxIterations: 0, verify: "x" } as object)).toThrow(
    "createRalphWorkflow() was called with options that cannot be right:",
  );
});
