import { expect, test } from "bun:test";
import { addUserMessage, EMPTY_CHAT, reduceChat } from "../chat/chat-model.ts";
import { UNICODE_GLYPHS } from "../theme/glyphs.ts";
import { textOf } from "./line.ts";
import { threadLines } from "./thread-lines.ts";

const prompt = addUserMessage(EMPTY_CHAT, { at: 0, text: "Do it.\nIn full.\nWith tests." });
const THREAD = ["One", "Two", "Three"].reduce((model, text, index) => {
  const about = { sessionId: "s", at: index };
  const said = reduceChat(model, { ...about, type: "text-delta", text });
  return reduceChat(said, { ...about, type: "compacted" });
}, prompt);

function lines(rows: number, { scroll = 0, isFull = false } = {}) {
  const layout = { columns: 40, rows, scroll, isFull, glyphs: UNICODE_GLYPHS, now: 0 };
  const drawn = threadLines(THREAD, layout);
  return { lines: drawn.lines.map((line) => textOf(line).trimEnd()), scroll: drawn.scroll };
}

test("a thread shows its end", () => {
  expect(lines(3)).toEqual({ lines: ["Three", "", "· The conversation was compacted."], scroll: 0 });
});

test("a thread scrolls up to its start and no further", () => {
  expect(lines(2, { scroll: 2 })).toEqual({ lines: ["", "Three"], scroll: 1 + 1 });
  const top = lines(3, { scroll: 500 });
  expect(top.lines[0]).toBe("> Do it.");
  expect(top.scroll).toBeLessThan(500);
});

test("a prompt is short unless the thread fills the screen", () => {
  expect(lines(50).lines.slice(0, 3)).toEqual(["> Do it.", "  In full.", "… 1 line more"]);
  expect(lines(50, { isFull: true }).lines.slice(0, 3)).toEqual(["> Do it.", "  In full.", "  With tests."]);
});

test("headings, bold, italic, code and links look as in the chat", () => {
  const text = "# Plan\n**a _b_** `c` [d](e)\n```\nf\n```";
  const model = reduceChat(EMPTY_CHAT, { sessionId: "s", at: 0, type: "text-delta", text });
  const drawn = threadLines(model, { columns: 12, rows: 9, scroll: 0, glyphs: UNICODE_GLYPHS, now: 0 });
  const plain = (content: string) => ({ text: content, tone: "text" }) as const;
  expect(drawn.lines).toEqual([
    [{ text: "Plan", tone: "accent", isBold: true }, plain(" ".repeat(8))],
    [
      { ...plain("a "), isBold: true },
      { ...plain("b"), isBold: true, isItalic: true },
      plain(" "),
      { ...plain("c"), isCode: true },
      plain(" "),
      { ...plain("d"), isUnderlined: true },
      plain(" (e)"),
      plain(" "),
    ],
    [{ ...plain("  f"), isCode: true }, plain(" ".repeat(9))],
  ]);
});

test("the answers to two prompts are apart, although no event ended the first one", () => {
  const about = { sessionId: "s", at: 1, type: "text-delta" } as const;
  const first = reduceChat(addUserMessage(EMPTY_CHAT, { at: 0, text: "One?" }), { ...about, text: "First answer." });
  const model = reduceChat(addUserMessage(first, { at: 1, text: "Two?" }), { ...about, text: "Second answer." });
  const drawn = threadLines(model, { columns: 40, rows: 9, scroll: 0, glyphs: UNICODE_GLYPHS, now: 0 });
  expect(drawn.lines.map((line) => textOf(line).trimEnd())).toEqual([
    ...["> One?", "", "First answer.", "", "> Two?", "", "Second answer."],
  ]);
});
