import { expect, test } from "bun:test";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Task, TaskStatus } from "../../graph/index.ts";
import { quoteUntrusted } from "../review/quote-untrusted.ts";
import { openBenches, plan, planAndDo } from "./fixtures/ralph-bench.ts";

const open = openBenches();

function task(id: string, status: TaskStatus, dependencies: readonly string[] = []): Task {
  const base: Task = { ...plan(id, ...dependencies), dependencies, status };
  if (status === "passing") return { ...base, metadata: { loop: { attempts: 1 } } };
  return status === "in_progress"
    ? { ...base, metadata: { loop: { attempts: 1, worker: "run1:0", task: base.id } } }
    : base;
}

test("a goal becomes tasks, and they are done in the order of their dependencies", async () => {
  const bench = await open(planAndDo([plan("c", "b"), plan("a"), plan("b", "a")]));
  const { status, state } = await bench.run({ prompt: "  Build it  " });
  expect(status).toBe("completed");
  expect(bench.handedOut).toEqual(["a", "b", "c"]);
  expect(state).toMatchObject({ goal: "Build it", isFinished: true, currentTask: null, verification: null });
  expect(state.tasks).toEqual([task("c", "passing", ["b"]), task("a", "passing"), task("b", "passing", ["a"])]);
  expect(await bench.tasks()).toEqual(state.tasks);
});

test("the planner's prompt has the goal; a worker's has its task, the goal and the other tasks", async () => {
  const bench = await open(planAndDo([plan("a"), plan("b", "a")]));
  await bench.run({ prompt: "Build it" });
  const [planning, first, second] = bench.agent.turns.map(({ prompt }) => prompt);
  expect(planning).toContain("<work>\nBuild it\n</work>");
  expect(first).toStartWith("Implement exactly one task in this repository: Task a (task a).\n\nDo a.\n");
  for (const prompt of [first, second])
    expect(prompt).toContain("<work>\nBuild it\n</work>\n\nAll tasks:\n- a: Task a\n- b: Task b\n");
});

test("tasks.json and the events tell at each step how far the work is", async () => {
  const seen: (readonly Task[])[] = [];
  const answer = planAndDo([plan("a"), plan("b")]);
  const bench = await open(async (turn, tools) => {
    if (turn.outputSchema === undefined) seen.push(await bench.tasks());
    return answer(turn, tools);
  });
  await bench.run({ prompt: "Build it" });
  expect(seen).toEqual([
    [task("a", "in_progress"), task("b", "pending")],
    [task("a", "passing"), task("b", "in_progress")],
  ]);
  const statuses = bench.events.flatMap((event) =>
    event.type === "tasks" ? [event.tasks.map(({ id, status }) => `${id} ${status}`).join(", ")] : [],
  );
  expect(statuses).toEqual([
    "a pending, b pending",
    "a in_progress, b pending",
    "a passing, b in_progress",
    "a passing, b passing",
    "a passing, b passing",
  ]);
});

test("a prompt that names a file stands for the content of the file", async () => {
  const bench = await open(planAndDo([plan("a")]));
  await bench.write("project/spec.md", "# Build it\nwell\n");
  const { state } = await bench.run({ prompt: "spec.md" });
  expect(state.goal).toBe("# Build it\nwell\n");
  expect(bench.agent.turns[0]?.prompt).toContain("<work>\n# Build it\nwell\n\n</work>");
});

test.each([
  { title: "several lines", prompt: "spec.md\nand more" },
  { title: "a folder among words", prompt: "docs please" },
  { title: "a sentence with a file in it", prompt: "Follow missing.md" },
  { title: "more than a path can hold", prompt: "x".repeat(5_000) },
  { title: "a character no path can hold", prompt: "a\u0000b" },
])("a prompt that is no file is meant as it is: $title", async ({ prompt }) => {
  const bench = await open(planAndDo([plan("a")]));
  await bench.write("project/spec.md", "other");
  await mkdir(join(bench.root, "project", "docs"));
  expect((await bench.run({ prompt })).state.goal).toBe(prompt);
});

test.each([
  {
    title: "an empty prompt",
    prompt: "",
    code: "RALPH_NO_PROMPT",
    message: () => 'Ralph needs to know what to do. Say it: atomic ralph "Add a --json flag to the list command"',
  },
  {
    title: "a prompt of spaces",
    prompt: " \n ",
    code: "RALPH_NO_PROMPT",
    message: () => 'Ralph needs to know what to do. Say it: atomic ralph "Add a --json flag to the list command"',
  },
  {
    title: "a document that does not exist",
    prompt: "docs/spce.md",
    code: "RALPH_PROMPT_FILE_NOT_FOUND",
    message: (root: string) =>
      `There is no file ${root}/project/docs/spce.md. Correct the path; to describe the work instead, use more than one word.`,
  },
  {
    title: "an empty document",
    prompt: "empty.txt",
    code: "RALPH_PROMPT_FILE_EMPTY",
    message: (root: string) => `The file ${root}/project/empty.txt is empty. Write into it what is to be done.`,
  },
  {
    title: "a folder",
    prompt: "docs",
    code: "RALPH_PROMPT_UNUSABLE",
    message: (root: string) =>
      `${root}/project/docs is a folder. Pass the work to do as words, or as the path of a text file.`,
  },
  {
    title: "a picture",
    prompt: "picture.png",
    code: "RALPH_PROMPT_UNUSABLE",
    message: (root: string) =>
      `${root}/project/picture.png is not text in UTF-8. Pass the work to do as words, or as the path of a text file.`,
  },
  {
    title: "more text than an agent can read",
    prompt: "x ".repeat(1024 * 1024),
    code: "RALPH_PROMPT_UNUSABLE",
    message: () => "The prompt is longer than 1 MiB. Pass the work to do as words, or as the path of a text file.",
  },
])("$title is nothing to work on, and no agent is asked", async ({ prompt, code, message }) => {
  const bench = await open(planAndDo([plan("a")]));
  await bench.write("project/empty.txt", " \n");
  await mkdir(join(bench.root, "project", "docs"));
  await bench.write("project/picture.png", "\u0000PNG");
  const { status, errorInfo } = await bench.run({ prompt });
  expect(status).toBe("failed");
  expect(errorInfo).toEqual({ code, message: message(bench.root), nodeId: "read-goal" });
  expect(bench.agent.turns).toEqual([]);
});

test("a plan that cannot be worked off is sent back with everything that is wrong", async () => {
  const plans = [
    [plan("a", "b"), plan("b", "a"), plan("repair-1"), plan("c", "d")],
    [plan("a"), plan("b", "a")],
  ];
  const bench = await open(({ outputSchema, turnIndex }) =>
    outputSchema === undefined ? "Done." : { structured: { tasks: plans[turnIndex] } },
  );
  const { status } = await bench.run({ prompt: "Build it" });
  expect(status).toBe("completed");
  expect(bench.agent.turns[1]?.prompt).toBe(
    [
      "Your answer does not have the required shape: ",
      'tasks: The task "c" depends on "d", which does not exist; ',
      "tasks: These tasks depend on each other in a cycle: a → b → a; ",
      'tasks: The id "repair-1" is reserved; choose another. ',
      "Answer again, in the required shape.",
    ].join(""),
  );
  expect(bench.handedOut).toEqual(["a", "b"]);
});

test("a plan that stays wrong fails the run", async () => {
  const bench = await open(({ outputSchema }) =>
    outputSchema === undefined ? "Done." : { structured: { tasks: [plan("a/b")] } },
  );
  const { status, errorInfo } = await bench.run({ prompt: "Build it" });
  expect(status).toBe("failed");
  expect(errorInfo?.nodeId).toBe("plan");
  expect(bench.handedOut).toEqual([]);
});

test("a task is done when the verify command succeeds; the output of a failure is in the prompt of the next attempt", async () => {
  const answer = planAndDo([plan("a"), plan("b")]);
  const bench = await open((turn, tools) => {
    const attempt = /Attempt (\d) was not accepted/.exec(turn.prompt)?.[1] ?? "0";
    const done = turn.prompt.includes("(task a)") ? attempt : "2";
    return turn.outputSchema === undefined
      ? { actions: [{ type: "edit-file", path: "attempt", content: `${done}\n` }], text: `Attempt ${done}.` }
      : answer(turn, tools);
  });
  const verifyCommand = "echo checking; grep -q 2 attempt || { echo 'it is red' >&2; exit 3; }";
  const { status, state } = await bench.run({ prompt: "Build it", verifyCommand });
  expect(status).toBe("completed");
  expect(bench.handedOut).toEqual(["a", "a", "a", "b"]);
  const prompts = bench.agent.turns.map(({ prompt }) => prompt);
  expect(prompts[1]).not.toContain("was not accepted");
  const failure = `The work is not done: \`${verifyCommand}\` ended with exit code 3.\nchecking\n\nit is red`;
  const quoted = quoteUntrusted("failure", failure).join("\n");
  for (const number of [1, 2]) {
    expect(prompts[number + 1]).toContain(
      `\nAttempt ${number} was not accepted. What it left is still there: find the cause, and correct it.\n${quoted}\n`,
    );
  }
  expect(state.tasks.map(({ metadata }) => metadata)).toEqual([{ loop: { attempts: 3 } }, { loop: { attempts: 1 } }]);
  expect(state.work).toEqual([
    { id: "a", agent: "", summary: "Attempt 2.", durationMs: expect.any(Number), isVerified: true },
    { id: "b", agent: "", summary: "Attempt 2.", durationMs: expect.any(Number), isVerified: true },
  ]);
  expect(bench.events.flatMap((event) => (event.type === "command-end" ? [event.exitCode] : []))).toEqual([
    3, 3, 0, 0, 0,
  ]);
});

test("a task whose id is the name of a method has no failure before its first attempt", async () => {
  const bench = await open(planAndDo([plan("constructor")]));
  expect((await bench.run({ prompt: "Build it" })).status).toBe("completed");
  expect(bench.agent.turns.at(-1)?.prompt).not.toContain("was not accepted");
});

test("a task that never succeeds fails the run after its attempts, and what depends on it is not begun", async () => {
  const bench = await open(planAndDo([plan("a"), plan("b", "a"), plan("c")]));
  const { status, errorInfo } = await bench.run({ prompt: "Build it", verifyCommand: "exit 7" }, undefined, {
    maxAttempts: 2,
  });
  expect(status).toBe("failed");
  expect(bench.handedOut).toEqual(["a", "a", "c", "c"]);
  expect(errorInfo).toEqual({
    code: "RALPH_TASKS_LEFT",
    message: [
      "These tasks are not done:",
      "  - a, Task a: failed: The work is not done: `exit 7` ended with exit code 7.",
      "  - b, Task b: waits for a",
      "  - c, Task c: failed: The work is not done: `exit 7` ended with exit code 7.",
      `Resume the run to try them again. You can correct the tasks before, in ${bench.root}/session/tasks.json.`,
    ].join("\n"),
    nodeId: "conclude",
  });
});

/** Succeeds for each task, and fails for the whole until a file is there. */
const RED_AS_A_WHOLE =
  "test -e green || { test $(cat calls 2>/dev/null | wc -l) -lt 1 && echo >> calls; } || { echo 'it is red'; exit 3; }";

test("a command that fails for the whole becomes a task", async () => {
  const answer = planAndDo([plan("a")]);
  const bench = await open((turn, tools) =>
    turn.prompt.includes("(task repair-1)")
      ? { actions: [{ type: "edit-file", path: "green", content: "" }], text: "Repaired." }
      : answer(turn, tools),
  );
  const { status, state } = await bench.run({ prompt: "Build it", verifyCommand: RED_AS_A_WHOLE });
  expect(status).toBe("completed");
  expect(bench.handedOut).toEqual(["a", "repair-1"]);
  expect(state.verification).toMatchObject({ exitCode: 0 });
  expect(state.tasks[1]).toEqual({
    id: "repair-1",
    name: `Make \`${RED_AS_A_WHOLE}\` succeed`,
    description: expect.stringContaining(`:\n\n${quoteUntrusted("output", "it is red").join("\n")}`),
    status: "passing",
    metadata: { loop: { attempts: 1 } },
  });
  const verified = bench.events.filter((event) => event.type === "node-end" && event.nodeId === "verify");
  expect(verified).toMatchObject([
    { taskId: expect.stringMatching(/verify$/), isPassed: false },
    { taskId: expect.stringMatching(/verify#2$/), isPassed: true },
  ]);
});

test("a command that stays red for the whole ends the run after three repairs, and a repair by hand lets it complete", async () => {
  const bench = await open(planAndDo([plan("a")]));
  const alternating = "test -e green || { if test -e odd; then rm odd; echo 'it is red'; exit 3; else touch odd; fi; }";
  const failed = await bench.run({ prompt: "Build it", verifyCommand: alternating });
  expect(failed.errorInfo).toEqual({
    code: "RALPH_NOT_VERIFIED",
    message: `The command \`${alternating}\` still ends with exit code 3 after 3 attempts to repair it. Repair it by hand, then resume the run.\nit is red`,
    nodeId: "verify",
  });
  expect(bench.handedOut).toEqual(["a", "repair-1", "repair-2", "repair-3"]);
  await bench.write("project/green", "");
  expect((await bench.resume()).status).toBe("completed");
  expect(bench.handedOut).toHaveLength(4);
});

test("a run that is stopped during a task resumes with that task; finished tasks are not assigned again", async () => {
  const stop = new AbortController();
  const answer = planAndDo([plan("a"), plan("b"), plan("c")]);
  const bench = await open((turn, tools) => {
    if (turn.prompt.includes("(task b)") && !stop.signal.aborted) stop.abort(new Error("Interrupted"));
    return answer(turn, tools);
  });
  const stopped = await bench.run({ prompt: "Build it" }, stop.signal);
  expect(stopped.status).toBe("cancelled");
  expect(bench.handedOut).toEqual(["a", "b"]);
  expect((await bench.tasks()).map(({ status }) => status)).toEqual(["passing", "in_progress", "pending"]);

  const resumed = await bench.resume();
  expect(resumed.status).toBe("completed");
  expect(bench.handedOut).toEqual(["a", "b", "b", "c"]);
  const again = bench.agent.turns[3];
  expect(again?.prompt).toStartWith("Your work on the following was interrupted.");
  expect(again?.sessionId).toBe(bench.agent.turns[2]?.sessionId);
  expect((await bench.tasks()).map(({ status }) => status)).toEqual(["passing", "passing", "passing"]);
});
