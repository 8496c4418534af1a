import { expect, test } from "bun:test";
import { TextStream } from "../fixtures/text-stream.ts";
import { fitMessage } from "./fit-message.ts";

const LONG = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`).join("\n");

function show(
  message: string,
  size: { readonly columns?: number; readonly rows?: number },
  answers?: readonly string[],
) {
  const output = new TextStream({ isTTY: true, ...size });
  return { message: fitMessage(output, message, answers), written: output.text };
}

test("a message that leaves room for the answers stays in the prompt", () => {
  expect(show("Ship it?", { rows: 12 }, ["Yes", "No"])).toEqual({ message: "Ship it?", written: "" });
  expect(show(LONG, { rows: 50 }, ["Yes", "No"])).toEqual({ message: LONG, written: "" });
});

test.each([
  { title: "more lines than the terminal has", message: LONG, size: { rows: 24 }, count: "40 lines" },
  { title: "one line that wraps often", message: "x".repeat(400), size: { columns: 40, rows: 12 }, count: "1 line" },
  { title: "no room for the answers", message: "a\nb\nc\nd", size: { rows: 9 }, count: "4 lines" },
])("a long message is printed once above the prompt: $title", ({ message, size, count }) => {
  expect(show(message, size, ["Yes", "No"])).toEqual({
    message: `Your answer? (The question is above, ${count}: scroll up to read it.)`,
    written: `${message}\n`,
  });
});
