import { expect, test } from "bun:test";
import { checkSizes } from "./check-sizes.ts";
import { parseSourceFacts } from "./source-facts.ts";

/** A function that takes so many lines, its signature and closing brace included. */
function functionOf(lineCount: number): string {
  return ["function long(", "  first: number,", ") {", ...Array(lineCount - 4).fill("  // more"), "}"].join("\n");
}

test("a file may have 400 lines and a function 60, comments included", () => {
  const file = parseSourceFacts("src/graph/run.ts", `${functionOf(60)}\n${"// more\n".repeat(340)}`);
  expect(file.lineCount).toBe(400);
  expect(checkSizes([file])).toEqual([]);
});

test("a longer file and a longer function are named with line and length", () => {
  const text = `const a = 1;\n${functionOf(61)}\nclass C { run() {${"\n".repeat(60)}} }\nconst arrow = () => {${"\n".repeat(60)}};\n`;
  const files = [
    parseSourceFacts("src/graph/run.ts", text),
    parseSourceFacts("src/graph/long.ts", "// more\n".repeat(401)),
  ];
  const advice = "has 61 lines, at most 60. Name its parts and call them.";
  expect(checkSizes(files)).toEqual([
    `src/graph/run.ts:2 function-too-long: long ${advice}`,
    `src/graph/run.ts:63 function-too-long: run ${advice}`,
    `src/graph/run.ts:124 function-too-long: arrow ${advice}`,
    "src/graph/long.ts:401 file-too-long: 401 lines, at most 400. Split it by kind of work: decide, do, translate, show.",
  ]);
});

test("a function of a test file may be long, the file may not", () => {
  const file = parseSourceFacts("src/graph/run.test.ts", `${functionOf(61)}\n${"// more\n".repeat(400)}`);
  expect(checkSizes([file])).toEqual([
    "src/graph/run.test.ts:401 file-too-long: 461 lines, at most 400. Split it by kind of work: decide, do, translate, show.",
  ]);
});
