import { expect, test } from "bun:test";
import { splitCommandLine } from "../shell/split-command-line.ts";
import { outputOperands } from "./output-operands.ts";

test.each<{ line: string; found: string[] }>([
  { line: "uniq a", found: [] },
  { line: "uniq a b", found: ["b"] },
  { line: "uniq a -", found: [] },
  { line: "uniq a /dev/null", found: [] },
  { line: "uniq - b", found: ["b"] },
  { line: "uniq -f 1 a", found: [] },
  { line: "uniq -f1 a b", found: ["b"] },
  { line: "uniq -c a -u b", found: ["b"] },
  { line: "uniq -- -f b", found: ["b"] },
  { line: "uniq -- a -b", found: ["-b"] },
  { line: 'uniq "$A"', found: [] },
  { line: 'uniq "$@"', found: ['"$@"'] },
  { line: 'uniq "$A" ~/b', found: ["~/b"] },
  { line: "uniq $A", found: ["$A"] },
  { line: "uniq *.txt", found: ["*.txt"] },
  { line: "uniq {a,b}", found: ["{a,b}"] },
])("$line writes $found", ({ line, found }) => {
  const [command] = splitCommandLine(line).commands;
  const options = { after: 1, valued: ["-f"], reason: "it writes" };
  expect(outputOperands(command?.words.slice(1) ?? [], options).map(({ raw }) => raw)).toEqual(found);
});
