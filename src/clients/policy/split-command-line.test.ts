import { expect, test } from "bun:test";
import { CommandLine, commandCandidates, splitCommandLine } from "./split-command-line.ts";

/** What reading a long line may take at the very most, in milliseconds: many times as long as it does. */
const MAX_MS = 3_000;

test.each([
  { title: "blanks", line: `x${" ".repeat(200_000)}y` },
  { title: "signs that may begin comments", line: `x${"  ".repeat(200_000)}${"x#".repeat(100_000)}` },
])("a line of many $title is taken apart in time", ({ line }) => {
  const startedAt = performance.now();
  expect(splitCommandLine(line).parts).toEqual([line]);
  expect(performance.now() - startedAt).toBeLessThan(MAX_MS);
});

test("a line is taken apart once, whoever asks", () => {
  const line = new CommandLine("ls; rm x");
  expect([line.split, line.candidates]).toEqual([splitCommandLine("ls; rm x"), commandCandidates("ls; rm x")]);
  expect(line.split).toBe(line.split);
  expect(line.candidates).toBe(line.candidates);
});
