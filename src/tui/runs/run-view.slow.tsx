import { afterEach, describe, expect, test } from "bun:test";
import { CART_RUN, LATER } from "./fixtures/cart-run.ts";
import { FakeRuns } from "./fixtures/fake-runs.ts";
import { cartRuns, openRunView } from "./fixtures/open-run-view.tsx";
import { agentEvent, nodeEnd, nodeStart, runEnd, runStart } from "./fixtures/run-events.ts";

const opened: (() => void)[] = [];
afterEach(() => {
  for (const close of opened.splice(0)) close();
});

async function open(...args: Parameters<typeof openRunView>) {
  const ui = await openRunView(...args);
  opened.push(ui.close);
  return ui;
}

const ID = CART_RUN.id;

const isComplete = /0vr8z8579gzr[\s\S]*worker 3/;

describe("a run", () => {
  test("on a wide screen has its graph beside its agents, and a thread below", async () => {
    const ui = await open(cartRuns());
    expect((await ui.until(isComplete)).split("\n")).toEqual([
      '  ralph  0vr8z8579gzr  "Repair the cart"                                               ● 1 of 5  4m 10s  182.0k  $1.32',
      "",
      "  ▾ Graph                                          Agents                                         Tasks  ✓ 1  ● 3  ○ 1",
      "    ✓ Read the goal                                ● worker 2        opencode         Shell npm test -- cart       12s",
      "    ✓ Plan the tasks                        3s     │   Task 4: quantity of 0                             41.0k   $0.30",
      "    ● rounds                            4m 05s     ● worker 3        claude · sonnet  thinking                      4s",
      "    │ ● workers  1 of 4                 4m 05s     │   Task 7: currency                                  22.0k   $0.41",
      "  › │ │ ● worker 2  Task 4: quantity o… 4m 04s     │ └ explorer  Find all prices                                   20s",
      "    │ │ ● worker 3  Task 7: currency    4m 03s     ‖ worker 4        copilot          rate limit, resumes 14:15 4m 02s",
      "    │ │ ● worker 4  Task 8: rounding    4m 02s     │   Task 8: rounding",
      "    │ ○ Review                                     ✓ worker 1        claude · sonnet  Task 1:…  1m 30s   98.0k   $0.40",
      "    ○ Open the pull request                        ✓ Plan the tasks  claude · opus                  3s   21.0k   $0.21",
      "  ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────",
      "    worker 2 · Task 4: quantity of 0",
      "    I'll look at the cart first.",
      "",
      "    ▸ Read src/cart.ts                                                                                            0.1s",
      "    ● Shell npm test -- cart                                                                                       12s",
      "",
      "",
      "",
      "",
      "",
      "  enter open · tab pane · c cancel · r retry · s skip · p pause · f branch · t tasks · esc leave",
    ]);
  });

  test("on a screen of 80 columns has its panes below each other", async () => {
    const ui = await open(cartRuns(), { width: 80 });
    const lines = (await ui.until(isComplete)).split("\n");
    expect([2, 9, 15, 16, 23].map((index) => lines[index])).toEqual([
      "  ▾ Graph                                                             … 3 more",
      "    Agents                                      … 3 more  Tasks  ✓ 1  ● 3  ○ 1",
      `  ${"─".repeat(76)}`,
      "    worker 2 · Task 4: quantity of 0",
      "  enter open · tab pane · c cancel · r retry · s skip · p pause · esc leave",
    ]);
  });

  test("on a narrow screen has the focused pane, and the others in a line", async () => {
    const ui = await open(cartRuns(), { width: 40, height: 12 });
    expect((await ui.until(/worker 3/)).split("\n").slice(0, 4)).toEqual([
      ' ralph  "Repair the c… ● 1 of 5  4m 10s',
      " Agents  ● 2  ‖ 1  ✓ 2",
      "",
      " ▾ Graph                       … 3 more",
    ]);
    await ui.tab();
    expect((await ui.draw()).split("\n").slice(1, 6)).toEqual([
      " Graph   ● worker 4  Task 8: rounding",
      "",
      " ▾ Agents       … 2 more  ✓ 1  ● 3  ○ 1",
      " › ● worker 2     Shell npm test -… 12s",
      "   │   Task 4: quanti…    41.0k   $0.30",
    ]);
  });

  test("has signs of ASCII only where the terminal needs it", async () => {
    const ui = await open(cartRuns(), { isAscii: true });
    const screen = await ui.until(isComplete);
    expect(screen).toContain("| * workers  1 of 4");
    expect(screen).not.toMatch(/[●✓○‖│─▾›└]/);
  });
});

test("a node and its agents are lit together, whichever is selected", async () => {
  const ui = await open(cartRuns());
  await ui.until(isComplete);
  const bold = async (): Promise<readonly string[]> => {
    await ui.draw();
    const spans = ui.captureSpans().lines.flatMap(({ spans }) => spans);
    return spans.filter(({ attributes }) => (attributes & 1) === 1).map(({ text }) => text.trim());
  };
  expect(await bold()).toEqual(["ralph", "Graph", "worker 2", "worker 2"]);
  await ui.tab();
  await ui.act(() => ui.mockInput.pressArrow("down"));
  expect(await bold()).toEqual(["ralph", "Agents", "worker 3", "worker 3"]);
});

test("Enter opens the agent's thread full size; what it says appears at its end", async () => {
  const runs = cartRuns();
  const ui = await open(runs);
  await ui.until(isComplete);
  await ui.act(() => ui.mockInput.pressEnter());
  expect((await ui.draw()).split("\n")[2]).toBe("  worker 2 · opencode · Task 4: quantity of 0");
  const task = "workers[1]/implement";
  const hostile = "Done\u001b[2J\u202e.";
  runs.emit(agentEvent(task, { type: "text-delta", sessionId: `s-${task}`, text: hostile }, LATER));
  expect(await ui.until(/Done\./)).not.toContain("\u001b");
  await ui.act(() => ui.mockInput.pressEscape());
  expect(await ui.draw()).toContain("▾ Graph");
});

test("Enter on a step that waits for a person opens its own question", async () => {
  const about = { runId: "r", taskId: "publish", nodeId: "publish", at: LATER } as const;
  const request = { id: "publish#1", nodeId: "publish", question: "Publish it?", askedAt: LATER };
  const runs = cartRuns();
  runs.emit(nodeStart("publish", { at: LATER, nodeType: "wait" }), { ...about, type: "request", request });
  const ui = await open(runs, { width: 80 });
  await ui.until(/1 question/);
  for (let count = 0; count < 8; count++) await ui.act(() => ui.mockInput.pressArrow("down"));
  expect(await ui.until(/Enter opens the question/)).toContain("Publish it?");
  await ui.act(() => ui.mockInput.pressEnter());
  const question = { runId: ID, requestId: "publish#1" };
  const back = { type: "run", runId: ID, from: "runs", filter: "cart" } as const;
  expect(ui.store.snapshot().view).toEqual({ type: "inbox", question: { ...question, isOpen: true }, back });
  await ui.act(() => ui.store.show(back));
  await ui.type("i");
  expect(ui.store.snapshot().view).toEqual({ type: "inbox", question: { ...question, isOpen: false }, back });
  await ui.act(() => ui.store.show(back));
  await ui.act(() => ui.mockInput.pressArrow("up"));
  await ui.type("i");
  expect(ui.store.snapshot().view).toEqual({ type: "inbox", question: { runId: ID }, back });
});

test("a folded map whose branch asks says which key opens the question, as Enter unfolds it", async () => {
  const steps = [
    { nodeId: "parts", name: "parts", nodeType: "map", depth: 0 },
    { nodeId: "ok", name: "ok", nodeType: "ask_user", depth: 1 },
  ];
  const runs = new FakeRuns({ details: { ...CART_RUN, steps, tasks: [] } });
  for (const [index, item] of ["alpha", "beta"].entries()) {
    const taskId = `parts[${index}]/ok`;
    const request = { id: taskId, nodeId: "ok", item, question: "Fine?", askedAt: LATER };
    const about = { runId: ID, taskId, nodeId: "ok", at: LATER } as const;
    runs.emit(nodeStart(taskId, { at: LATER, nodeId: "ok", nodeType: "ask_user", item }), {
      ...about,
      type: "request",
      request,
    });
  }
  const ui = await open(runs);
  expect(await ui.until(/i shows the question\./)).toContain("beta: Fine?");
  await ui.act(() => ui.mockInput.pressArrow("down"));
  expect(await ui.until(/Enter opens the question\./)).toContain("alpha: Fine?");
});

test("the tasks take the place of the thread", async () => {
  const ui = await open(cartRuns());
  await ui.until(isComplete);
  await ui.type("t");
  const lines = (await ui.draw()).split("\n").slice(13, 19);
  expect(lines.map((line) => line.replace(/ {5,}/, "     "))).toEqual([
    "    Tasks  ✓ 1  ● 3  ○ 1     tasks.json",
    "    ✓ 1  Names",
    "    ● 4  Quantity of 0",
    "    ● 7  Currency",
    "    ● 8  Rounding",
    "    ○ 9  Totals     needs 8",
  ]);
});

describe("commands", () => {
  test("that end something are confirmed once", async () => {
    const runs = cartRuns();
    const ui = await open(runs);
    await ui.until(isComplete);
    await ui.type("c");
    expect(await ui.draw()).toEndWith(
      '  Cancel "worker 2 Task 4: quantity of 0"?  y this step · a the whole run · n no',
    );
    await ui.type("n");
    await ui.type("s");
    await ui.type("y");
    expect(runs.calls).toEqual([["skipNode", ID, "workers[1]/implement"]]);
  });

  test("ask in several lines where one is too short, below all panes", async () => {
    const ui = await open(cartRuns(), { width: 40, height: 12 });
    await ui.until(/worker 3/);
    const before = (await ui.draw()).split("\n");
    await ui.type("c");
    const lines = (await ui.draw()).split("\n");
    expect(lines.slice(-3)).toEqual([
      ' Cancel "worker 2 Task 4: quantity of',
      ' 0"?',
      " y this step · a the whole run · n no",
    ]);
    expect(lines.slice(0, 3)).toEqual(before.slice(0, 3));
    expect(lines.join("\n")).toContain("› │ │ ● worker 2");
  });

  test("that fail are a line, and the next key removes it", async () => {
    const runs = cartRuns();
    runs.failures = { retryNode: "The step has ended." };
    const ui = await open(runs);
    await ui.until(isComplete);
    await ui.type("r");
    expect(await ui.draw()).toEndWith('  Retry "worker 2 Task 4: quantity of 0"?  y retry it · n no');
    await ui.type("y");
    await ui.until(/Retry "worker 2 Task 4: quantity of 0": The step has ended\./);
    await ui.tab();
    expect(await ui.draw()).not.toContain("has ended");
  });

  test.each([
    ["running", "pause"],
    ["pausing", "resume"],
    ["paused", "resume"],
    ["failed", "resume"],
  ] as const)("pause or resume a run that is %s", async (state, call) => {
    const runs = cartRuns({ ...CART_RUN, state });
    const ui = await open(runs);
    await ui.until(isComplete);
    await ui.type("p");
    expect(runs.calls).toEqual([[call, ID]]);
  });
});

test("a run that only waits for answers says so in place of being resumed", async () => {
  const request = { id: "publish", nodeId: "publish", question: "Publish it?", askedAt: LATER };
  const runs = cartRuns({ ...CART_RUN, state: "suspended", requests: [request] });
  runs.emit(runEnd("suspended", LATER));
  const ui = await open(runs);
  expect(await ui.until(/1 question: i inbox/)).not.toContain("p resume");
  await ui.type("p");
  expect(await ui.draw()).toEndWith("  The run waits for an answer: i opens the question.");
  expect(runs.calls).toEqual([]);
  runs.details = { ...runs.details, requests: [{ ...request, autoApproveAt: LATER }] };
  await ui.tab();
  await ui.until(/p resume/);
  await ui.type("p");
  expect(runs.calls).toEqual([["resume", ID]]);
});

test("a completed run shows its output, and leaves to the list it was opened from", async () => {
  const output = Array.from({ length: 40 }, (_, index) => `line ${index}`).join("\n");
  const runs = cartRuns({ ...CART_RUN, state: "completed", output });
  runs.emit(runEnd("completed", LATER));
  const ui = await open(runs);
  await ui.until(/completed/);
  await ui.type("o");
  expect(await ui.draw()).toContain("line 39");
  await ui.act(() => ui.mockInput.pressEscape());
  await ui.act(() => ui.mockInput.pressEscape());
  expect(ui.store.snapshot().view).toEqual({ type: "runs", runId: ID, filter: "cart" });
});

test("a run that another process resumes is followed again", async () => {
  const runs = cartRuns({ ...CART_RUN, state: "failed" });
  runs.end();
  const ui = await open(runs);
  await ui.until(/failed, 1 of 5/);
  runs.details = CART_RUN;
  runs.emit(runStart(LATER, true), agentEvent("plan", { type: "text-delta", sessionId: "s-plan", text: "x" }, LATER));
  expect(await ui.until(/● 1 of 5/)).toContain("Plan the tasks");
});

test("a failed step that is skipped loses its sign of a failure, also when the run ends before the next look", async () => {
  const about = { runId: "r", taskId: "verify", nodeId: "verify", at: LATER } as const;
  const runs = new FakeRuns({
    details: { ...CART_RUN, steps: [], state: "failed", execution: "1" },
    events: [
      runStart(LATER),
      nodeStart("verify", { at: LATER, nodeType: "tool" }),
      { ...about, type: "node-error", attempt: 1, error: { code: "X", message: "The command failed." } },
      runEnd("failed", LATER),
    ],
  });
  runs.end();
  const followed: string[] = [];
  const ui = await open(runs, { followed });
  await ui.until(/✗ verify/);
  await ui.type("s");
  runs.details = { ...runs.details, state: "completed", execution: "2" };
  runs.emit(runStart(LATER, true), { ...nodeEnd("verify", LATER), isSkipped: true }, runEnd("completed", LATER));
  runs.end();
  await ui.type("y");
  expect(await ui.until(/⊘ verify/)).not.toContain("✗");
  expect([runs.calls, followed]).toEqual([[["skipNode", ID, "verify"]], [ID]]);
});

test("until its details are read, a run is what its events say", async () => {
  const runs = cartRuns();
  runs.failures = { load: "Later." };
  const ui = await open(runs);
  expect((await ui.until(isComplete)).split("\n")[0]).toMatch(/^ {2}ralph {2}0vr8z8579gzr {2,}● 1 of 5 {2}4m 10s/);
});

test("a run that no process executes and that cannot be read says why, in full, and what to try", async () => {
  const reason = `The journal of the run "${ID}" is damaged at entry 1 (file is not a database), so the run can be neither shown nor resumed.`;
  const runs = cartRuns();
  runs.failures = { load: `${reason}\nRestore journal.db there from a backup.` };
  const ui = await open(runs, { width: 80 });
  runs.end();
  expect((await ui.until(/Restore/)).split("\n").slice(0, 6)).toEqual([
    `  ${"The run cannot be read.".padEnd(76 - ID.length)}${ID}`,
    "",
    '    The journal of the run "0vr8z8579gzr" is damaged at entry 1 (file is not a',
    "    database), so the run can be neither shown nor resumed.",
    "    Restore journal.db there from a backup.",
    "",
  ]);
});

test("a run that vanished is a clear line", async () => {
  const runs = new FakeRuns({ failures: { load: "There is no run 0vr8.", follow: "There is no run 0vr8." } });
  const ui = await open(runs);
  const rows = (await ui.until(/no run/)).split("\n");
  expect([...rows.slice(0, 3), rows.at(-1)]).toEqual([
    `  ${"The run cannot be read.".padEnd(116 - ID.length)}${ID}`,
    "",
    "    There is no run 0vr8.",
    "  esc leave",
  ]);
  await ui.act(() => ui.mockInput.pressEscape());
  expect(ui.store.snapshot().view).toEqual({ type: "runs", runId: ID, filter: "cart" });
});
