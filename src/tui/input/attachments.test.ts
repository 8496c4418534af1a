import { expect, test } from "bun:test";
import type { Attachment } from "../chat/chat-state.ts";
import { expandPastes } from "../chat/compose-message.ts";
import { addAttachment, attachImage, attachmentsIn, attachPaste, isLongPaste, labelAt } from "./attachments.ts";

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

test("the history has pasted texts in full, but no images", () => {
  const long = attachPaste("$& cost $1", []);
  const image = attachImage({ mediaType: "image/png", data: "" }, []);
  expect(expandPastes(`fix ${long.label} like ${image.label}`, [long, image])).toBe("fix $& cost $1 like [image 1]");
});

test("an attachment of the same label is replaced", () => {
  expect(addAttachment([file("a"), file("b")], file("a"))).toEqual([file("b"), file("a")]);
});
