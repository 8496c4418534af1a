import { expect, test } from "bun:test";
import fc from "fast-check";
import { terminalMethod, terminalSequence } from "./terminal-sink.ts";

test.each([
  { title: "iTerm2", env: { TERM_PROGRAM: "iTerm.app", TERM: "xterm-256color" }, method: "osc9" },
  { title: "kitty", env: { TERM: "xterm-kitty" }, method: "osc9" },
  {
    title: "kitty within tmux",
    env: { TERM: "tmux-256color", TERM_PROGRAM: "tmux", TMUX: "/t,1,0", KITTY_WINDOW_ID: "1" },
    method: "osc9",
  },
  { title: "foot", env: { TERM: "foot" }, method: "osc777" },
  { title: "urxvt", env: { TERM: "rxvt-unicode-256color" }, method: "osc777" },
  { title: "an unknown terminal", env: { TERM: "xterm-256color" }, method: undefined },
  { title: "the terminal of an editor", env: { TERM: "xterm-256color", TERM_PROGRAM: "vscode" }, method: undefined },
  { title: "screen", env: { TERM: "screen", STY: "1.pts", KITTY_WINDOW_ID: "1" }, method: undefined },
  { title: "a dumb terminal", env: { TERM: "dumb", TERM_PROGRAM: "WezTerm" }, method: undefined },
] as const)("$title is notified by $method", ({ env, method }) => {
  expect(terminalMethod("auto", env)).toBe(method);
  expect(terminalMethod(undefined, env)).toBe(method);
  expect(terminalMethod("off", env)).toBeUndefined();
  expect(terminalMethod("bell", env)).toBe("bell");
});

test("the sequences are those of the terminals, and tmux passes them on", () => {
  const tmux = { TMUX: "/tmp/tmux-1000/default,1,0" };
  expect({
    osc9: terminalSequence("osc9", "a; b", {}),
    osc777: terminalSequence("osc777", "a; b", {}),
    bell: terminalSequence("bell", "a; b", {}),
    tmux9: terminalSequence("osc9", "a", tmux),
    tmuxBell: terminalSequence("bell", "a", tmux),
  }).toEqual({
    osc9: "\u001b]9;Atomic: a; b\u0007",
    osc777: "\u001b]777;notify;Atomic;a, b\u0007",
    bell: "\u0007",
    tmux9: "\u001bPtmux;\u001b\u001b]9;Atomic: a\u0007\u001b\\",
    tmuxBell: "\u0007",
  });
});

test("no text ends the sequence early, or begins another one", () => {
  const hostile = fc.string({
    unit: fc.constantFrom("\u001b", "\u0007", "\u009c", "\u009d", "\\", "]", ";", "\n", "\r", "a", "9"),
  });
  fc.assert(
    fc.property(fc.oneof(hostile, fc.string({ unit: "binary" })), fc.constantFrom("osc9", "osc777"), (text, method) => {
      const sequence = terminalSequence(method, text, {});
      const inner = sequence.slice(1, -1);
      expect([sequence[0], sequence.at(-1), /\p{Cc}/u.test(inner)]).toEqual(["\u001b", "\u0007", false]);
      if (method === "osc777") expect(inner.split(";")).toHaveLength(4);
    }),
  );
});
