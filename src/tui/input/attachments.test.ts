import { expect, test } from "bun:test";
import type { Attachment } from "../chat/chat-state.ts";
import { expandPastes } from "../chat/compose-message.ts";
import {
  addAttachment,
  attachImage,
  attachmentsIn,
  attachPaste,
  isLongPaste,
  keepLabelsWhole,
  labelAt,
} from "./attachments.ts";
import type { CursorText } from "./vi-keys.ts";

const lines = (count: number): string => Array.from({ length: count }, (_, index) => `line ${index + 1}`).join("\n");
const file = (path: string): Attachment => ({ label: `@${path}`, part: { type: "file", path: `/work/${path}` } });
const paste = attachPaste(lines(120), []);

test.each([
  { title: "10 lines", text: lines(10), isLong: false },
  { title: "11 lines", text: lines(11), isLong: true },
  { title: "1,000 characters", text: "x".repeat(1_000), isLong: false },
  { title: "1,001 characters", text: "x".repeat(1_001), isLong: true },
])("a pasted text of $title is long: $isLong", ({ text, isLong }) => {
  expect(isLongPaste(text)).toBe(isLong);
});

test("pasted texts and images have labels of their own", () => {
  const one = attachPaste(`${lines(120)}\n`, []);
  const two = attachPaste("x".repeat(1_500), [one]);
  const image = attachImage({ mediaType: "image/png", data: "aGk=" }, [one, two]);
  const next = attachImage({ mediaType: "image/png", data: "aG8=" }, [one, two, image]);
  // The first one may be gone.
  expect(attachPaste("a\nb", [two]).label).toBe("[pasted text 3, 2 lines]");
  expect([one, two, image, next]).toEqual([
    { label: "[pasted text, 120 lines]", part: { type: "text", text: `${lines(120)}\n` } },
    { label: "[pasted text 2, 1500 characters]", part: { type: "text", text: "x".repeat(1_500) } },
    { label: "[image 1]", part: { type: "image", mimeType: "image/png", data: "aGk=" } },
    { label: "[image 2]", part: { type: "image", mimeType: "image/png", data: "aG8=" } },
  ]);
});

test.each<{ readonly text: string; readonly labels: readonly string[] }>([
  { text: "see @src/cart.ts", labels: ["@src/cart.ts"] },
  { text: "see @src/cart.ts, please", labels: ["@src/cart.ts"] },
  { text: "(@src/cart.ts)", labels: ["@src/cart.ts"] },
  { text: "see @src/cart.tsx", labels: ["@src/cart.tsx"] },
  { text: "see @src/cart.t", labels: [] },
  { text: "me@src/cart.ts", labels: [] },
  { text: "[pasted text, 120 lines]x @src/cart.ts", labels: ["[pasted text, 120 lines]", "@src/cart.ts"] },
  { text: "[pasted text, 120 lines", labels: [] },
])("$text carries $labels", ({ text, labels }) => {
  const attachments = [file("src/cart.ts"), file("src/cart.tsx"), paste];
  expect(attachmentsIn(text, attachments).map(({ label }) => label)).toEqual([...labels]);
});

test("the label before or after the cursor is found as a whole", () => {
  const text = "a [pasted text, 120 lines] b";
  const find = (side: "end" | "start", cursor: number) => labelAt(side, { text, cursor, attachments: [paste] });
  expect([find("end", 26), find("start", 2), find("end", 25), find("start", 3), find("end", 0)]).toEqual([
    { from: 2, to: 26 },
    { from: 2, to: 26 },
    undefined,
    undefined,
    undefined,
  ]);
});

/** A text with its cursor as `|`, and `L` for the label of a paste. */
function marked(shown: string): CursorText {
  const cursor = shown.replaceAll("L", paste.label).indexOf("|");
  return { text: shown.replaceAll("L", paste.label).replace("|", ""), cursor };
}

const LAST = paste.label.length - 1;

test.each<{ readonly title: string; readonly before: string; readonly after: CursorText; readonly whole: string }>([
  { title: "right of its start", before: "a |L b", after: { text: `a ${paste.label} b`, cursor: 3 }, whole: "a L| b" },
  {
    title: "left of its end",
    before: "a L| b",
    after: { text: `a ${paste.label} b`, cursor: 2 + LAST },
    whole: "a |L b",
  },
  {
    title: "from elsewhere, near its start",
    before: "|a L",
    after: { text: `a ${paste.label}`, cursor: 5 },
    whole: "a |L",
  },
  {
    title: "from elsewhere, near its end",
    before: "|a L",
    after: { text: `a ${paste.label}`, cursor: 20 },
    whole: "a L|",
  },
  { title: "at its start", before: "|a L", after: { text: `a ${paste.label}`, cursor: 2 }, whole: "a |L" },
  {
    title: "with its last word deleted",
    before: "a L| b",
    after: { text: "a [pasted text, 120  b", cursor: 20 },
    whole: "a | b",
  },
  {
    title: "with its start deleted",
    before: "a |L b",
    after: { text: `a ${paste.label.slice(1)} b`, cursor: 2 },
    whole: "a | b",
  },
  {
    title: "with its start and what is before it replaced",
    before: "abL| c",
    after: { text: `aX${paste.label.slice(4)} c`, cursor: 2 },
    whole: "aX| c",
  },
  {
    title: "after a letter in it",
    before: "a L b|",
    after: { text: "a [paXsted text, 120 lines] b", cursor: 6 },
    whole: "a LX| b",
  },
  { title: "deleted as a whole, before a bracket", before: "[L|[", after: marked("[|["), whole: "[|[" },
  { title: "before a deleted bracket", before: "L]|", after: marked("L|"), whole: "L|" },
  {
    title: "one of two",
    before: "L|L",
    after: { text: paste.label.slice(0, -1) + paste.label, cursor: LAST },
    whole: "|L",
  },
])("a label is one unit for the cursor and for edits: $title", ({ before, after, whole }) => {
  const from = { ...marked(before), attachments: [paste] };
  expect(keepLabelsWhole(from, after, { isOnCharacter: false })).toEqual(marked(whole));
});

test("a cursor on characters is on the start of a label that ends its line", () => {
  const move = (before: string, cursor: number) =>
    keepLabelsWhole(
      { ...marked(before), attachments: [paste] },
      { ...marked(before), cursor },
      { isOnCharacter: true },
    );
  expect([move("a L|", 2 + LAST), move("|a L", 2 + LAST), move("a |L\nb", 3), move("a |L b", 3)]).toEqual([
    marked("a |L"),
    marked("a |L"),
    marked("a |L\nb"),
    marked("a L| b"),
  ]);
});

test("the history has pasted texts in full, but no images", () => {
  const long = attachPaste("$& cost $1", []);
  const image = attachImage({ mediaType: "image/png", data: "" }, []);
  expect(expandPastes(`fix ${long.label} like ${image.label}`, [long, image])).toBe("fix $& cost $1 like [image 1]");
});

test("an attachment of the same label is replaced", () => {
  expect(addAttachment([file("a"), file("b")], file("a"))).toEqual([file("b"), file("a")]);
});
