import { describe, expect, test } from "bun:test";
import { graph } from "../builder.ts";
import { node, TestState } from "../fixtures/test-nodes.ts";
import { decisionNode } from "../nodes/flow/decision-node.ts";
import { toolNode } from "../nodes/tools/tool-node.ts";
import { GraphValidationError } from "./errors.ts";

const step = (id: string) => toolNode<TestState>({ id, execute: () => id });

/** The error of `compile()`. */
function errorOf(builder: { compile(): unknown }): GraphValidationError {
  try {
    builder.compile();
  } catch (error) {
    if (error instanceof GraphValidationError) return error;
    throw error;
  }
  throw new Error("The graph compiles");
}

/** The text of this file at the places that an error names. */
async function codeAt(places: readonly (string | undefined)[]): Promise<readonly (string | undefined)[]> {
  const lines = (await Bun.file(import.meta.path).text()).split("\n");
  return places.map((place = "") => {
    const [path, line, column] = /^(.*):(\d+):(\d+)$/.exec(place)?.slice(1) ?? [];
    const isHere = path?.replace("file://", "") === import.meta.path;
    return isHere ? lines[Number(line) - 1]?.slice(Number(column) - 1) : path;
  });
}

describe("compile() reports all problems at once, each with the call that caused it,", () => {
  test("whatever their kind", async () => {
    const inner = graph(TestState).start(node("x")).then(node("x"));
    const error = errorOf(
      graph(TestState)
        .start(decisionNode<TestState>({ id: "go", routes: [], fallback: "last" }))
        .then(step("behind"))
        .then(decisionNode<TestState>({ id: "typo", routes: [], fallback: "lsat" }))
        .loop(step("last"), {})
        .parallel([inner, step("y")], { names: ["one"] })
        .map(() => [], [])
        .else()
        .if(() => true)
        .then(step("y")),
    );
    expect(error.problems).toEqual([
      "parallel() has 2 branches but 1 names",
      "else() without an open if()",
      "1 if() without endif()",
      "the graph has no end; finish it with end()",
      'the loop "loop_1" has no exit; give it "until" or "maxIterations"',
      'the id "x" is used more than once',
      'the map "map_1" has no steps',
      'the id "y" is used more than once',
      '"typo" routes to "lsat", which is not a node of the graph',
      'no path leads to "behind", "typo"; route to them, or remove them',
    ]);
    expect(await codeAt(error.locations)).toEqual([
      'parallel([inner, step("y")], { names: ["one"] })',
      "else()",
      "if(() => true)",
      undefined,
      'loop(step("last"), {})',
      'then(node("x"));',
      "map(() => [], [])",
      'then(step("y")),',
      'then(decisionNode<TestState>({ id: "typo", routes: [], fallback: "lsat" }))',
      'then(step("behind"))',
    ]);
  });

  test("and its stack leads to the first of them before it leads to compile()", async () => {
    const error = errorOf(graph(TestState).start(step("a")).then(step("a")).then(step("a")).end());
    const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
    const places = frames.map((frame) => /\(?([^( ]*:\d+:\d+)\)?$/.exec(frame)?.[1]);
    expect(await codeAt(places.slice(0, 2))).toEqual([
      'then(step("a")).then(step("a")).end());',
      'then(step("a")).end());',
    ]);
    expect(error.stack).toStartWith("GraphValidationError: The graph cannot be compiled:\n  - ");
  });
});
