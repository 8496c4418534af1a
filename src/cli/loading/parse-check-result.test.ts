import { describe, expect, test } from "bun:test";
import type { WorkflowFile } from "../../discovery/index.ts";
import type { CheckedKind } from "./check-request.ts";
import { parseCheckResult } from "./parse-check-result.ts";

const file: WorkflowFile = { path: "/p/file.ts", realPath: "/p/file.ts", source: "local" };
const token = "token";
const problem = { path: file.path, message: "Wrong.", remedy: "Correct it.", severity: "error" };
const metadata = { name: "flow", description: "", aliases: ["f"], source: "local" };

function parse(kind: CheckedKind, result: unknown): unknown {
  const text = typeof result === "string" ? result : JSON.stringify(result);
  return parseCheckResult(`${token} begin\n\n${token} ${text}\n`, { kind, file, token });
}

describe("a complete result", () => {
  const input = { name: "prompt", description: "What to do", isRequired: true, schema: { type: "string" } };
  const full = {
    ...metadata,
    defaultConfig: {},
    version: "1.0.0",
    minSDKVersion: "0.1.0",
    stateVersion: 1,
    isReadOnly: true,
    argumentHint: "PROMPT",
    inputs: [input],
  };
  test.each<{ kind: CheckedKind; result: unknown }>([
    { kind: "tools", result: { tools: [], problems: [] } },
    { kind: "tools", result: { problems: [{ ...problem, line: 1, column: 2, isTimeout: true }] } },
    { kind: "tools", result: { tools: [{ name: "a", source: "local", filePath: file.path }], problems: [problem] } },
    { kind: "workflow", result: { workflow: { metadata, path: file.path }, problems: [] } },
    { kind: "workflow", result: { workflow: { metadata: full, path: file.path }, problems: [] } },
  ])("is returned as it is: $kind $result", ({ kind, result }) => {
    expect(parse(kind, result)).toEqual(result);
  });

  test("has the path and the source of the request", () => {
    const foreign = { ...metadata, source: "builtin" };
    const sent = { workflow: { metadata: foreign, path: "/other" }, problems: [{ ...problem, path: "/other" }] };
    expect(parse("workflow", sent)).toEqual({ workflow: { metadata, path: file.path }, problems: [problem] });
  });
});

test("an incomplete line, or one without the token, is no result", () => {
  const line = '{"tools":[],"problems":[]}';
  expect(parseCheckResult(`${token} ${line}`, { kind: "tools", file, token })).toBeUndefined();
  expect(parseCheckResult(`other ${line}\n`, { kind: "tools", file, token })).toBeUndefined();
});

test.each<unknown>([
  "{nojson",
  {},
  { problems: null },
  { problems: [] },
  { problems: [null] },
  { tools: 5, problems: [] },
  { tools: [null], problems: [] },
  { tools: [{ name: 5 }], problems: [] },
  { problems: [{ ...problem, message: 5 }] },
  { problems: [{ ...problem, remedy: undefined }] },
  { problems: [{ ...problem, path: 1 }] },
  { problems: [{ ...problem, severity: "fatal" }] },
  { problems: [{ ...problem, line: "1" }] },
  { problems: [{ ...problem, isTimeout: 1 }] },
])("of tools, this is no result: %j", (result) => {
  expect(parse("tools", result)).toBeUndefined();
});

test.each<unknown>([
  null,
  { ...metadata, name: 1 },
  { ...metadata, description: undefined },
  { ...metadata, aliases: [1] },
  { ...metadata, defaultConfig: [] },
  { ...metadata, version: 1 },
  { ...metadata, minSDKVersion: 1 },
  { ...metadata, stateVersion: "1" },
  { ...metadata, isReadOnly: "yes" },
  { ...metadata, argumentHint: {} },
  { ...metadata, inputs: {} },
  { ...metadata, inputs: [{ name: "a", isRequired: true }] },
  { ...metadata, inputs: [{ name: "a", isRequired: 1, schema: {} }] },
])("of a workflow, this metadata is no result: %j", (broken) => {
  expect(parse("workflow", { workflow: { metadata: broken, path: file.path }, problems: [] })).toBeUndefined();
});
