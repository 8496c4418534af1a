import { describe, expect, test } from "bun:test";
import type { RunEvent } from "../../contracts/index.ts";
import { UNICODE_GLYPHS } from "../theme/glyphs.ts";
import { RALPH_STEPS } from "./fixtures/ralph-steps.ts";
import { nodeEnd, nodeStart, runEnd, runStart } from "./fixtures/run-events.ts";
import { type GraphRowOptions, graphRows } from "./graph-rows.ts";
import { textOf } from "./line.ts";
import { graphLine } from "./run-lines.ts";
import { EMPTY_RUN, reduceRun } from "./run-model.ts";
import { createStepTree } from "./step-tree.ts";
import { signOf } from "./work-state.ts";

function outline(events: readonly RunEvent[], options?: GraphRowOptions): readonly string[] {
  const model = reduceRun(EMPTY_RUN, events);
  const rows = graphRows(createStepTree(RALPH_STEPS, model.visits.values()), model, options);
  return rows.map(({ depth, state, name, note }) =>
    `${"  ".repeat(depth)}${signOf(state, UNICODE_GLYPHS).sign} ${name}  ${note}`.trimEnd(),
  );
}

const done = (taskId: string): readonly RunEvent[] => [nodeStart(taskId), nodeEnd(taskId, 9)];
const worker = (index: number, about: string, item = `worker ${index + 1}`) =>
  nodeStart(`workers[${index}]/implement`, { item, name: about });

const BEGUN = [runStart(1), ...done("read-goal"), ...done("plan")];

describe("the rows of a graph", () => {
  test("are folded before the run begins", () => {
    expect(outline([])).toEqual(["○ Read the goal", "○ Plan the tasks", "○ rounds", "○ Open the pull request"]);
  });

  test("have the items of a list that work or failed, and the count of the finished ones", () => {
    const items = [worker(0, "Task 4"), worker(1, "Task 7"), worker(2, "Task 9"), worker(3, "Task 1")];
    const failed: RunEvent = {
      ...nodeEnd("workers[2]/implement", 9),
      ...{ type: "node-error", attempt: 1, error: { code: "X", message: "It broke." } },
    };
    expect(outline([...BEGUN, ...items, failed, nodeEnd("workers[3]/implement", 9)])).toEqual([
      "✓ Read the goal",
      "✓ Plan the tasks",
      "● rounds",
      "  ● workers  1 of 4",
      "    ● worker 1  Task 4",
      "    ● worker 2  Task 7",
      "    ✗ worker 3  Task 9",
      "  ○ Review",
      "○ Open the pull request",
    ]);
  });

  test("count all items of a list, of every visit of it, also those that have not begun", () => {
    const visit = (taskId: string, itemCount: number) => [nodeStart(taskId, { itemCount }), nodeEnd(taskId, 9)];
    const first = [...visit("workers[0]/implement", 2), ...visit("workers[1]/implement", 2)];
    // The item of a map within an item is one of another list.
    const inner = visit("workers#2[0]/files[0]/read", 9);
    const second = [...visit("workers#2[0]/implement", 12), ...visit("workers#2[1]/implement", 12)];
    const events = [...BEGUN, ...first, ...inner, ...second];
    const lists = (more: readonly RunEvent[]) =>
      outline([...events, ...more], {
        folds: new Map([
          ["/rounds", true],
          ["/rounds/workers", false],
        ]),
      }).filter((row) => /rounds|workers/.test(row));
    expect([
      lists([]),
      lists([runEnd("suspended", 20)]),
      lists([runEnd("completed", 20)]),
      lists([nodeStart("workers#2[2]/implement", { itemCount: 12 })]),
    ]).toEqual([
      ["● rounds", "  ● workers  4 of 14"],
      ["○ rounds", "  ○ workers  4 of 14"],
      ["✓ rounds", "  ✓ workers  4 of 14"],
      ["● rounds", "  ● workers  4 of 14"],
    ]);
  });

  test("say which round a loop is in, and what its latest visit is", () => {
    const rounds = [...done("review"), nodeStart("review#2")];
    expect(outline([...BEGUN, ...done("workers[0]/implement"), ...rounds])).toEqual([
      "✓ Read the goal",
      "✓ Plan the tasks",
      "● rounds  round 2",
      "  ✓ workers  1 of 1",
      "  ● Review  ×2",
      "○ Open the pull request",
    ]);
  });

  test("are not done where the run ended in the middle of them, unless the rest was no longer needed", () => {
    const dropped: RunEvent = {
      ...{ type: "node-dropped", runId: "r", at: 9 },
      ...{ taskId: "workers[1]/implement", nodeId: "implement" },
    };
    const begun = [...BEGUN, worker(0, "Task 4"), nodeEnd("workers[0]/implement", 9), worker(1, "Task 7")];
    const roundsOf = (more: readonly RunEvent[]) => outline([...begun, ...more, runEnd("failed", 10)])[2];
    expect([roundsOf([]), roundsOf([dropped])]).toEqual(["⊘ rounds", "✓ rounds"]);
  });

  test("leave out what a completed run did not need", () => {
    expect(outline([...BEGUN, ...done("workers[0]/implement"), runEnd("completed", 20)])).toEqual([
      "✓ Read the goal",
      "✓ Plan the tasks",
      "✓ rounds",
    ]);
  });

  test("open and fold as the person wants", () => {
    const rows = outline([...BEGUN, worker(0, "Task 4")], { folds: new Map([["/rounds", false]]) });
    expect(rows).toEqual(["✓ Read the goal", "✓ Plan the tasks", "● rounds", "○ Open the pull request"]);
  });

  test("show one branch only", () => {
    expect(outline([...BEGUN, worker(0, "Task 4")], { focus: "/rounds/workers" })).toEqual([
      "● workers  0 of 1",
      "  ● worker 1  Task 4",
    ]);
  });
});

test("a command is for the visit in progress", () => {
  const model = reduceRun(EMPTY_RUN, [...BEGUN, worker(0, "Task 4"), ...done("workers[1]/implement")]);
  const rows = graphRows(createStepTree(RALPH_STEPS, model.visits.values()), model);
  expect(rows.find(({ name }) => name === "rounds")?.target?.taskId).toBe("workers[0]/implement");
});

describe("a step after a retry", () => {
  const error = { code: "X", message: "It broke." };
  const failed = (attempt: number, at: number, retryAt: number): RunEvent => ({
    ...nodeEnd("plan", at),
    ...{ type: "node-error", attempt, error, retryAt },
  });
  const lineAt = (now: number, ...events: readonly RunEvent[]): string | undefined => {
    const model = reduceRun(EMPTY_RUN, [runStart(0), ...events]);
    const rows = graphRows(createStepTree([], model.visits.values()), model);
    const style = { glyphs: UNICODE_GLYPHS, now, columns: 40, isSelected: false, isLit: false };
    return rows.map((row) => textOf(graphLine(row, style)).trimEnd())[0];
  };
  const again = [nodeStart("plan", { at: 0 }), failed(1, 60_000, 90_000)];
  const second = [...again, nodeStart("plan", { at: 90_000, attempt: 2 })];

  test("has the time of the attempt beside that of the step", () => {
    expect(lineAt(90_500, ...second)).toBe("  ● plan  attempt 2               1m 30s");
    expect(lineAt(102_000, ...second)).toBe("  ● plan  attempt 2 · 12s         1m 42s");
  });

  test("has no time of an attempt while none runs, and after the end", () => {
    expect(lineAt(61_000, ...again)).toMatch(/^ {2}‖ plan +until \d\d:\d\d$/);
    expect(lineAt(200_000, ...second, nodeEnd("plan", 150_000))).toBe("  ✓ plan  attempt 2               2m 30s");
  });
});
