import { expect, test } from "bun:test";
import { z } from "zod";
import { parseWorkflowInputs } from "../../discovery/parse-workflow-inputs.ts";
import { finishInputs, readInputs, type TypedWorkflow } from "./typed-input.ts";

function workflowOf(schema: z.ZodType): TypedWorkflow {
  const inputs = parseWorkflowInputs(schema);
  if (inputs === undefined) throw new Error("The schema declares no inputs.");
  return { name: "my flow", inputs };
}

test("values are parsed, and required ones without a value are listed", async () => {
  const workflow = workflowOf(z.object({ a: z.number(), b: z.string(), c: z.string().default("x") }));
  const { values, missing } = await readInputs(workflow, new Map([["a", "5"]]));
  expect({ values, missing: missing.map(({ name }) => name) }).toEqual({ values: { a: 5 }, missing: ["b"] });
  expect(await finishInputs(workflow, { a: 5, b: "y" })).toEqual({ a: 5, b: "y", c: "x" });
});

test("an open schema accepts other names, as text", async () => {
  const workflow = workflowOf(z.looseObject({ a: z.number() }));
  const { values } = await readInputs(
    workflow,
    new Map([
      ["a", "5"],
      ["constructor", "6"],
    ]),
  );
  expect(values).toEqual({ a: 5, constructor: "6" });
  const closed = readInputs(workflowOf(z.object({ a: z.number() })), new Map([["constructor", "6"]]));
  await expect(closed).rejects.toThrow('The workflow has no input "constructor". Its inputs: a.');
});

test("without a prompt the error says how to set it", async () => {
  const workflow = workflowOf(z.object({ prompt: z.string(), depth: z.number() }));
  const rejected = readInputs(workflow, new Map([["depth", "x"]]));
  await expect(rejected).rejects.toThrow(
    `The inputs of "my flow" are not valid:
  - The input "depth" must be a number, not "x".
  - The input "prompt" is missing (text).
Set the prompt with atomic run 'my flow' "…", and other inputs with --input NAME=VALUE; see: atomic run 'my flow' --help`,
  );
});

test("a rule about several inputs is reported when each of them is valid", async () => {
  const schema = z.object({ from: z.number(), to: z.number() }).refine(({ from, to }) => from < to, "from is after to");
  const workflow = workflowOf(schema);
  await expect(finishInputs(workflow, { from: 2, to: 1 })).rejects.toThrow(
    "from is after to. Set inputs with --input NAME=VALUE; see: atomic run 'my flow' --help",
  );
  await expect(
    readInputs(
      workflow,
      new Map([
        ["from", "2"],
        ["to", "1"],
      ]),
    ),
  ).rejects.toThrow("from is after to.");
});

test("an optional input that a transform drops is left to the state's default", async () => {
  const workflow = workflowOf(z.object({ a: z.string().optional(), b: z.string().transform(() => undefined) }));
  expect(await finishInputs(workflow, { b: "x" })).toEqual({});
});

test.each([
  { limit: "0", says: 'The input "limit" must be a number above 0. ' },
  { limit: "2.5", says: 'The input "limit" must be a whole number. ' },
  { limit: "500", says: 'The input "limit" is invalid: Not that many. ' },
])("a limit is said in plain words, unless the author has words for it: $limit", async ({ limit, says }) => {
  const workflow = workflowOf(z.object({ limit: z.int().positive().max(100, "Not that many") }));
  await expect(readInputs(workflow, new Map([["limit", limit]]))).rejects.toThrow(says);
});

test("of a list, the element is named", async () => {
  const workflow = workflowOf(z.object({ tags: z.array(z.string().min(2)) }));
  await expect(readInputs(workflow, new Map([["tags", "ab,c"]]))).rejects.toThrow(
    'The input "tags" is invalid: 1 must be a text of at least 2 characters. ',
  );
});
