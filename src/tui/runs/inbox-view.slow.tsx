import { afterEach, expect, test } from "bun:test";
import { APPROVE, INSTALL, KEEP_API, NOW } from "./fixtures/inbox-items.ts";
import { openInbox } from "./fixtures/open-inbox.tsx";

const opened: (() => void)[] = [];
afterEach(() => {
  for (const close of opened.splice(0)) close();
});

async function open(...call: Parameters<typeof openInbox>) {
  const ui = await openInbox(...call);
  opened.push(ui.close);
  return ui;
}

test("the inbox has all that waits, and the selected item in full", async () => {
  const ui = await open([INSTALL, KEEP_API, APPROVE]);
  expect(await ui.until(/Allow/)).toBe(
    [
      "  Waiting for you                                                            3",
      "",
      "  › ⊘ ralph  0vr8  worker 2 wants: npm install…   10s  denied in 1h  yes or no",
      "    ? ralph  0vr8  reviewer: Keep the old API?     2m                2 options",
      "    ? atomic 0vrb  approval: Approve the spec?     3h                     text",
      "",
      "  Allow shell:",
      "    Step: worker 2",
      "    Tool: Bash",
      "    Command:",
      "    2 lines below (pagedown), then yes",
      "    y  yes, this once",
      "    a  yes, for this run",
      "    p  always in this project",
      "    n  no",
      "  pagedown more · n no · o open run · esc leave",
    ].join("\n"),
  );
});

test("on a narrow screen the list has what matters", async () => {
  const ui = await open([INSTALL, APPROVE], { width: 40, height: 20 });
  const screen = await ui.until(/Allow/);
  expect(screen.split("\n").slice(0, 4)).toEqual([
    " Waiting for you                      2",
    "",
    " › ⊘ ralph   worker 2 wants: npm…   10s",
    "   ? atomic  approval: Approve th…   3h",
  ]);
  expect(screen).toContain("│ npm install left-pad");
});

test.each([
  ["y", "yes"],
  ["a", "run"],
  ["p", "always"],
  ["n", "no"],
])("the key %s answers a permission request with %s, and the list stays", async (key, answer) => {
  const ui = await open([INSTALL, KEEP_API], { height: 24 });
  await ui.until(/left-pad/);
  ui.settle();
  await ui.type(key);
  const screen = await ui.until(/Answered/);
  expect(ui.runs.calls).toEqual([["answerPermission", INSTALL.runId, "permission-1", answer]]);
  expect(screen).not.toContain("left-pad");
  expect(screen).toContain("› ? ralph");
  expect(screen.split("\n").at(-1)).toBe("  Answered. · enter answer · o open run · esc leave");
});

test("a key that was pressed before the request appeared is no answer", async () => {
  const ui = await open([INSTALL], { height: 24 });
  await ui.until(/left-pad/);
  await ui.type("y");
  expect(ui.runs.calls).toEqual([]);
});

test("a call is allowed only after all of it was shown", async () => {
  const command = Array.from({ length: 30 }, (_, index) => `echo ${index}`).join("\n");
  const ui = await open([{ ...INSTALL, request: { ...INSTALL.request, command } }]);
  await ui.until(/lines below/);
  ui.settle();
  await ui.type("y");
  expect(await ui.until(/Read all of it first/)).not.toContain("echo 29");
  expect(ui.runs.calls).toEqual([]);
  for (let page = 0; page < 9; page++) {
    await ui.act(() => ui.mockInput.pressKey("\u001b[6~"));
    await ui.draw();
  }
  expect(await ui.draw()).toContain("29 lines above");
  ui.settle();
  await ui.type("y");
  await ui.until(/Answered/);
  expect(ui.runs.calls).toHaveLength(1);
});

test("another request starts at its top, and has to be read itself", async () => {
  const command = Array.from({ length: 6 }, (_, index) => `echo ${index}`).join("\n");
  const long = { ...INSTALL, request: { ...INSTALL.request, command } };
  const ui = await open([long, { ...long, permissionId: "permission-2" }]);
  await ui.until(/then yes/);
  for (let page = 0; page < 3; page++) {
    await ui.act(() => ui.mockInput.pressKey("\u001b[6~"));
    await ui.draw();
  }
  ui.settle();
  await ui.type("y");
  expect(await ui.until(/then yes/)).toContain("  Allow shell:");
  ui.settle();
  await ui.type("y");
  await ui.until(/Read all of it first/);
  expect(ui.runs.calls).toEqual([["answerPermission", INSTALL.runId, "permission-1", "yes"]]);
});

test("a request whose content changes has to be read again", async () => {
  const changed = { ...INSTALL, request: { ...INSTALL.request, command: "rm -rf ~\n".repeat(20) } };
  const ui = await open([INSTALL], { height: 24 });
  await ui.until(/left-pad/);
  ui.runs.inbox = [changed];
  await ui.until(/then yes/);
  ui.settle();
  await ui.type("y");
  await ui.until(/Read all of it first/);
  expect(ui.runs.calls).toEqual([]);
});

test("a key that is held answers neither this request nor the next", async () => {
  const ui = await open([INSTALL, { ...INSTALL, permissionId: "permission-2" }], { height: 24 });
  await ui.until(/left-pad/);
  ui.settle();
  await ui.type("y");
  await ui.until(/Answered/);
  ui.clock.now += 660;
  for (let repeat = 0; repeat < 20; repeat++) {
    await ui.type("y");
    ui.clock.now += 30;
  }
  ui.settle();
  await ui.type("n");
  await ui.until(/Nothing waits/);
  expect(ui.runs.calls).toEqual([
    ["answerPermission", INSTALL.runId, "permission-1", "yes"],
    ["answerPermission", INSTALL.runId, "permission-2", "no"],
  ]);
});

test("a question shows its options with their descriptions, and takes no key before enter", async () => {
  const ui = await open([KEEP_API]);
  expect((await ui.until(/Keep it/)).split("\n").slice(4)).toEqual([
    "  Keep the old API?",
    "",
    "    1  Keep it",
    "       Callers change later",
    "    2  Remove it",
    ...["", "", "", "", "", ""],
    "  enter answer · o open run · esc leave",
  ]);
  ui.settle();
  await ui.type("2");
  await ui.enter();
  expect(await ui.until(/› 1 {2}Keep it/)).toContain("  enter or a number answers · esc back");
  expect(ui.runs.calls).toEqual([]);
});

test("a question is answered by the number or the place of an option", async () => {
  const ui = await open([KEEP_API, { ...KEEP_API, runId: "0vrc" }], { height: 20 });
  await ui.until(/1 {2}Keep it/);
  await ui.enter();
  await ui.until(/› 1 {2}Keep it/);
  ui.settle();
  await ui.type("2");
  await ui.until(/Answered/);
  await ui.enter();
  await ui.until(/› 1 {2}Keep it/);
  ui.settle();
  await ui.press("down");
  await ui.enter();
  expect(ui.runs.calls).toEqual([
    ["answer", KEEP_API.runId, "keep", "Remove it"],
    ["answer", "0vrc", "keep", "Remove it"],
  ]);
});

test("enter twice at once opens a question and does not answer it", async () => {
  const ui = await open([KEEP_API]);
  await ui.until(/Keep it/);
  ui.settle();
  await ui.enter();
  await ui.enter();
  await ui.until(/› 1 {2}Keep it/);
  expect(ui.runs.calls).toEqual([]);
});

test("a request of several questions puts one after the other, and escape returns to the one before", async () => {
  const schema = {
    type: "object",
    properties: {
      areas: {
        type: "array",
        items: { type: "string", enum: ["cart", "mail", "search"] },
        description: "What to test",
      },
      isUrgent: { type: "boolean" },
      note: { type: "string" },
    },
    required: ["areas", "isUrgent"],
  };
  const { options: _options, ...request } = KEEP_API.request;
  const ui = await open([{ ...KEEP_API, request: { ...request, question: "Plan the tests?", schema } }], {
    height: 20,
  });
  await ui.until(/Plan the tests/);
  await ui.enter();
  expect((await ui.until(/› 1/)).split("\n").slice(4, 11)).toEqual([
    "  Plan the tests?",
    "  areas: What to test",
    "  Question 1 of 3",
    "",
    "  › 1  ○ cart",
    "    2  ○ mail",
    "    3  ○ search",
  ]);
  ui.settle();
  await ui.type("1");
  await ui.until(/● cart/);
  ui.settle();
  await ui.type("3");
  await ui.until(/● search/);
  ui.settle();
  await ui.enter();
  await ui.until(/Question 2 of 3/);
  await ui.act(() => ui.mockInput.pressEscape());
  await ui.until(/Question 1 of 3/);
  ui.settle();
  await ui.type("2");
  await ui.until(/● mail/);
  ui.settle();
  await ui.enter();
  await ui.until(/Question 2 of 3/);
  ui.settle();
  await ui.enter();
  await ui.until(/Question 3 of 3/);
  ui.settle();
  await ui.press("down");
  await ui.type("soon");
  await ui.enter();
  await ui.until(/Answered/);
  expect(ui.runs.calls).toEqual([
    ["answer", KEEP_API.runId, "keep", { areas: ["mail"], isUrgent: true, note: "soon" }],
  ]);
});

test("a question with a default counts down and says what happens without an answer", async () => {
  const request = { ...KEEP_API.request, autoApproveAt: NOW + 80_000, autoApproveValue: "Keep it" };
  const ui = await open([{ ...KEEP_API, request, deadline: NOW + 80_000 }]);
  expect((await ui.until(/Without/)).split("\n").slice(4, 6)).toEqual([
    "  Keep the old API?                                                1m 20s left",
    '  Without an answer: "Keep it"',
  ]);
});

test("a question without options takes a text, and letters of it are no commands", async () => {
  const ui = await open([APPROVE]);
  await ui.until(/enter answer/);
  await ui.enter();
  await ui.type("yes, no o");
  expect(await ui.draw()).toContain("› 1  yes, no o");
  await ui.enter();
  expect(ui.runs.calls).toEqual([["answer", APPROVE.runId, "approval", "yes, no o"]]);
});

test("a text stays when the person leaves the form and returns", async () => {
  const ui = await open([APPROVE]);
  await ui.until(/enter answer/);
  await ui.enter();
  await ui.type("yes");
  await ui.act(() => ui.mockInput.pressEscape());
  expect(await ui.until(/enter answer · o open run/)).toContain("1  yes");
  await ui.enter();
  await ui.until(/› 1 {2}yes/);
  await ui.enter();
  expect(ui.runs.calls).toEqual([["answer", APPROVE.runId, "approval", "yes"]]);
});

test("a text never answers another question than the one it was typed for", async () => {
  const ui = await open([APPROVE, INSTALL]);
  await ui.until(/enter answer/);
  ui.settle();
  await ui.enter();
  await ui.type("yes");
  ui.runs.inbox = [INSTALL];
  expect(await ui.until((screen) => !screen.includes("0vrb"))).toContain(
    '  The question is no longer open: enter continues. Not sent: "yes".',
  );
  ui.settle();
  await ui.type("y");
  ui.settle();
  await ui.type("a");
  ui.settle();
  await ui.enter();
  await ui.type("y");
  expect(await ui.draw()).toContain("The question is no longer open.");
  expect(ui.runs.calls).toEqual([]);
});

test("an answer that fails is a line, and the item is back", async () => {
  const ui = await open([KEEP_API], { failures: { answer: "The run has ended." } });
  await ui.until(/Keep it/);
  await ui.enter();
  await ui.until(/› 1 {2}Keep it/);
  ui.settle();
  await ui.type("1");
  const screen = await ui.until(/The run has ended/);
  expect(screen).toContain("› ? ralph");
});

test("an inbox that cannot be read says why, and an empty one that nothing waits", async () => {
  const broken = await open([], { failures: { loadInbox: "The folder is gone." } });
  expect(await broken.until(/gone/)).toContain("The folder is gone.");
  const empty = await open([]);
  expect(await empty.until(/Nothing/)).toContain("  Nothing waits for you.");
});

test("the runs that could not be read are counted, with and without something that waits", async () => {
  const empty = await open([], { unreadableCount: 1 });
  expect(await empty.until(/Nothing/)).toContain("  Nothing waits for you. 1 run cannot be read: see the runs.");
  const full = await open([KEEP_API], { unreadableCount: 2 });
  expect((await full.until(/Keep it/)).split("\n")[0]).toBe(
    `  ${"Waiting for you".padEnd(52)}2 runs cannot be read  1`,
  );
});

test("a question of a run without a process is due, and never too late", async () => {
  const request = { ...APPROVE.request, autoApproveAt: NOW + 14_000, autoApproveValue: "no" };
  const ui = await open([{ ...APPROVE, request, dueAt: NOW + 14_000 }], { height: 20 });
  expect(await ui.until(/Approve the spec/)).toContain("due in 14s  text");
  ui.clock.now += 60_000;
  const screen = await ui.until(/ due {2}text/);
  expect(screen).toContain("From 1970-01-01 02:46:54 UTC on, the run continues without an answer: atomic");
  expect(screen).not.toMatch(/too late|left/);
});

test("opened for a question, it selects that one first, and escape returns to its run", async () => {
  const { runId, request } = APPROVE;
  const back = { type: "run", runId, from: "runs", filter: "spec" } as const;
  const ui = await open([INSTALL, KEEP_API, APPROVE], { question: { runId, requestId: request.id }, back });
  expect(await ui.until(/Approve the spec/)).toContain("  › ? atomic 0vrb  approval: Approve the spec?");
  await ui.press("up");
  expect(await ui.until(/› \? ralph/)).toContain("  › ? ralph  0vr8  reviewer: Keep the old API?");
  await ui.act(() => ui.mockInput.pressEscape());
  expect(ui.store.snapshot().view).toEqual(back);
});

test("opened for a run, it selects the run's first question", async () => {
  const ui = await open([INSTALL, KEEP_API, APPROVE], { question: { runId: APPROVE.runId } });
  expect(await ui.until(/Approve the spec/)).toContain("  › ? atomic 0vrb  approval: Approve the spec?");
});

test("opened to answer a question, it has its form open once, and escape leaves the form first", async () => {
  const { runId, request } = KEEP_API;
  const ui = await open([APPROVE, KEEP_API], { question: { runId, requestId: request.id, isOpen: true } });
  await ui.until(/› 1 {2}Keep it/);
  await ui.act(() => ui.mockInput.pressEscape());
  expect(await ui.until(/enter answer/)).toContain("  › ? ralph  0vr8  reviewer: Keep the old API?");
  await ui.act(() => ui.mockInput.pressEscape());
  expect(ui.store.snapshot().view).toEqual({ type: "chat" });
});

test("opened for a question that is answered already, it has the others", async () => {
  const ui = await open([KEEP_API], { question: { runId: "gone", requestId: "gone" } });
  expect(await ui.until(/Keep it/)).toContain("  › ? ralph 0vr8  reviewer: Keep the old API?");
});

test("o opens the run, and escape leaves", async () => {
  const ui = await open([KEEP_API]);
  await ui.until(/Keep it/);
  await ui.type("o");
  expect(ui.store.snapshot().view).toEqual({ type: "run", runId: KEEP_API.runId, from: "inbox" });
  await ui.act(() => ui.mockInput.pressEscape());
  expect(ui.store.snapshot().view).toEqual({ type: "chat" });
});
