import { describe, expect, test } from "bun:test";
import { z } from "zod";
import type { ToolContext, ToolDefinition, WorkflowToolContext } from "../../contracts/index.ts";
import { createTool, type ToolParts } from "./create-tool.ts";
import { readToolArguments } from "./tool-arguments.ts";

const CONTEXT: ToolContext = {
  sessionID: "s",
  messageID: "m",
  agent: "opencode",
  directory: "/work",
  abort: new AbortController().signal,
};
const WORKFLOW: WorkflowToolContext = { ...CONTEXT, workflowState: { a: 1 }, nodeId: "n", executionId: "r" };

async function toolThat(
  execute: ToolParts["execute"],
  { args, timeoutMs }: { readonly args?: unknown; readonly timeoutMs?: number } = {},
): Promise<ToolDefinition> {
  const read = await readToolArguments(args, async () => (value) => ("n" in Object(value) ? [] : ["n is missing"]));
  if (read.type === "unusable") throw new Error(read.message);
  const parts = { name: "lint", description: "Lints", path: "/t/lint.ts", timeoutMs, args: read, execute };
  return createTool(parts, async (text, name) => `${name}: ${text}`);
}

async function failureOf(work: unknown): Promise<unknown> {
  return await Promise.resolve(work).then(
    () => "no failure",
    (error) => ({ code: error.code, message: error.message }),
  );
}

describe("a tool", () => {
  test("receives what zod makes of the arguments, and the caller's context", async () => {
    const tool = await toolThat((args, context) => ({ args, directory: context.directory }), {
      args: { n: z.coerce.number(), mode: z.string().default("fast") },
    });
    expect(await tool.handler({ n: "3" }, WORKFLOW)).toEqual({ args: { n: 3, mode: "fast" }, directory: "/work" });
  });

  test.each([
    { title: "zod", args: { n: z.int().min(2), list: z.array(z.string()) }, input: { n: 1, list: [1] } },
    { title: "a JSON Schema", args: { type: "object" }, input: {} },
  ])("does not run with arguments that $title rejects; all problems are listed", async ({ title, args, input }) => {
    let runs = 0;
    const tool = await toolThat(() => runs++, { args });
    const problems =
      title === "zod"
        ? ["n: Too small: expected number to be >=2", "list.0: Invalid input: expected string, received number"]
        : ["n is missing"];
    expect(await failureOf(tool.handler(input, CONTEXT))).toEqual({
      code: "TOOL_ARGUMENTS_INVALID",
      message: ['The arguments of the tool "lint" are invalid:', ...problems.map((each) => `- ${each}`)].join("\n"),
    });
    expect({ found: await tool.findInputProblems?.(input), runs }).toEqual({ found: problems, runs: 0 });
  });

  test.each([
    { title: "a string", result: "text", agent: "lint: text", workflow: "text" },
    { title: "an object", result: { a: 1 }, agent: 'lint: {\n  "a": 1\n}', workflow: { a: 1 } },
    { title: "nothing", result: undefined, agent: "lint: ", workflow: undefined },
  ])("returns bounded text to an agent and the value to a workflow: $title", async ({ result, agent, workflow }) => {
    const tool = await toolThat(async () => result);
    expect([await tool.handler({}, CONTEXT), await tool.handler({}, WORKFLOW)]).toEqual([agent, workflow]);
  });

  test("says which file returned a value that has no JSON form", async () => {
    const tool = await toolThat(() => ({ n: 1n }));
    expect(await failureOf(tool.handler({}, CONTEXT))).toEqual({
      code: "TOOL_RESULT_INVALID",
      message: expect.stringMatching(
        /^The tool "lint" returned a value that has no JSON form: .*BigInt.*\. Return a string or plain data; the tool is in \/t\/lint\.ts\.$/,
      ),
    });
  });

  test.each([{ result: new Map([["a", 1]]) }, { result: { found: new Set([1]) } }])(
    "rejects what JSON would show as empty: $result",
    async ({ result }) => {
      const tool = await toolThat(() => result);
      expect(await failureOf(tool.handler({}, CONTEXT))).toEqual({
        code: "TOOL_RESULT_INVALID",
        message:
          'The tool "lint" returned a value that has no JSON form: a Map or a Set would be empty in JSON. Return a string or plain data; the tool is in /t/lint.ts.',
      });
      expect(await tool.handler({}, WORKFLOW)).toEqual(result);
    },
  );

  test("is aborted at its time limit, although it does not listen", async () => {
    let abort: AbortSignal | undefined;
    const tool = await toolThat(
      (_args, context) => {
        abort = context.abort;
        return new Promise(() => {});
      },
      { timeoutMs: 20 },
    );
    expect(await failureOf(tool.handler({}, CONTEXT))).toEqual({
      code: "TOOL_TIMEOUT",
      message: 'The tool "lint" did not finish within 20 ms. Give it less to do, or raise its timeoutMs in /t/lint.ts.',
    });
    expect(abort?.aborted).toBe(true);
  });

  test("that blocks for longer than its time limit has timed out, although it returns", async () => {
    const block = (durationMs: number) => () => {
      const end = performance.now() + durationMs;
      while (performance.now() < end);
      return "late";
    };
    const tool = await toolThat(block(60), { timeoutMs: 20 });
    expect(await failureOf(tool.handler({}, CONTEXT))).toEqual({
      code: "TOOL_TIMEOUT",
      message: expect.stringMatching(
        /^The tool "lint" took \d{2,} ms, longer than its 20 ms\. It kept the process busy, so it could not be stopped; its late result is not used, but what it did is done\. Give it less to do, or raise its timeoutMs in \/t\/lint\.ts\.$/,
      ),
    });
    const quick = await toolThat(block(20), { timeoutMs: 60_000 });
    expect(await quick.handler({}, CONTEXT)).toBe("lint: late");
  });

  test("ends with the caller's reason, and does not begin for a caller that is gone", async () => {
    const controller = new AbortController();
    const reason = new Error("enough");
    let runs = 0;
    const tool = await toolThat(
      () => {
        runs++;
        controller.abort(reason);
        return new Promise(() => {});
      },
      { timeoutMs: Number.POSITIVE_INFINITY },
    );
    const call = () =>
      Promise.resolve(tool.handler({}, { ...CONTEXT, abort: controller.signal })).catch((error) => error);
    expect([await call(), await call(), runs]).toEqual([reason, reason, 1]);
  });

  test("fails with what it throws before it returns a promise", async () => {
    const tool = await toolThat(() => {
      throw new Error("no linter here");
    });
    expect(await failureOf(tool.handler({}, CONTEXT))).toEqual({ code: undefined, message: "no linter here" });
  });
});
