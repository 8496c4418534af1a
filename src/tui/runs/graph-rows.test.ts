import { describe, expect, test } from "bun:test";
import type { RunEvent } from "../../contracts/index.ts";
import type { GraphStep } from "../host/runs-port.ts";
import { UNICODE_GLYPHS } from "../theme/glyphs.ts";
import { RALPH_STEPS } from "./fixtures/ralph-steps.ts";
import { nodeEnd, nodeStart, runEnd, runStart } from "./fixtures/run-events.ts";
import { type GraphRowOptions, graphRows } from "./graph-rows.ts";
import { textOf } from "./line.ts";
import { graphLine } from "./run-lines.ts";
import { EMPTY_RUN, reduceRun } from "./run-model.ts";
import { createStepTree } from "./step-tree.ts";
import { signOf } from "./work-state.ts";
import { workedUntil } from "./work-times.ts";

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

describe("a branch of several steps that failed", () => {
  const branch = [
    nodeStart("workers[0]/audit", { item: "cart.ts" }),
    nodeEnd("workers[0]/audit", 3),
    nodeStart("workers[0]/check", { item: "cart.ts", nodeType: "shell" }),
    { ...nodeEnd("workers[0]/check", 9), type: "node-error", attempt: 1, error: { code: "X", message: "Bad." } },
  ] as const;
  const inList = (options: GraphRowOptions) =>
    outline([...BEGUN, ...branch, worker(1, "Task 4")], options).filter((row) => /workers|cart|audit|check/.test(row));

  test("says which step failed, and opens to its steps", () => {
    const rows = ["  ● workers  0 of 2", "    ✗ cart.ts  check"];
    expect(inList({})).toEqual(rows);
    const open = inList({ folds: new Map([["workers[0]", true]]) });
    expect(open).toEqual([...rows, "      ✓ audit", "      ✗ check"]);
  });

  test("has its steps where it is the only one that is shown", () => {
    expect(inList({ focus: "workers[0]" })).toEqual(["✗ cart.ts  check", "  ✓ audit", "  ✗ check"]);
  });

  test("says it also where its name is long", () => {
    const long = branch.map((event) => ("item" in event ? { ...event, item: "a-very-long-name-".repeat(4) } : event));
    const model = reduceRun(EMPTY_RUN, long);
    const row = graphRows(createStepTree([], model.visits.values()), model).at(-1);
    const line = row && textOf(graphLine(row, { glyphs: UNICODE_GLYPHS, now: 9, columns: 40 }));
    expect(line?.trimEnd()).toBe("  │ ✗ a-very-long-name-a-very… ▸  check");
  });
});

describe("branches of several steps, when one of them fails", () => {
  const error = { code: "X", message: "Bad.", nodeId: "check" };
  const about = { item: "", itemCount: 4 };
  const begin = (item: string, index: number, attempt = 1): readonly RunEvent[] => [
    nodeStart(`parts[${index}]/check`, { ...about, item, attempt }),
  ];
  const prepared = ["alpha", "beta", "gamma"].flatMap((item, index) => [
    nodeStart(`parts[${index}]/prep`, { ...about, item }),
    nodeEnd(`parts[${index}]/prep`, 3),
    ...begin(item, index),
  ]);
  const failed = (index: number): RunEvent => ({
    ...nodeEnd(`parts[${index}]/check`, 9),
    ...{ type: "node-error", attempt: 1, error },
  });
  const dropped = (index: number): RunEvent => ({ ...nodeEnd(`parts[${index}]/check`, 9), type: "node-dropped" });
  const linesOf = (...events: readonly RunEvent[]) => {
    const model = reduceRun(EMPTY_RUN, [runStart(1), ...prepared, ...events]);
    const rows = graphRows(createStepTree([], model.visits.values()), model, { folds: new Map([["/parts", true]]) });
    return rows.map(({ name, note, state }) => `${signOf(state, UNICODE_GLYPHS).sign} ${name}  ${note}`.trimEnd());
  };
  const first = [failed(1), runEnd("failed", 10, error)];
  const second = [runStart(20, true), ...["alpha", "beta", "gamma"].flatMap((item, index) => begin(item, index, 2))];
  const last = [nodeStart("parts[3]/prep", { ...about, item: "delta" }), failed(2), runEnd("failed", 30, error)];

  test.each([
    [
      "beta",
      [failed(1), runEnd("failed", 10, error)],
      ["✗ parts  0 of 4", "⊘ alpha  check", "✗ beta  check", "⊘ gamma  check"],
    ],
    [
      "gamma",
      [failed(2), runEnd("failed", 10, error)],
      ["✗ parts  0 of 4", "⊘ alpha  check", "⊘ beta  check", "✗ gamma  check"],
    ],
  ])("the others are stopped and not done, if the run fails with it: %s", (_name, events, lines) => {
    expect(linesOf(...events)).toEqual(lines);
  });

  test("those that were stopped are to come while the resumed run has not begun them again", () => {
    const resumed = [runStart(20, true), ...begin("alpha", 0, 2)];
    const lines = ["● parts  0 of 4", "● alpha  check attempt 2", "✗ beta  check", "○ gamma  check"];
    expect(linesOf(...first, ...resumed)).toEqual(lines);
  });

  test("only those that ended count in the next failure", () => {
    const ended = nodeEnd("parts[1]/check", 25);
    const lines = ["✗ parts  1 of 4", "⊘ alpha  check attempt 2", "✗ gamma  check attempt 2", "⊘ delta  prep"];
    expect(linesOf(...first, ...second, ended, ...last)).toEqual(lines);
  });

  test("the others are stopped and not done, if the run handles the failure", () => {
    const lines = ["✗ parts  0 of 4", "⊘ alpha  check", "✗ beta  check", "⊘ gamma  check"];
    expect(linesOf(failed(1), dropped(0), dropped(2), nodeStart("after"))).toEqual([...lines, "● after"]);
  });

  test("a branch in which one of several steps was the fastest is done", () => {
    const race = ["a", "b"].map((id) => nodeStart(`parts[0]/race[${id}]/${id}`, { ...about, item: "alpha" }));
    const won = nodeEnd("parts[0]/race[a]/a", 9);
    const lost: RunEvent = { ...nodeEnd("parts[0]/race[b]/b", 9), type: "node-dropped" };
    const lines = ["● parts  1 of 4", "● beta  check", "● gamma  check"];
    expect(linesOf(nodeEnd("parts[0]/check", 5), ...race, won, lost)).toEqual(lines);
  });
});

test("groups that accept failures are done with them, whichever branch failed last, and say how many ended well", () => {
  const block = (nodeType: string, nodeId: string, strategy: GraphStep["strategy"] & string): GraphStep => ({
    nodeId,
    name: nodeId,
    nodeType,
    depth: 0,
    strategy,
  });
  const steps = [
    ...[block("map", "audits", "settled"), block("parallel", "checks", "settled")],
    ...[block("parallel", "guesses", "any"), block("parallel", "strict", "all")],
  ];
  const failed = (taskId: string): readonly RunEvent[] => [
    nodeStart(taskId),
    { ...nodeEnd(taskId, 9), type: "node-error", attempt: 1, error: { code: "X", message: "Bad." } },
  ];
  const events = ["audits", "checks", "guesses", "strict"].flatMap((id) => [
    ...[...done(`${id}[0]/work`), ...failed(`${id}[1]/work`)],
  ]);
  const lines = (...more: readonly RunEvent[]) => {
    const model = reduceRun(EMPTY_RUN, [runStart(1), ...more]);
    const rows = graphRows(createStepTree(steps, model.visits.values()), model).filter(({ depth }) => depth === 0);
    return rows.map(({ name, note, state }) => `${signOf(state, UNICODE_GLYPHS).sign} ${name}  ${note}`.trimEnd());
  };
  expect(lines(...events)).toEqual(["✓ audits  1 of 2", "✓ checks  1 of 2", "✓ guesses", "✗ strict"]);
  expect(lines(...failed("guesses[0]/work"))[2]).toBe("✗ guesses");
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
  const fatal = (at: number): RunEvent => ({ ...nodeEnd("plan", at), type: "node-error", attempt: 1, error });
  const lineAt = (now: number, ...events: readonly RunEvent[]): string | undefined => {
    const model = reduceRun(EMPTY_RUN, [runStart(0), ...events]);
    const rows = graphRows(createStepTree([], model.visits.values()), model);
    const style = { glyphs: UNICODE_GLYPHS, now, columns: 40, isSelected: false, isLit: false };
    return rows.map((row) => textOf(graphLine(row, style)).trimEnd())[0];
  };
  const again = [nodeStart("plan", { at: 0 }), failed(1, 60_000, 90_000)];
  const second = [...again, nodeStart("plan", { at: 90_000, attempt: 2 })];

  test("has the time of its latest attempt, not of the wait before it", () => {
    expect(lineAt(90_500, ...second)).toBe("  ● plan  attempt 2");
    expect(lineAt(102_000, ...second)).toBe("  ● plan  attempt 2                  12s");
    expect(lineAt(200_000, ...second, nodeEnd("plan", 150_000))).toBe("  ✓ plan  attempt 2               1m 00s");
  });

  test("has the moment of the next attempt while none runs", () => {
    expect(lineAt(61_000, ...again)).toMatch(/^ {2}‖ plan +until \d\d:\d\d$/);
  });

  test("does not take longer because the run had failed, and is not attempted again by being skipped", () => {
    const over = [nodeStart("plan", { at: 0 }), fatal(2_000), runEnd("failed", 2_000), runStart(900_000, true)];
    const again = [...over, nodeStart("plan", { at: 900_000, attempt: 2 }), fatal(903_000), runEnd("failed", 903_000)];
    expect(lineAt(950_000, ...again)).toBe("  ✗ plan  attempt 2                   3s");
    const skipped: RunEvent = { ...nodeEnd("plan", 990_000), isSkipped: true };
    expect(lineAt(999_000, ...again, runStart(990_000, true), skipped)).toBe(
      "  ⊘ plan  attempt 2                   3s",
    );
  });
});

test("a block has the time in which something in it worked: not that between two processes, or of a question", () => {
  const request = { id: "gate", nodeId: "gate", question: "Ship it?", askedAt: 30_000 };
  const events: readonly RunEvent[] = [
    ...[runStart(0), nodeStart("rounds[a]/work", { at: 0 }), nodeStart("rounds[b]/work", { at: 2_000 })],
    // Both were killed; nobody wrote an end.
    ...[runStart(500_000, true), nodeStart("rounds[a]/work", { at: 500_000, attempt: 2 })],
    ...[nodeStart("rounds[b]/work", { at: 501_000, attempt: 2 }), nodeEnd("rounds[a]/work", 503_000)],
    ...[nodeEnd("rounds[b]/work", 506_000), nodeStart("rounds[b]/gate", { at: 506_000 })],
    { ...nodeEnd("rounds[b]/gate", 506_000), type: "request", request },
  ];
  const rowOf = (now: number) => {
    const model = reduceRun(EMPTY_RUN, events);
    const rows = graphRows(createStepTree([], model.visits.values()), model);
    return rows.slice(0, 1).map((row) => [row.name, workedUntil(row, now)]);
  };
  expect(rowOf(999_000)).toEqual([["rounds", 8_000]]);
});
