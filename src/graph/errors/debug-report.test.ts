import { expect, test } from "bun:test";
import type { RunEvent } from "../../contracts/index.ts";
import { graph } from "../builder.ts";
import { failing, logs, node, TestState } from "../fixtures/test-nodes.ts";
import { MemorySaver } from "../savers/memory-saver.ts";
import { createDebugReport } from "./debug-report.ts";

function errorWith(stack: string, options?: ErrorOptions): Error {
  return Object.assign(new Error("no luck", options), { stack });
}

test("a report contains the error, its causes and the project's files", () => {
  const cause = errorWith("Error: no luck\n    at open (/app/src/disk.ts:9:1)\n    at /app/src/main.ts:1:2");
  const error = errorWith(
    "Error: no luck\n    at run (/app/src/main.ts:3:7)\n    at step (/app/node_modules/x/index.js:1:1)\n    at node:internal/x:1:2",
    { cause },
  );
  const report = createDebugReport(error, { relevantFiles: ["package.json"], suggestedFixes: ["Free some space"] });
  expect(report).toEqual({
    errorSummary: "Error: no luck ← Error: no luck",
    stackTrace: `${error.stack}\nCaused by ${cause.stack}`,
    relevantFiles: ["package.json", "/app/src/main.ts", "/app/src/disk.ts"],
    suggestedFixes: ["Free some space"],
  });
});

test("a report is limited in length, has no control characters, and stops at a cycle of causes", () => {
  const error = errorWith(`\u001b[31mError\u001b[0m: ${"x".repeat(10_000)}`);
  error.cause = error;
  const { stackTrace, errorSummary } = createDebugReport(error);
  expect([stackTrace.length, stackTrace.startsWith("Error: xx"), errorSummary]).toEqual([
    8_001,
    true,
    "Error: no luck",
  ]);
  expect(createDebugReport(new Error("x".repeat(10_000))).errorSummary).toBe(`Error: ${"x".repeat(993)}…`);
});

test.each([
  { title: "colours", text: "a \u001b[1;31mred\u001b[0m rose", expected: "a red rose" },
  { title: "colours in the short form", text: "a \u009b38;5;9mred\u009bm rose", expected: "a red rose" },
  { title: "links", text: "\u001b]8;;file:///a.ts\u0007a.ts\u001b]8;;\u001b\\", expected: "a.ts" },
  { title: "moves of the cursor", text: "\u001b[2J\u001b[1;1Hdone\u001bM", expected: "done" },
])("a report is without what terminals take for $title", ({ text, expected }) => {
  expect(createDebugReport(new Error(text)).errorSummary).toBe(`Error: ${expected}`);
});

test("a report about a real failure names this file", () => {
  expect(createDebugReport(new Error("here")).relevantFiles).toContain(import.meta.path);
});

test("a catch can go to another node, and report its findings to subscribers", async () => {
  const events: RunEvent[] = [];
  const compiled = graph(TestState)
    .start(failing("x"))
    .catch((error) => ({
      stateUpdate: { log: ["caught"] },
      signals: [{ type: "debug_report_generated", report: createDebugReport(error, { suggestedFixes: ["Try"] }) }],
      goto: "repair",
    }))
    .then(node("never"))
    .then(node("repair"))
    .end()
    .compile();
  const { log } = await compiled.execute({}, { onEvent: (event) => events.push(event) });
  expect(log).toEqual(["caught", "repair"]);
  expect(events.flatMap((event) => (event.type === "debug-report" ? [event.report.errorSummary] : []))).toEqual([
    "Error: x failed",
  ]);
});

test("the signal `human_input_required` asks a person", async () => {
  const asking = node("ask", () => ({ signals: [{ type: "human_input_required", prompt: "Go on?" }] }), {
    applyAnswer: (answer) => logs(String(answer)).stateUpdate,
  });
  const { requests, status } = await graph(TestState)
    .start(asking)
    .end()
    .compile({ checkpointer: new MemorySaver() })
    .run();
  expect([status, requests.map(({ question }) => question)]).toEqual(["suspended", ["Go on?"]]);
});
