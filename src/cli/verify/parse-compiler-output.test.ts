import { expect, test } from "bun:test";
import { parseCompilerOutput } from "./parse-compiler-output.ts";

test("errors have a place, their details, and TypeScript's own suggestion as the remedy", () => {
  const output = [
    "a b/flow.ts(4,7): error TS2322: Type 'string' is not assignable to type 'number'.",
    "flow(1).ts(45,70): error TS2551: Property 'lenght' does not exist on type 'string'. Did you mean 'length'?",
    "flow.ts(1,1): error TS2345: Argument of type 'A' is not assignable.",
    "  Type 'A' has no property 'b'.",
    "",
  ].join("\r\n");
  expect(parseCompilerOutput(output)).toEqual({
    errors: [
      {
        path: "a b/flow.ts",
        line: 4,
        column: 7,
        message: "TS2322: Type 'string' is not assignable to type 'number'.",
        remedy: "Correct the type.",
        severity: "error",
      },
      {
        path: "flow(1).ts",
        line: 45,
        column: 70,
        message: "TS2551: Property 'lenght' does not exist on type 'string'",
        remedy: "Did you mean 'length'?",
        severity: "error",
      },
      {
        path: "flow.ts",
        line: 1,
        column: 1,
        message: "TS2345: Argument of type 'A' is not assignable. Type 'A' has no property 'b'.",
        remedy: "Correct the type.",
        severity: "error",
      },
    ],
    general: [],
  });
});

test("modules and names that Bun provides are no errors, others are", () => {
  const messages = [
    "TS2307: Cannot find module 'node:fs/promises' or its corresponding type declarations.",
    "TS2307: Cannot find module 'bun:sqlite' or its corresponding type declarations.",
    "TS2580: Cannot find name 'process'. Do you need to install type definitions for node?",
    "TS2868: Cannot find name 'Bun'. Do you need to install type definitions for Bun?",
    "TS2307: Cannot find module 'bundle' or its corresponding type declarations.",
  ];
  const output = messages.map((message) => `flow.ts(1,1): error ${message}`).join("\n");
  expect(parseCompilerOutput(output).errors.map(({ message }) => message)).toEqual(messages.slice(-1));
});

test("what has no place is kept apart", () => {
  expect(parseCompilerOutput("error TS5083: Cannot read file '/x.json'.\nenv: node: No such file\n")).toEqual({
    errors: [],
    general: ["error TS5083: Cannot read file '/x.json'.", "env: node: No such file"],
  });
});
