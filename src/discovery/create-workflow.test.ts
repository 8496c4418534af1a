import { expect, test } from "bun:test";
import { createWorkflow, WorkflowCreateError } from "./create-workflow.ts";

const FILE = { path: "/project/flow.ts", realPath: "/project/flow.ts", source: "local" } as const;
const METADATA = { name: "flow", description: "x", aliases: [], source: "local" } as const;
const METHODS = ["start", "then", "if", "else", "endif", "loop", "parallel", "wait", "catch", "end", "compile"];

/** What Bun says when a method is called that does not exist. */
function missingMethod(code: string): TypeError {
  const call = code.replace(/\(\)$/, "");
  return new TypeError(`${call} is not a function. (In '${code}', '${call}' is undefined)`);
}

/** The problem that is reported when a workflow's function throws this. */
function problemOf(thrown: unknown): string {
  const factory = (): never => {
    throw thrown;
  };
  try {
    createWorkflow({ metadata: METADATA, factory }, FILE, METHODS).create();
  } catch (error) {
    if (error instanceof WorkflowCreateError) return `${error.problem.message}. ${error.problem.remedy}`;
    throw error;
  }
  throw new Error("It was built");
}

test.each([
  {
    title: "a misspelled method suggests the nearest one",
    thrown: missingMethod("graph(State).start(plan).thn()"),
    expected: 'TypeError: graph(State).start(plan).thn is not a function. Did you mean "then"?',
  },
  {
    title: "a method unlike any other has no suggestion",
    thrown: missingMethod("graph().frobnicate()"),
    expected: "TypeError: graph().frobnicate is not a function. Check the spelling of the method.",
  },
  {
    title: "a method of another object has no suggestion, even with the right name",
    thrown: missingMethod("plan.then()"),
    expected: "TypeError: plan.then is not a function. Check the spelling of the method.",
  },
  {
    title: "a misspelled function has a suggestion, too",
    thrown: missingMethod("lop()"),
    expected: 'TypeError: lop is not a function. Did you mean "loop"?',
  },
  {
    title: "code of several lines is left out",
    thrown: missingMethod('graph().start(agentNode({\n  id: "a.b"\n})).compil()'),
    expected: 'TypeError: (…).compil is not a function. Did you mean "compile"?',
  },
  {
    title: "a long line of code is left out",
    thrown: missingMethod(`graph()${".then(next)".repeat(10)}.ned()`),
    expected: 'TypeError: (…).ned is not a function. Did you mean "end"?',
  },
  {
    title: "another type error is reported unchanged",
    thrown: new TypeError("null is not an object (evaluating 'x.y')."),
    expected: "TypeError: null is not an object (evaluating 'x.y'). Correct the file.",
  },
])("$title", ({ thrown, expected }) => {
  expect(problemOf(thrown)).toBe(expected);
});

test("Bun's own message is understood", () => {
  const empty: { parallell(): unknown } = JSON.parse("{}");
  let thrown: unknown;
  try {
    empty.parallell();
  } catch (error) {
    thrown = error;
  }
  expect(problemOf(thrown)).toBe('TypeError: empty.parallell is not a function. Did you mean "parallel"?');
});
