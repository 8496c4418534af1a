import { describe, expect, test } from "bun:test";
import { matchesGlob } from "./glob.ts";

/** What reading a long text may take at the very most, in milliseconds: a hundred times as long as it does. */
const MAX_MS = 3_000;

describe("a command glob", () => {
  test.each([
    { glob: "npm *", text: "npm run a/b", expected: true },
    { glob: "npm ?", text: "npm /", expected: true },
    { glob: "npm ?", text: "npm ab", expected: false },
    { glob: "*curl *|*sh*", text: "curl a | sudo sh", expected: true },
    { glob: "*a*b", text: "aabab", expected: true },
    { glob: "*a*b", text: "aaba", expected: false },
    { glob: "**", text: "", expected: true },
    { glob: "?", text: "\u{1f600}", expected: true },
    { glob: "{a,b}.$", text: "{a,b}.$", expected: true },
    { glob: "NPM *", text: "npm test", expected: false },
  ])("$glob and $text: $expected", ({ glob, text, expected }) => {
    expect(matchesGlob(glob, text, { kind: "command" })).toBe(expected);
  });

  test.each(["SUDO ls", "sudo ls"])("can ignore the case of %j", (text) => {
    expect(matchesGlob("Sudo *", text, { kind: "command", ignoreCase: true })).toBe(true);
  });
});

describe("a path glob", () => {
  test.each([
    { glob: "*.ts", text: ".hidden.ts", expected: true },
    { glob: "*", text: "a/b", expected: false },
    { glob: "a?b", text: "a/b", expected: false },
    { glob: "**/b", text: "b", expected: true },
    { glob: "**/b", text: "ab", expected: false },
    { glob: "a/**", text: "a/b/c", expected: true },
    { glob: "a/**/c", text: "a/c", expected: true },
    { glob: "{a,b/{c,d}}*.ts", text: "b/dx.ts", expected: true },
    { glob: "{*,x}*", text: "a/b", expected: false },
    { glob: "{a,b", text: "{a,b", expected: true },
    { glob: "a}{b,c}", text: "a}c", expected: true },
    { glob: "a,b", text: "a,b", expected: true },
  ])("$glob and $text: $expected", ({ glob, text, expected }) => {
    expect(matchesGlob(glob, text, { kind: "path" })).toBe(expected);
  });
});

test.each([
  { kind: "command" as const, glob: "*curl *|*sh*", text: "curl a | b ".repeat(10_000) },
  { kind: "command" as const, glob: "*a*b*c*z9*Q", text: "rm curl | a b c ".repeat(5_000) },
  { kind: "path" as const, glob: "**/*a*b*c*.pem", text: "abc".repeat(10_000) },
])("the $kind glob $glob reads a long text in time", ({ kind, glob, text }) => {
  const startedAt = performance.now();
  expect(matchesGlob(glob, text, { kind, ignoreCase: true })).toBe(false);
  expect(performance.now() - startedAt).toBeLessThan(MAX_MS);
});
