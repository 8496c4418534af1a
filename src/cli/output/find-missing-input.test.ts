import { expect, test } from "bun:test";
import type { ScriptOutline } from "../../discovery/index.ts";
import { describeMissingInput, findMissingInput } from "./find-missing-input.ts";

const OUTLINE: ScriptOutline = { phases: [], agents: [], maxAgents: 0, args: ["files", "topic"] };

test.each([
  { message: "TypeError: undefined is not an object (evaluating 'args.files')", input: {}, missing: "files" },
  { message: "undefined is not an object (evaluating 'args.files.map')", input: { prompt: "x" }, missing: "files" },
  { message: "undefined is not an object (evaluating 'topic.trim')", input: { files: [] }, missing: "topic" },
  { message: "undefined is not an object (evaluating 'args.files')", input: { files: [] }, missing: undefined },
  { message: "undefined is not an object (evaluating 'found.files2')", input: {}, missing: undefined },
  { message: "The topic is wrong.", input: {}, missing: undefined },
])("the missing input of $message with $input is $missing", ({ message, input, missing }) => {
  const error = { code: "NODE_FAILED", message };
  expect(findMissingInput({ error, workflow: { scriptOutline: OUTLINE }, input })).toBe(missing);
  expect(findMissingInput({ error, workflow: {}, input })).toBeUndefined();
});

test("the remedy names the option", () => {
  expect(describeMissingInput("files")).toBe('The script reads the input "files": start it again with --input files=…');
});
