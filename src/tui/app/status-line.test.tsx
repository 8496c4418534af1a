import { expect, test } from "bun:test";
import { EMPTY_CHAT } from "../chat/chat-model.ts";
import { FakeChat, IDLE_CHAT, renderUi } from "../fixtures/render-ui.tsx";
import { Keymap } from "../keys/keymap.ts";
import { FakeRuns } from "../runs/fixtures/fake-runs.ts";
import { APPROVE, INSTALL } from "../runs/fixtures/inbox-items.ts";
import { runningShell, userShell } from "../transcript/fixtures/entries.ts";
import { memoryOf } from "../transcript/transcript-memory.ts";
import { StatusLine } from "./status-line.tsx";

const USAGE = { inputTokens: 12_000, outputTokens: 400, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd: 0.11 };
const SPENT = { model: { ...IDLE_CHAT.model, usage: USAGE } };

async function open({ width = 80, chat = new FakeChat(), keys = {} } = {}) {
  const runs = new FakeRuns({ inbox: [INSTALL, APPROVE] });
  const services = { keymap: new Keymap(keys) };
  const ui = await renderUi(<StatusLine pollMs={20} />, { width, height: 1, chat, host: { runs }, services });
  return { ...ui, runs };
}

test("the user's own status command receives the cost only where it is known", async () => {
  const received: unknown[] = [];
  const statusLine = async ({ costUsd = "unknown" }: Readonly<Record<string, string | number>>) => {
    received.push(costUsd);
    return `cost ${costUsd}`;
  };
  const { costUsd: _, ...tokens } = USAGE;
  const chat = new FakeChat({ model: { ...IDLE_CHAT.model, usage: tokens } });
  const ui = await renderUi(<StatusLine />, { height: 1, chat, host: { statusLine } });
  await ui.until(/cost unknown/);
  await ui.act(() => chat.set(SPENT));
  await ui.until(/cost 0\.11/);
  expect(received).toEqual(["unknown", 0.11]);
  ui.close();
});

test.each([
  { title: "no message", queue: [], expected: "  ctrl+c again quits" },
  { title: "one message", queue: ["one"], expected: "  ctrl+c again quits: 1 queued message will not be sent" },
  {
    title: "two messages",
    queue: ["one", "two"],
    expected: "  ctrl+c again quits: 2 queued messages will not be sent",
  },
])("with $title in the queue, the first key of two that quit says what is lost, also during a turn", async (each) => {
  const queue = each.queue.map((text) => ({ id: text, text, attachments: [] }));
  const ui = await renderUi(<StatusLine />, { height: 1, chat: new FakeChat({ status: "starting", queue }) });
  await ui.act(() => ui.services.ui.flash({ type: "quit" }));
  expect(await ui.until(/quits/)).toBe(`${each.expected.padEnd(70)}esc stop`.slice(0, 78));
  ui.close();
});

test("comments that are not sent are counted, and the first key of two that quit says that they are lost", async () => {
  const chat = new FakeChat();
  const ui = await renderUi(<StatusLine />, { height: 1, width: 110, chat });
  const { comments } = memoryOf(ui.services.chat);
  await ui.act(() => comments.write({ path: "a.ts", number: 1, text: "x", isRemoved: false }, "Why?"));
  expect(await ui.until(/waits/)).toMatch(/1 comment waits \(ctrl\+o, s sends\)$/);
  await ui.act(() => comments.write({ path: "a.ts", number: 2, text: "x", isRemoved: false }, "Why?"));
  expect(await ui.until(/wait /)).toMatch(/2 comments wait \(ctrl\+o, s sends\)$/);
  await ui.act(() => ui.services.ui.flash({ type: "quit" }));
  expect(await ui.until(/again/)).toMatch(/^ {2}ctrl\+c again quits: 2 comments will not be sent {2}/);
  await ui.act(() => void comments.forget());
  expect(await ui.draw()).toBe("  ctrl+c again quits");
  ui.close();
});

test("a running command of the user can be stopped, with the key of the settings", async () => {
  const running = { ...EMPTY_CHAT, entries: [runningShell("npm test", "")] };
  const chat = new FakeChat({ model: running });
  const services = { keymap: new Keymap({ stop: "f8" }) };
  const ui = await renderUi(<StatusLine />, { height: 1, chat, services });
  expect(await ui.draw()).toBe(`${"  ? keys · / commands · ctrl+o transcript · ctrl+c twice quits".padEnd(71)}f8 stop`);
  await ui.act(() => chat.set({ model: { ...EMPTY_CHAT, entries: [userShell("npm test")] } }));
  expect(await ui.draw()).not.toContain("stop");
  ui.close();
});

test("the status line counts what waits for a person in all runs, with the key of the settings", async () => {
  const ui = await open({ keys: { inbox: "f4" } });
  expect(await ui.until(/waiting/)).toBe(
    "  ? keys · / commands · ctrl+o transcript · ctrl+c twice quits  2 waiting (f4)",
  );
  ui.runs.inbox = [APPROVE];
  await ui.until(/1 waiting \(f4\)/);
  ui.runs.failures = { loadInbox: "The folder is gone." };
  expect(await ui.draw()).toContain("1 waiting (f4)");
  ui.runs.failures = {};
  ui.runs.inbox = [];
  expect(await ui.until((screen) => !screen.includes("waiting"))).toBe(
    "  ? keys · / commands · ctrl+o transcript · ctrl+c twice quits",
  );
  ui.close();
});

test.each([
  { width: 80, right: "2 waiting (alt+i) · 12.4k tokens · $0.11 · esc stop" },
  { width: 60, right: "2 waiting (alt+i) · esc stop" },
  { width: 46, right: "2 waiting (alt+i) · esc stop" },
])("what waits is shown before what was spent, in $width columns", async ({ width, right }) => {
  const chat = new FakeChat({ ...SPENT, status: "starting" });
  const ui = await open({ width, chat });
  const screen = await ui.until(/waiting/);
  expect(screen.endsWith(right)).toBe(true);
  expect(screen).toContain("starting");
  ui.close();
});

const CONTEXT = { usedTokens: 0, maxTokens: 200_000, fraction: 0 };

test.each([40, 42, 44])(
  "in %d columns the last line has what waits, and leaves out what does not fit",
  async (width) => {
    const chat = new FakeChat({ contextUsage: CONTEXT });
    const ui = await open({ width, chat });
    const screen = await ui.until(/waiting/);
    expect([screen.length, screen.replace(/ · \/ commands/, "").replace(/ {2,}/g, "  ")]).toEqual([
      ...[width - 2, "  ? keys  2 waiting (alt+i)"],
    ]);
    ui.close();
  },
);

test("in 40 columns the answer to a key has the line", async () => {
  const chat = new FakeChat({ contextUsage: CONTEXT, status: "working" });
  const ui = await open({ width: 40, chat });
  await ui.until(/waiting/);
  await ui.act(() => ui.services.ui.flash({ type: "quit" }));
  expect(await ui.until(/quits/)).toBe("  ctrl+c again quits          esc stop");
  await ui.act(() => ui.services.ui.flash("Cleared. up brings the text back"));
  expect(await ui.until(/Cleared/)).toBe("  Cleared. up brings the text back");
  ui.close();
});

test("a side question is in progress, and can be stopped", async () => {
  const ui = await renderUi(<StatusLine />, { height: 1, chat: new FakeChat({ sideQuestionCount: 1 }) });
  const screen = await ui.until(/side question/);
  expect(screen.slice(4)).toBe(`${"answering your side question".padEnd(66)}esc stop`);
  ui.close();
});

test("where the stop key leaves a view, the last line does not say that it stops the turn", async () => {
  const chat = new FakeChat({ status: "working" });
  const ui = await renderUi(<StatusLine />, { height: 1, chat });
  expect(await ui.draw()).toContain("esc stop");
  await ui.act(() => ui.services.ui.show({ type: "transcript" }));
  expect(await ui.draw()).not.toContain("esc stop");
  ui.close();
});
