import { describe, expect, test } from "bun:test";
import { findObstacle, readTerminalFacts, type TerminalFacts } from "./terminal-facts.ts";

function factsOf(env: Readonly<Record<string, string>>): TerminalFacts {
  return readTerminalFacts({ stdin: { isTTY: true }, stdout: { isTTY: true, columns: 100, rows: 30 }, env });
}

describe("readTerminalFacts", () => {
  test("reports size, name, Unicode and colours", () => {
    expect(factsOf({ TERM: "xterm-256color", LANG: "en_US.UTF-8", COLORTERM: "truecolor" })).toEqual({
      columns: 100,
      rows: 30,
      isTerminal: true,
      name: "xterm-256color",
      hasUnicode: true,
      colors: "truecolor",
      isXtermJs: false,
      isTmux: false,
    });
  });

  test.each([
    { env: {}, hasUnicode: true },
    { env: { TERM: "linux" }, hasUnicode: false },
    { env: { LANG: "C" }, hasUnicode: false },
    { env: { LANG: "de_DE.utf8" }, hasUnicode: true },
    { env: { LANG: "de_DE.ISO-8859-1" }, hasUnicode: false },
    { env: { LC_ALL: "C", LANG: "en_US.UTF-8" }, hasUnicode: false },
    { env: { LC_ALL: "", LC_CTYPE: "C.UTF-8", LANG: "C" }, hasUnicode: true },
  ])("with $env, Unicode is $hasUnicode", ({ env, hasUnicode }) => {
    expect(factsOf(env).hasUnicode).toBe(hasUnicode);
  });

  test.each([
    { env: { TERM: "xterm" }, colors: "16" },
    { env: { TERM: "screen-256color" }, colors: "256" },
    { env: { TERM: "xterm", COLORTERM: "24bit" }, colors: "truecolor" },
    { env: { TERM: "xterm-direct" }, colors: "truecolor" },
    { env: { WT_SESSION: "1" }, colors: "truecolor" },
    { env: { TERM: "xterm-256color", COLORTERM: "truecolor", NO_COLOR: "1" }, colors: "none" },
    { env: { TERM: "dumb" }, colors: "none" },
  ] as const)("with $env, the colours are $colors", ({ env, colors }) => {
    expect(factsOf(env).colors).toBe(colors);
  });

  test.each([
    { env: { TERM: "screen-256color", TMUX: "/tmp/tmux-0/default,1,0" }, isTmux: true },
    { env: { TERM: "tmux-256color" }, isTmux: true },
    { env: { TERM: "screen-256color", TMUX: "" }, isTmux: false },
  ])("with $env, it is tmux: $isTmux", ({ env, isTmux }) => {
    expect(factsOf(env).isTmux).toBe(isTmux);
  });
});

describe("findObstacle", () => {
  const usable = factsOf({ TERM: "xterm" });

  test.each([
    { facts: usable, obstacle: undefined },
    { facts: { ...usable, isTerminal: false }, obstacle: "input or output is not a terminal" },
    { facts: { ...usable, name: "dumb" }, obstacle: "TERM is dumb" },
    { facts: { ...usable, columns: 19 }, obstacle: "the terminal has 19 columns, fewer than 20" },
    { facts: { ...usable, rows: 3 }, obstacle: "the terminal has 3 rows, fewer than 4" },
  ])("reports $obstacle", ({ facts, obstacle }) => {
    expect(findObstacle(facts)).toBe(obstacle);
  });
});
