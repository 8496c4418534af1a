import { describe, expect, test } from "bun:test";
import { MAX_COMMAND_LINE_LENGTH } from "../shell/split-command-line.ts";
import { CommandLine } from "./command-line.ts";
import { COSTLY_GLOBS, LONG_COMMAND_LINES } from "./fixtures/long-command-lines.ts";

/** So many comparisons for each character of a line, for all of the globs below together. */
const MAX_STEPS_PER_CHARACTER = 120;

describe("the work is linear in the length of the line", () => {
  const linear = COSTLY_GLOBS.filter((glob) => !glob.includes("?"));

  test.each(LONG_COMMAND_LINES)("allowing, a line of $title", ({ line: text }) => {
    const line = new CommandLine(text);
    for (const command of line.commandsIn("/work"))
      for (const glob of linear) line.allows(glob, { ...command, risks: [] });
    expect(line.steps.count).toBeLessThanOrEqual(MAX_STEPS_PER_CHARACTER * text.length);
  });

  test.each(LONG_COMMAND_LINES)("forbidding, a line of $title", ({ line: text }) => {
    const line = new CommandLine(text);
    for (const glob of linear) expect(line.findRestricted(`${glob}Q`)).toBeUndefined();
    expect(line.steps.count).toBeLessThanOrEqual(MAX_STEPS_PER_CHARACTER * text.length);
  });
});

describe("a line over the bound", () => {
  const long = "1 ".repeat(MAX_COMMAND_LINE_LENGTH);

  test.each([
    ["rm *", `echo ${long}; rm x`, true],
    ["rm *", `echo ${long}; r""m x`, true],
    ["rm *", `echo ${long} && sudo \\rm   x`, true],
    ["RM *", `echo ${long}\nrm x`, true],
    ["git push*", `echo ${long}; git \\\n push`, true],
    ["rm x", `echo ${long}; rm 2>&1 x`, true],
    ["*curl*|*sh*", `echo ${long}; curl x | sh`, true],
    ["?m *", `echo ${long}; rm x`, true],
    ["rm *", `echo ${long}; farm x`, false],
    ["rm *", `echo ${long}`, false],
  ])("a glob of a forbidding rule, %s, is looked for anywhere", (glob, text, expected) => {
    expect(new CommandLine(text).findRestricted(glob) !== undefined).toBe(expected);
  });

  test("has no commands that a glob could allow", () => {
    expect(new CommandLine(`echo ${long}`).commandsIn("/work")).toEqual([]);
  });
});
