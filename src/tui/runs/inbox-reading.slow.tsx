import { afterEach, expect, test } from "bun:test";
import { APPROVE, INSTALL, KEEP_API } from "./fixtures/inbox-items.ts";
import { openInbox } from "./fixtures/open-inbox.tsx";

const opened: (() => void)[] = [];
afterEach(() => {
  for (const close of opened.splice(0)) close();
});

async function open(...call: Parameters<typeof openInbox>) {
  const ui = await openInbox(...call);
  opened.push(ui.close);
  const page = () => ui.act(() => ui.mockInput.pressKey("\u001b[6~"));
  return { ...ui, page };
}

const lines = (count: number): string => Array.from({ length: count }, (_, index) => `line ${index}`).join("\n");
const LONG_QUESTION = { ...KEEP_API, request: { ...KEEP_API.request, question: lines(9) } };
const LONG_COMMAND = { ...INSTALL, request: { ...INSTALL.request, command: lines(9) } };
const MANY_OPTIONS = {
  ...KEEP_API,
  request: { ...KEEP_API.request, options: Array.from({ length: 8 }, (_, index) => ({ label: `Way ${index + 1}` })) },
};

test("a question whose lines were never shown takes no answer until all of them were", async () => {
  const ui = await open([LONG_QUESTION], { height: 12 });
  await ui.until(/line 0/);
  await ui.enter();
  await ui.until(/› 1 {2}Keep it/);
  ui.settle();
  await ui.type("1");
  ui.settle();
  await ui.enter();
  expect(ui.runs.calls).toEqual([]);
  expect(await ui.draw()).toContain("read all of it first · esc back");
  for (let turned = 0; turned < 9; turned++) {
    await ui.page();
    await ui.draw();
  }
  expect(await ui.until(/number answers/)).toContain("line 8");
  ui.settle();
  await ui.enter();
  await ui.until(/Answered/);
  expect(ui.runs.calls).toEqual([["answer", KEEP_API.runId, "keep", "Keep it"]]);
});

test("pages of a question that are turned before they are drawn are not read", async () => {
  const ui = await open([LONG_QUESTION], { height: 12 });
  await ui.until(/line 0/);
  await ui.enter();
  await ui.until(/› 1 {2}Keep it/);
  ui.settle();
  ui.holdFrames();
  for (let turned = 0; turned < 9; turned++) await ui.page();
  ui.settle();
  await ui.enter();
  expect(ui.runs.calls).toEqual([]);
  expect(await ui.draw()).toMatch(/line 3\n[\s\S]*3 more \(pagedown\), then answer/);
});

test("options that the pointer passes before they are drawn are not read", async () => {
  const ui = await open([MANY_OPTIONS], { height: 8 });
  await ui.until(/Way 1/);
  await ui.enter();
  await ui.until(/› 1 {2}Way 1/);
  ui.settle();
  ui.holdFrames();
  for (let moved = 0; moved < 7; moved++) await ui.press("down");
  ui.settle();
  await ui.enter();
  expect(ui.runs.calls).toEqual([]);
  expect(await ui.until(/› 8 {2}Way 8/)).toContain("more options (down), then answer");
  for (let moved = 0; moved < 7; moved++) {
    await ui.press("up");
    await ui.draw();
  }
  await ui.until(/number answers/);
  ui.settle();
  await ui.enter();
  await ui.until(/Answered/);
  expect(ui.runs.calls).toEqual([["answer", KEEP_API.runId, "keep", "Way 1"]]);
});

test("pages of a permission request that are turned before they are drawn are not read", async () => {
  const ui = await open([LONG_COMMAND], { height: 12 });
  await ui.until(/then yes/);
  ui.holdFrames();
  for (let turned = 0; turned < 20; turned++) await ui.page();
  ui.settle();
  await ui.type("y");
  expect(await ui.until(/Read all of it first: page down\./)).toContain("then yes");
  expect(ui.runs.calls).toEqual([]);
});

test("the last line offers only the answers that work", async () => {
  const ui = await open([LONG_COMMAND], { width: 100, height: 12 });
  const lastLine = async () => (await ui.draw()).split("\n").at(-1);
  await ui.until(/then yes/);
  expect(await lastLine()).toBe("  pagedown more · n no · o open run · esc leave");
  for (let turned = 0; turned < 20; turned++) {
    await ui.page();
    await ui.draw();
  }
  expect(await lastLine()).toBe("  y yes · n no · a this run · p this project · o open run · esc leave");
  const once = await open([{ ...INSTALL, request: { ...INSTALL.request, isOnce: true } }], { height: 24 });
  await once.until(/y yes/);
  expect((await once.draw()).split("\n").at(-1)).toBe("  y yes · n no · o open run · esc leave");
});

const ENLARGE = " Enlarge the window to answer";
const OF_PERMISSION = " › ⊘ ralph   worker 2 wants: npm…   10s";
const OF_QUESTION = " › ? ralph   reviewer: Keep the o…   2m";
const OF_TEXT = " › ? atomic  approval: Approve th…   3h";
const TITLE = " Waiting for you            … 1 more  2";

test.each<{ rows: number; screen: string[] }>([
  { rows: 1, screen: [" enlarge the window · n no · esc leave"] },
  { rows: 2, screen: [OF_PERMISSION, " enlarge the window · n no · esc leave"] },
  { rows: 3, screen: [OF_PERMISSION, "   Enlarge the window for yes.", " n no · o open run · esc leave"] },
  { rows: 4, screen: [TITLE, OF_PERMISSION, "   Enlarge the window for yes.", " n no · o open run · esc leave"] },
  {
    rows: 5,
    screen: [
      ...[OF_PERMISSION, " Allow shell:", "   5 lines below (pagedown), then yes"],
      ...["   y yes   a this run   p always   n no", " pagedown more · n no · esc leave"],
    ],
  },
])("40x$rows: a permission request has rows of its own, and offers what works", async ({ rows, screen }) => {
  const ui = await open([INSTALL, APPROVE], { width: 40, height: rows });
  await ui.until(/esc leave/);
  expect((await ui.draw()).split("\n")).toEqual(screen);
  ui.settle();
  await ui.type("y");
  await ui.draw();
  expect(ui.runs.calls).toEqual([]);
});

test.each<{ rows: number; screen: string[] }>([
  { rows: 1, screen: [" enlarge the window · esc back"] },
  { rows: 2, screen: [OF_QUESTION, " enlarge the window · esc back"] },
  { rows: 4, screen: [TITLE, OF_QUESTION, ENLARGE, " esc back"] },
  { rows: 5, screen: [TITLE, OF_QUESTION, ENLARGE, " Keep the old API?", " esc back"] },
])("40x$rows: a question has rows of its own, takes no answer, and says so", async ({ rows, screen }) => {
  const ui = await open([KEEP_API, APPROVE], { width: 40, height: rows });
  await ui.until(/esc leave/);
  await ui.enter();
  expect((await ui.until(/esc back/)).split("\n")).toEqual(screen);
  ui.settle();
  await ui.type("1");
  ui.settle();
  await ui.enter();
  await ui.draw();
  expect(ui.runs.calls).toEqual([]);
});

test("what was typed for a question stays while the window has no room for it", async () => {
  const ui = await open([APPROVE, KEEP_API], { width: 40, height: 12 });
  await ui.until(/enter answer/);
  await ui.enter();
  await ui.type("later");
  ui.resize(40, 4);
  expect((await ui.until(/Enlarge/)).split("\n")).toEqual([TITLE, OF_TEXT, ENLARGE, " esc back"]);
  ui.resize(40, 2);
  await ui.until(/enlarge/);
  await ui.enter();
  ui.resize(40, 12);
  await ui.until(/› 1 {2}later/);
  await ui.enter();
  await ui.until(/Answered/);
  expect(ui.runs.calls).toEqual([["answer", APPROVE.runId, "approval", "later"]]);
});

test.each<{ rows: number; screen: string[] }>([
  { rows: 1, screen: [" esc leave"] },
  { rows: 3, screen: ["   The folder cannot be read: it", "   belongs to somebody else.", " esc leave"] },
  {
    rows: 6,
    screen: [
      " Waiting for you",
      "",
      "   The folder cannot be read: it",
      "   belongs to somebody else.",
      "",
      " esc leave",
    ],
  },
])("40x$rows: why the inbox cannot be read is wrapped, and not called empty", async ({ rows, screen }) => {
  const failures = { loadInbox: "The folder cannot be read: it belongs to somebody else." };
  const ui = await open([], { width: 40, height: rows, failures });
  await ui.until(rows === 1 ? /esc leave/ : /somebody/);
  expect((await ui.draw()).split("\n")).toEqual(screen);
});
