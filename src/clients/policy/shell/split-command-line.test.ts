import { describe, expect, test } from "bun:test";
import { commandCandidates } from "../commands/command-candidates.ts";
import { CommandLine } from "../commands/command-line.ts";
import { MAX_COMMAND_LINE_LENGTH, MAX_COMMANDS, splitCommandLine } from "./split-command-line.ts";

test.each([
  { title: "digits", unit: "1" },
  { title: "blanks", unit: " x" },
  { title: "signs that may begin comments", unit: " x#" },
  { title: "quotes", unit: `'"'"` },
  { title: "separators", unit: "a;" },
  { title: "substitutions", unit: "$(" },
  { title: "brackets", unit: "[" },
  { title: "backslashes", unit: "\\" },
])("each character of a line of many $title is read once", ({ unit }) => {
  const line = unit.repeat(Math.floor(MAX_COMMAND_LINE_LENGTH / unit.length));
  expect(splitCommandLine(line).steps).toBeLessThanOrEqual(line.length);
});

test("nothing is read of a line over the bound", () => {
  expect(splitCommandLine("1".repeat(MAX_COMMAND_LINE_LENGTH + 1))).toEqual({
    parts: [],
    commands: [],
    isOpaque: true,
    obstacles: ["too-long"],
    steps: 0,
  });
  expect(splitCommandLine("1".repeat(MAX_COMMAND_LINE_LENGTH)).isOpaque).toBe(false);
});

test("more commands than the bound are not told apart", () => {
  const obstaclesOf = (count: number) => splitCommandLine("ls;".repeat(count)).obstacles;
  expect([obstaclesOf(MAX_COMMANDS), obstaclesOf(MAX_COMMANDS + 1)]).toEqual([[], ["too-many-commands"]]);
});

test("a line is parsed only once", () => {
  const line = new CommandLine("ls; rm x");
  expect([line.split, line.candidates]).toEqual([splitCommandLine("ls; rm x"), commandCandidates("ls; rm x")]);
  expect(line.split).toBe(line.split);
  expect(line.candidates).toBe(line.candidates);
});

test("the words of a command come without quotes, with what only a running shell knows marked", () => {
  const [command] = splitCommandLine(`a 'b c'"d" "$e"f *.ts g\\ h ~/i {j,k} {}`).commands;
  expect(command?.words.map(({ value, isLiteral, literalLength }) => [value, isLiteral, literalLength])).toEqual([
    ["a", true, 1],
    ["b cd", true, 4],
    ["$ef", false, 0],
    ["*.ts", false, 0],
    ["g h", true, 3],
    ["~/i", false, 1],
    ["{j,k}", false, 0],
    ["{}", true, 2],
  ]);
  expect(command?.words.map(({ raw, start, end }) => command.text.slice(start, end) === raw)).not.toContain(false);
});

test("a command's text begins with the backslash before its name", () => {
  expect(splitCommandLine(" \\git \\-c; ls").parts).toEqual(["\\git \\-c", "ls"]);
});

test("redirections between numbers are taken away wherever digits end", () => {
  expect(commandCandidates("2>&12>&1echo x")).toContain("echo x");
});

describe("redirections that every shell reads alike", () => {
  test.each([
    { line: "npm test 2>&1", parts: ["npm test"] },
    { line: "npm test 2>&1 | tail -5", parts: ["npm test", "tail -5"] },
    { line: "npm test 2>&1|tail -5", parts: ["npm test", "tail -5"] },
    { line: "ls x >/dev/null 2>&1; ls y", parts: ["ls x", "ls y"] },
    { line: "ls x > /dev/null || ls y", parts: ["ls x", "ls y"] },
    { line: "ls 2>/dev/null\nls 2> /dev/null", parts: ["ls", "ls"] },
    { line: "ls 2>/dev/null && cat </dev/null", parts: ["ls", "cat"] },
    { line: "cat < /dev/null &", parts: ["cat"] },
    { line: "'a b' \"c\" 2>&1\t", parts: ["'a b' \"c\""] },
    { line: "ls '2>&1'", parts: ["ls '2>&1'"] },
  ])("are no part of the commands: %j", ({ line, parts }) => {
    const { isOpaque, parts: found, steps } = splitCommandLine(line);
    expect({ isOpaque, parts: found, isReadOnce: steps <= line.length }).toEqual({
      isOpaque: false,
      parts,
      isReadOnce: true,
    });
  });

  test.each([
    "ls 2>&1x",
    "ls 2>&12",
    "ls 2>&1$x",
    "ls 2>&$x",
    "ls 2>&-",
    "ls 2>& 1",
    "ls 2>&1&",
    "ls 2>&1>f",
    "ls 2>&1 f",
    "ls 2>&1 'f'",
    "ls 2>&1 \\f",
    "ls 2>&1 $f",
    "ls 2>&1 >f",
    "ls 12>&1",
    "ls x2>&1",
    "ls ''2>&1",
    "ls 1>&2",
    "ls >&2",
    "ls >&file",
    "ls &>/dev/null",
    "ls >&/dev/null",
    "ls >>/dev/null",
    "ls >|/dev/null",
    "ls >/dev/nullx",
    "ls > /dev/nullx",
    "ls >/dev/null/x",
    "ls >/dev/null$x",
    "ls >/dev/null*",
    "ls >/dev/null#",
    "ls >/dev/null'x'",
    "ls >/dev/null\\x",
    "ls >/dev/null(x)",
    "ls >/dev/null>f",
    "ls >/dev/../x",
    "ls >/dev//null",
    "ls >/dev/tcp/h/1",
    "ls >  /dev/null",
    "ls >\t/dev/null",
    "ls 2 >/dev/nul",
    "ls x>/dev/null",
    "ls 3>/dev/null",
    "ls <>/dev/null",
    "ls <</dev/null",
    "ls <&1",
    "ls </dev/nullx",
    "ls </dev/zero",
    "ls </dev/null x",
    ">/dev/null",
    "2>&1 ls",
    ">/dev/null ls",
    "ls; 2>&1",
    "ls | </dev/null cat",
    "ls 2>&1 # x",
  ])("%j is none", (line) => {
    expect(splitCommandLine(line).isOpaque).toBe(true);
  });
});

describe("what keeps commands from being told apart", () => {
  test.each([
    ['ls "$(x)"', "substitution"],
    ["ls 'a[$(x)]'", "subscript"],
    ["ls a\\[\\$\\(x\\)]", "subscript"],
    ["ls > f", "redirection"],
    ["(ls)", "group"],
    ["ls # x", "comment"],
    ["ls 'x", "open-quote"],
    ["ls 'x\\' y", "ambiguous-quote"],
    ["ls \\\n x", "continuation"],
    ["ls;; x", "operator"],
    ["ls |& x", "operator"],
    ["ls !x", "history"],
    ["ls \u00a0x", "control-character"],
    ["ls\rx", "control-character"],
    ["if ls", "reserved-word"],
    ["{ls,x}", "command-name"],
    ["$x", "command-name"],
    [" ", "empty"],
  ] as const)("%j: %s", (line, obstacle) => {
    expect(splitCommandLine(line).obstacles).toEqual([obstacle]);
  });
});
