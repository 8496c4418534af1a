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
});

test("a message of several lines cannot imitate the answers below it", () => {
  const message = `Ship it?\n● Yes\n○ No\n${"x".repeat(40)}`;
  expect(show(message, { columns: 40, rows: 20 }, ["Yes", "No"])).toEqual({
    message: `Ship it?\n  │ ● Yes\n  │ ○ No\n  │ ${"x".repeat(30)}\n  ┆ ${"x".repeat(10)}`,
    written: "",
  });
});

test.each([
  {
    title: "more lines than the terminal has",
    message: LONG,
    size: { rows: 24 },
    count: "40 lines",
    written: LONG.replace(/^/gm, "  │ "),
  },
  {
    title: "one line that wraps often",
    message: "x".repeat(350),
    size: { columns: 40, rows: 12 },
    count: "1 line",
    written: ["  │ ", ...Array.from({ length: 9 }, () => "  ┆ ")].map((start) => start + "x".repeat(35)).join("\n"),
  },
  {
    title: "no room for the answers",
    message: "a\n✔ b\nc\nd",
    size: { rows: 9 },
    count: "4 lines",
    written: "  │ a\n  │ ✔ b\n  │ c\n  │ d",
  },
])(
  "a long message is printed once above the prompt, and each line is marked: $title",
  ({ message, size, count, written }) => {
    expect(show(message, size, ["Yes", "No"])).toEqual({
      message: `Your answer? (The question is above, ${count}: scroll up to read it.)`,
      written: `${written}\n`,
    });
  },
);
