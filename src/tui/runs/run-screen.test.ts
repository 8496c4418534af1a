import { describe, expect, test } from "bun:test";
import type { RunEvent } from "../../contracts/index.ts";
import { Keymap, parseKey } from "../keys/keymap.ts";
import { CART_EVENTS, CART_RUN } from "./fixtures/cart-run.ts";
import { nodeEnd, nodeStart, runEnd } from "./fixtures/run-events.ts";
import { EMPTY_RUN, reduceRun } from "./run-model.ts";
import { createRunScene } from "./run-scene.ts";
import {
  describeConfirmation,
  OPENED_RUN,
  pressRunKey,
  type RunEffect,
  type RunScreen,
  selectedAgent,
  selectedRow,
} from "./run-screen.ts";

const watched = { runId: CART_RUN.id, details: CART_RUN, model: reduceRun(EMPTY_RUN, CART_EVENTS), problem: undefined };
const keymap = new Keymap();

/** Presses keys one after the other. Returns the screen and the effects. */
function press(...keys: readonly string[]) {
  let screen: RunScreen = OPENED_RUN;
  const effects: RunEffect[] = [];
  for (const text of keys) {
    const scene = createRunScene(watched, screen, { columns: 120, rows: 30 });
    const key = parseKey(text);
    if (key === undefined) throw new Error(`No key: ${text}`);
    const outcome = pressRunKey(screen, key, { scene, matches: (action, pressed) => keymap.matches(action, pressed) });
    if (outcome === undefined) continue;
    screen = outcome.screen;
    if (outcome.effect !== undefined) effects.push(outcome.effect);
  }
  const scene = createRunScene(watched, screen, { columns: 120, rows: 30 });
  return { screen, effects, row: selectedRow(screen, scene)?.name, agent: selectedAgent(screen, scene)?.name, scene };
}

test("the first step that works is selected, and the agent that works for it", () => {
  expect(press()).toMatchObject({ row: "worker 2", agent: "worker 2" });
});

test.each([
  { keys: ["down"], row: "worker 3", agent: "worker 3" },
  { keys: ["up", "up", "up"], row: "Plan the tasks", agent: "Plan the tasks" },
  { keys: Array.from({ length: 20 }, () => "up"), row: "Read the goal", agent: undefined },
  { keys: ["tab", "down"], row: "worker 2", agent: "worker 3" },
  { keys: ["tab", "tab", "tab", "down"], row: "worker 3", agent: "worker 3" },
])("after $keys, $row and $agent are selected", ({ keys, row, agent }) => {
  const after = press(...keys);
  expect({ row: after.row, agent: after.agent }).toEqual({ row, agent });
});

describe("a command is for the selected step", () => {
  const visit = expect.objectContaining({ taskId: "workers[1]/implement" });
  test.each<{ readonly keys: readonly string[]; readonly effects: readonly unknown[] }>([
    { keys: ["r"], effects: [] },
    { keys: ["r", "y"], effects: [{ type: "retry-node", visit }] },
    { keys: ["r", "n"], effects: [] },
    { keys: ["s", "y"], effects: [{ type: "skip-node", visit }] },
    { keys: ["s", "n"], effects: [] },
    { keys: ["s", "enter"], effects: [] },
    { keys: ["c", "y"], effects: [{ type: "cancel-node", visit }] },
    { keys: ["c", "a"], effects: [{ type: "cancel-run" }] },
    { keys: ["c", "escape"], effects: [] },
    { keys: ["c", "r"], effects: [] },
    { keys: ["c", "ctrl+a"], effects: [] },
    { keys: ["c", "ctrl+y"], effects: [] },
    { keys: ["c", "alt+a"], effects: [] },
    { keys: ["s", "ctrl+y"], effects: [] },
    { keys: ["c", "ctrl+a", "a"], effects: [{ type: "cancel-run" }] },
    { keys: ["s", "x", "y"], effects: [{ type: "skip-node", visit }] },
    { keys: ["tab", "r", "y"], effects: [{ type: "retry-node", visit }] },
    { keys: ["up", "up", "up", "c", "y"], effects: [{ type: "cancel-run" }] },
    {
      keys: ["up", "up", "up", "r"],
      effects: [{ type: "say", text: "Only a step that works, waits or failed can be retried. Select one." }],
    },
    { keys: ["p"], effects: [{ type: "pause-or-resume" }] },
    { keys: ["o"], effects: [{ type: "say", text: "The run has no output yet." }] },
    { keys: ["i"], effects: [{ type: "inbox" }] },
    { keys: ["ctrl+t"], effects: [{ type: "tasks" }] },
    { keys: ["ctrl+c"], effects: [] },
  ])("$keys", ({ keys, effects }) => {
    expect(press(...keys).effects).toEqual(effects as RunEffect[]);
  });
});

test("enter opens the agent's thread full size, and escape leaves one thing after the other", () => {
  expect(press("enter").screen.full).toBe("thread");
  expect(press("f").scene.rows.map(({ name }) => name)).toEqual(["worker 2"]);
  expect(press("f", "enter", "escape").screen).toMatchObject({ full: undefined, branch: expect.any(String) });
  expect(press("f", "enter", "escape", "escape", "escape").effects).toEqual([{ type: "leave" }]);
});

test("left and right fold and open a block", () => {
  const folded = press("up", "up", "left");
  expect(folded.row).toBe("rounds");
  expect(folded.scene.rows.map(({ name }) => name)).toEqual([
    "Read the goal",
    "Plan the tasks",
    "rounds",
    "Open the pull request",
  ]);
  expect(press("up", "up", "left", "enter").scene.rows).toHaveLength(9);
});

test("the thread scrolls up and follows again", () => {
  expect(press("tab", "tab", "up", "up").screen.scroll).toBe(2);
  expect(press("pageup").screen.scroll).toBe(11);
  expect(press("pageup", "end").screen.scroll).toBe(0);
});

test("the cancel of a step whose failure fails the run warns of that", () => {
  const model = reduceRun(watched.model, [nodeStart("review", { name: "Review" })]);
  const scene = createRunScene({ ...watched, model }, OPENED_RUN, { columns: 120, rows: 30 });
  const row = scene.rows.find(({ name }) => name === "Review");
  const screen = { ...OPENED_RUN, rowKey: row?.key };
  const key = { name: "c", ctrl: false, shift: false, meta: false };
  const outcome = pressRunKey(screen, key, { scene, matches: () => false });
  const { confirmation } = outcome?.screen ?? {};
  expect(confirmation && describeConfirmation(confirmation)).toBe(
    'Cancel "Review"? The run fails with it.  y this step · a the whole run · n no',
  );
});

test("a retry is for the step that its question names, also when the selection has moved meanwhile", () => {
  const asked = press("r");
  const model = reduceRun(watched.model, [nodeEnd("workers[1]/implement", 9)]);
  const scene = createRunScene({ ...watched, model }, asked.screen, { columns: 120, rows: 30 });
  const key = { name: "y", ctrl: false, shift: false, meta: false };
  const outcome = pressRunKey(asked.screen, key, { scene, matches: () => false });
  const { confirmation } = asked.screen;
  expect(confirmation && describeConfirmation(confirmation)).toBe('Retry "Task 4: quantity of 0"?  y retry it · n no');
  expect([selectedRow(asked.screen, scene)?.name, outcome?.effect]).toMatchObject([
    "worker 3",
    { type: "retry-node", visit: { taskId: "workers[1]/implement" } },
  ]);
});

test("a failure that the run handled can be neither retried nor skipped; one that ended the run can", () => {
  const start = nodeStart("review", { name: "Review" });
  const failed = {
    ...nodeEnd("review", 9),
    type: "node-error",
    attempt: 1,
    error: { code: "X", message: "No." },
  } as const;
  const effectOf = (letter: "r" | "s", events: readonly RunEvent[], state: "running" | "failed") => {
    const model = reduceRun(watched.model, [start, failed, ...events]);
    const run = { ...watched, model, details: { ...CART_RUN, state } };
    const scene = createRunScene(run, OPENED_RUN, { columns: 120, rows: 30 });
    const screen = { ...OPENED_RUN, rowKey: scene.rows.find(({ name }) => name === "Review")?.key };
    const outcome = pressRunKey(
      screen,
      { name: letter, ctrl: false, shift: false, meta: false },
      { scene, matches: () => false },
    );
    return outcome?.effect ?? outcome?.screen.confirmation?.type;
  };
  const over = [runEnd("failed", 10, { code: "X", message: "No.", nodeId: "review" })];
  const why = (done: string) => ({
    type: "say" as const,
    text: `The run handled this failure and continues without the step: it cannot be ${done}.`,
  });
  expect([effectOf("r", [], "running"), effectOf("s", [], "running")]).toEqual([why("retried"), why("skipped")]);
  expect([effectOf("r", over, "failed"), effectOf("s", over, "failed")]).toEqual(["retry", "skip"]);
});

test("Enter on a branch of several steps opens the agent that works in it; where a step failed, its steps", () => {
  const note = nodeStart("workers[1]/note", { item: "worker 2", name: "Note" });
  const failed = {
    ...nodeEnd(note.taskId, 9),
    type: "node-error",
    attempt: 1,
    error: { code: "X", message: "No." },
  } as const;
  const enter = (...events: readonly RunEvent[]) => {
    const model = reduceRun(watched.model, events);
    const screen = { ...OPENED_RUN, rowKey: "workers[1]" };
    const scene = createRunScene({ ...watched, model }, screen, { columns: 120, rows: 30 });
    const key = { name: "return", ctrl: false, shift: false, meta: false };
    const { full, folds } = pressRunKey(screen, key, { scene, matches: () => false })?.screen ?? {};
    return [full, folds?.get("workers[1]")];
  };
  expect(enter(note)).toEqual(["thread", undefined]);
  expect(enter(nodeEnd("workers[1]/implement", 8), note, failed)).toEqual([undefined, true]);
});
