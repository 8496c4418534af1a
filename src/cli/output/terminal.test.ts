import { expect, test } from "bun:test";
import { TextStream } from "../fixtures/text-stream.ts";
import { colorsFor } from "./terminal.ts";

const COLOURED = "\u001b[31mx\u001b[39m";

function paint(
  env: Readonly<Record<string, string>>,
  isTTY: boolean,
  flags: { readonly color?: boolean } = {},
): string {
  const output = new TextStream({ isTTY });
  const colors = colorsFor({ env, stdout: new TextStream(), stderr: output }, flags, "stderr");
  return colors.red("x");
}

test.each([
  { title: "a terminal", env: {}, isTTY: true, expected: COLOURED },
  { title: "a pipe", env: {}, isTTY: false, expected: "x" },
  { title: "NO_COLOR", env: { NO_COLOR: "1" }, isTTY: true, expected: "x" },
  { title: "an empty NO_COLOR", env: { NO_COLOR: "" }, isTTY: true, expected: COLOURED },
  { title: "a dumb terminal", env: { TERM: "dumb" }, isTTY: true, expected: "x" },
  { title: "FORCE_COLOR in a pipe", env: { FORCE_COLOR: "1" }, isTTY: false, expected: COLOURED },
  { title: "FORCE_COLOR=0 in a pipe", env: { FORCE_COLOR: "0" }, isTTY: false, expected: "x" },
  { title: "FORCE_COLOR and NO_COLOR", env: { FORCE_COLOR: "1", NO_COLOR: "1" }, isTTY: true, expected: "x" },
])("colours with $title", ({ env, isTTY, expected }) => {
  expect(paint(env, isTTY)).toBe(expected);
});

test("--no-color overrides everything else", () => {
  expect(paint({ FORCE_COLOR: "1" }, true, { color: false })).toBe("x");
});
