import { afterEach, expect, test } from "bun:test";
import { destroyTreeSitterClient, Renderable } from "@opentui/core";
import type { ReactNode } from "react";
import type { ChatEntry } from "../chat/chat-entry.ts";
import { EMPTY_CHAT } from "../chat/chat-model.ts";
import { FakeChat, type RenderUiOptions, renderUi } from "../fixtures/render-ui.tsx";
import { ASCII_GLYPHS, type Glyphs, UNICODE_GLYPHS } from "../theme/glyphs.ts";
import { UiContext, useUi } from "../ui/ui-context.ts";
import { Conversation } from "./conversation.tsx";
import { AT, CART, runningShell, shellTool, subagent, text, thinking, user } from "./fixtures/entries.ts";
import { MarkdownView } from "./markdown-view.tsx";
import { prepareHighlighting } from "./syntax-style.ts";

let ui: Awaited<ReturnType<typeof renderUi>> | undefined;

afterEach(() => {
  ui?.close();
  ui = undefined;
});

async function show(entries: readonly ChatEntry[], options: RenderUiOptions = {}) {
  const chat = new FakeChat({ model: { ...EMPTY_CHAT, entries } });
  const host = { settings: { isMotionReduced: true }, ...options.host };
  ui = await renderUi(<Conversation />, { chat, height: 20, now: () => AT + 12_000, ...options, host });
  await ui.draw();
  return {
    chat,
    ui,
    set: (next: readonly ChatEntry[]) => ui?.act(() => chat.set({ model: { ...EMPTY_CHAT, entries: next } })),
  };
}

function messages(count: number): readonly ChatEntry[] {
  return Array.from({ length: count }, (_, index) => user(`message ${index + 1}`));
}

/** The numbers of the messages on the screen. */
function numbersOf(screen: string): readonly number[] {
  return [...screen.matchAll(/message (\d+)/g)].map(([, number]) => Number(number));
}

test("a conversation reads like the sketch", async () => {
  const { ui } = await show(CART);
  expect(await ui.until(/total\(\) ignored/)).toBe(
    [
      "  > The price of two items is wrong. Find out why.",
      "",
      "  I'll look at the cart first.",
      "",
      "  ▸ Read src/cart.ts                                                      0.1s",
      "  ✗ Shell npm test -- cart                                      exit 1    2.4s",
      "      Exit code 1",
      "      1 test failed",
      "  ▾ Edit src/cart.ts                                             +1 −1    0.3s",
      "      41 -   return sum + item.price;",
      "      41 +   return sum + item.price * item.quantity;",
      "",
      "  total() ignored the quantity. With the change all 14 tests pass.",
      "",
      "  1m 15s · 12.4k tokens · $0.11",
    ].join("\n"),
  );
});

test("added and removed lines have a background, which starts after the indentation", async () => {
  const { ui } = await show(CART);
  await ui.draw();
  const spans = ui.captureSpans().lines[9]?.spans ?? [];
  const colored = spans.filter(({ bg }) => bg.toInts().slice(0, 3).join() === [0x3d, 0x20, 0x24].join());
  expect(colored.map(({ text: shown }) => shown.trimEnd())).toEqual(["41 -   return sum + item.price;"]);
});

test.each([40, 80, 120])("in %d columns the time of a card is at the right edge", async (width) => {
  const { ui } = await show(
    [shellTool("npm run build && npm test -- --coverage --reporter=verbose", { output: "ok" })],
    { width },
  );
  const [line = ""] = (await ui.draw()).split("\n");
  expect([line.length, line.endsWith("2.4s"), line.startsWith("  ▸ Shell npm run build")]).toEqual([
    width - 2,
    true,
    true,
  ]);
});

test("Markdown has tables, lists and code, and links show their target", async () => {
  const { ui } = await show([
    text(
      "# Plan\n\n1. 並列 **bold**\n2. [docs](https://example.com)\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```ts\nconst a = 1;\n```",
    ),
  ]);
  expect(await ui.until(/^ {2}Plan/)).toBe(
    [
      "  Plan",
      "",
      "  1. 並列 bold",
      "  2. docs (https://example.com)",
      "",
      "  a  b",
      "  1  2",
      "",
      "  const a = 1;",
    ].join("\n"),
  );
});

function WithGlyphs({ glyphs, children }: { readonly glyphs: Glyphs; readonly children: ReactNode }) {
  return <UiContext.Provider value={{ ...useUi(), glyphs }}>{children}</UiContext.Provider>;
}

test.each([
  { title: "boxes", glyphs: UNICODE_GLYPHS, boxes: ["☐", "☑"] },
  { title: "boxes of ASCII", glyphs: ASCII_GLYPHS, boxes: ["[ ]", "[x]"] },
])("tasks have $title", async ({ glyphs, boxes: [open, done] }) => {
  ui = await renderUi(
    <WithGlyphs glyphs={glyphs}>
      <MarkdownView text={"- [ ] one\n- [x] two\n- three"} isStreaming={false} />
    </WithGlyphs>,
  );
  // Before the worker has answered, signs such as those of links are drawn, too.
  await prepareHighlighting();
  const screen = (await ui.until(/three/)).replaceAll("\u00a0", " ");
  expect(screen).toBe([`- ${open} one`, `- ${done} two`, "- three"].join("\n"));
});

test("code is highlighted in the colours of the theme", async () => {
  // The renderer of the test before stops the worker, whose start takes seconds on a busy machine.
  await destroyTreeSitterClient();
  await prepareHighlighting();
  const { ui } = await show([text("```ts\nreturn 1;\n```")]);
  const colorOf = (word: string) =>
    ui
      .captureSpans()
      .lines.flatMap(({ spans }) => spans)
      .find((span) => span.text.trim() === word)
      ?.fg.toInts()
      .slice(0, 3);
  await ui.until(() => colorOf("return")?.[0] === 0xc3);
  expect([colorOf("return"), colorOf("1")]).toEqual([
    [0xc3, 0x97, 0xf7],
    [0xf0, 0xa8, 0x75],
  ]);
}, 30_000);

test("text that streams is shown as it comes", async () => {
  const { ui, set } = await show([user("Hi"), text("Hel", { id: "t", isStreaming: true })]);
  expect(await ui.until(/Hel/)).toBe("  > Hi\n\n  Hel");
  await set([user("Hi"), text("Hello **you**", { id: "t", isStreaming: true })]);
  expect(await ui.until(/you$/)).toBe("  > Hi\n\n  Hello you");
});

test("a command in progress shows the end of its output and its time, then folds", async () => {
  const { ui, set } = await show([
    shellTool("make", { status: "running", output: "1\n2\n3\n4\n", endedAt: AT + 12_000 }),
  ]);
  const line = `  ● Shell make${" ".repeat(61)}12s`;
  expect(await ui.draw()).toBe([line, "      2", "      3", "      4"].join("\n"));
  await set([shellTool("make", { output: "1\n2\n3\n4\n", endedAt: AT + 13_000 })]);
  expect(await ui.draw()).toMatch(/^ {2}▸ Shell make +13s$/);
});

test("the key opens and folds the last card, a click any card", async () => {
  const entries = [thinking("It sums prices."), subagent("Look", { task: "Find it", result: "Found" }), text("Done")];
  const { ui } = await show(entries);
  await ui.act(() => ui.mockInput.pressKey("e", { ctrl: true }));
  expect(await ui.until(/Found/)).toMatch(/▸ thinking +8\.0s\n {2}▾ Agent Look +1m 05s\n {6}Find it\n\n {6}Found\n/);
  await ui.act(() => ui.mockMouse.click(4, 0));
  expect(await ui.draw()).toMatch(/▾ thinking +8\.0s\n {6}It sums prices\.\n/);
  await ui.act(() => ui.mockInput.pressKey("e", { ctrl: true }));
  expect(await ui.draw()).toMatch(/▸ Agent Look/);
});

test("of ten thousand messages few are mounted, and the newest is visible", async () => {
  const { ui } = await show(messages(10_000));
  expect(numbersOf(await ui.draw()).at(-1)).toBe(10_000);
  expect(count(ui.renderer.root)).toBeLessThan(500);
});

test("while long answers stream, no more is mounted than after the first few", async () => {
  const answer = `${"1. add a column\n2. cover it with a test\n\nThen **wait**.\n\n".repeat(20)}`;
  const entries: ChatEntry[] = [];
  const { ui, set } = await show(entries);
  for (let index = 0; index < 30; index++) {
    await set([...entries, text(answer.slice(0, 500), { id: `a${index}`, isStreaming: true })]);
    entries.push(text(answer, { id: `a${index}` }));
    await set([...entries]);
    await ui.draw();
  }
  // Each answer is about 250 nodes.
  expect(count(ui.renderer.root)).toBeLessThan(3_000);
  expect(Renderable.renderablesByNumber.size).toBeLessThan(3_000);
});

interface Tree {
  getChildren(): readonly Tree[];
}

function count(node: Tree): number {
  return node.getChildren().reduce((sum, child) => sum + count(child), 1);
}

test("new messages push up from below, unless the person has scrolled up", async () => {
  const { ui, set } = await show(messages(60));
  await set(messages(61));
  expect(numbersOf(await ui.draw()).at(-1)).toBe(61);
  await ui.act(() => ui.mockInput.pressKey("\u001b[5~"));
  await ui.draw();
  const before = numbersOf(await ui.draw());
  await set(messages(63));
  const screen = await ui.draw();
  expect(numbersOf(screen).slice(0, -1)).toEqual(before.slice(0, numbersOf(screen).length - 1));
  expect(screen).toMatch(/ ▾ 2 new · end$/);
  await ui.act(() => ui.mockInput.pressKey("\u001b[F"));
  await ui.draw();
  expect(numbersOf(await ui.draw()).at(-1)).toBe(63);
});

test("scrolling up loads earlier messages, and the view stays where it was", async () => {
  const { ui } = await show(messages(1_000), { height: 40 });
  let last = numbersOf(await ui.draw());
  const seen: number[] = [];
  for (let page = 0; page < 18; page++) {
    await ui.act(() => ui.mockInput.pressKey("\u001b[5~"));
    await ui.draw();
    const now = numbersOf(await ui.draw());
    // A page has an overlap with the one before: nothing is skipped.
    expect(now.at(-1)).toBe((last[0] ?? 0) + 3);
    last = now;
    seen.push(now[0] ?? 0);
  }
  expect(seen).toEqual(seen.toSorted((one, other) => other - one));
  expect(seen.at(-1)).toBe(693);
  expect(count(ui.renderer.root)).toBeLessThan(1_000);
});

test("the wheel scrolls, unless the setting turns it off", async () => {
  const on = await show(messages(60));
  await on.ui.act(() => on.ui.mockMouse.scroll(10, 5, "up"));
  expect(await on.ui.until(/end$/)).toMatch(/ ▾ end$/);
  on.ui.close();
  const off = await show(messages(60), { host: { settings: { hasMouseWheel: false } } });
  await off.ui.act(() => off.ui.mockMouse.scroll(10, 5, "up"));
  expect(numbersOf(await off.ui.draw()).at(-1)).toBe(60);
});

test("hostile output stays inert and short", async () => {
  const rows = Array.from({ length: 5_000 }, (_, index) => `| row ${index} | x |`).join("\n");
  const { ui } = await show([
    shellTool("cat", {
      status: "failed",
      output: `\u001b[2J\u001b]0;evil\u0007\u202eabc\u200b ${"x".repeat(1_000_000)}`,
    }),
    text(`| a | b |\n|---|---|\n${rows}`),
    runningShell("yes", "\u001b[31my\u001b[0m\n".repeat(10)),
  ]);
  const screen = await ui.until(/y$/);
  expect(screen).toMatch(/\| row 4999 \| x \|\n\n {2}● ! yes +12s\n {6}y\n {6}y\n {6}y$/);
});
