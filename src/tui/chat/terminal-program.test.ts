import { expect, test } from "bun:test";
import { describeTerminalProgram } from "./terminal-program.ts";

const KEY = { suspendKey: "ctrl+z" };

test.each([
  ["vim src/cart.ts", 'vim needs a terminal, and a command after "!" has none. Press ctrl+z and run it in your shell.'],
  [
    "EDITOR=x sudo /usr/bin/top",
    'top needs a terminal, and a command after "!" has none. Press ctrl+z and run it in your shell.',
  ],
  [
    "less a.log",
    'less needs a terminal, and a command after "!" has none. Use cat, or press ctrl+z and run it in your shell.',
  ],
])("%s does not run without a terminal", (command, text) => {
  expect(describeTerminalProgram(command, KEY)).toBe(text);
});

test("without a key that returns to the shell, another terminal is the advice", () => {
  expect(describeTerminalProgram("less a.log", { suspendKey: undefined })).toBe(
    'less needs a terminal, and a command after "!" has none. Use cat, or run it in another terminal.',
  );
});

test.each([
  "",
  "npm test",
  "git log | less",
  "top -b -n 1",
  "vim --version",
  "vim -es a < script",
  "cat top",
  "echo $(less a)",
])("%j runs", (command) => {
  expect(describeTerminalProgram(command, KEY)).toBeUndefined();
});
