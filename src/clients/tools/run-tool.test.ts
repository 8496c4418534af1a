import { expect, test } from "bun:test";
import type { ToolContext, ToolDefinition } from "../../contracts/index.ts";
import { runTool } from "./run-tool.ts";

const SCHEMA = {
  type: "object",
  required: ["city"],
  additionalProperties: false,
  properties: { city: { type: "string" } },
};

function contextWith(abort: AbortSignal = new AbortController().signal): ToolContext {
  return { sessionID: "s", messageID: "m", agent: "claude", directory: "/work", abort };
}

function toolThat(handler: ToolDefinition["handler"], inputSchema: ToolDefinition["inputSchema"] = SCHEMA) {
  return { name: "weather", description: "Tells the weather.", inputSchema, handler };
}

test.each<{ title: string; result: unknown; text: string }>([
  { title: "a string stays a string", result: "Sunny", text: "Sunny" },
  { title: "anything else becomes JSON", result: { sky: ["blue"], wind: 3 }, text: '{"sky":["blue"],"wind":3}' },
  { title: "null becomes JSON", result: null, text: "null" },
  { title: "nothing becomes an empty text", result: undefined, text: "" },
])("$title", async ({ result, text }) => {
  expect(
    await runTool(
      toolThat(() => result),
      { city: "Bonn" },
      contextWith(),
    ),
  ).toEqual({ isError: false, text });
});

test("the handler gets the input and the context as they are", async () => {
  const calls: unknown[] = [];
  const input = { city: "Bonn" };
  const context = contextWith();
  await runTool(
    toolThat((...call) => calls.push(call)),
    input,
    context,
  );
  expect(calls).toEqual([[input, context]]);
});

test("an input that does not fit never reaches the handler, and the model learns what is wrong", async () => {
  const tool = toolThat(() => {
    throw new Error("must not be called");
  });
  expect(await runTool(tool, { town: "Bonn" }, contextWith())).toEqual({
    isError: true,
    text: [
      'The input does not fit what the tool "weather" takes:',
      "- the input must have required property 'city'",
      '- the input must NOT have additional properties: "town"',
      "Call it again with a corrected input.",
    ].join("\n"),
  });
});

test("a tool that can say what is wrong with an input does so in place of its schema", async () => {
  const tool: ToolDefinition = {
    ...toolThat(() => "Sunny"),
    findInputProblems: (input) => ("town" in Object(input) ? ['Unknown argument "town".'] : []),
  };
  expect([await runTool(tool, { town: "Bonn" }, contextWith()), await runTool(tool, {}, contextWith())]).toEqual([
    {
      isError: true,
      text: [
        'The input does not fit what the tool "weather" takes:',
        '- Unknown argument "town".',
        "Call it again with a corrected input.",
      ].join("\n"),
    },
    { isError: false, text: "Sunny" },
  ]);
});

test("each call reports an invalid schema", async () => {
  const tool = toolThat(() => "", { type: "objekt" });
  const told = {
    isError: true,
    text: expect.stringMatching(/^The input schema of the tool "weather" is broken: schema is invalid/),
  };
  expect([await runTool(tool, {}, contextWith()), await runTool(tool, {}, contextWith())]).toEqual([told, told]);
});

test.each<{ title: string; handler: ToolDefinition["handler"]; text: string }>([
  {
    title: "what the handler throws is the error's text",
    handler: () => {
      throw new Error("No such city.");
    },
    text: "No such city.",
  },
  { title: "a rejection likewise", handler: () => Promise.reject("no error object"), text: "no error object" },
  { title: "a result that JSON cannot carry is an error", handler: () => 1n, text: expect.stringContaining("BigInt") },
])("$title", async ({ handler, text }) => {
  expect(await runTool(toolThat(handler), { city: "Bonn" }, contextWith())).toEqual({ isError: true, text });
});

test("what the model sees is bounded, errors too", async () => {
  const text = "x".repeat(100_000);
  const shown = await runTool(
    toolThat(() => text),
    { city: "Bonn" },
    contextWith(),
  );
  const failed = await runTool(
    toolThat(() => Promise.reject(new Error(text))),
    { city: "Bonn" },
    contextWith(),
  );
  expect([shown.text.length, failed.text]).toEqual([51_237, shown.text]);
});

test("an abort ends the call at once with its reason, although the handler does not listen", async () => {
  const controller = new AbortController();
  const reason = new Error("enough");
  const tool = toolThat(() => {
    controller.abort(reason);
    return new Promise(() => {});
  });
  expect(await runTool(tool, { city: "Bonn" }, contextWith(controller.signal)).catch((error) => error)).toBe(reason);
});

test("an abort wins over the error that it makes the handler throw", async () => {
  const controller = new AbortController();
  const tool = toolThat(() => {
    controller.abort(new Error("enough"));
    throw new Error("interrupted");
  });
  await expect(runTool(tool, { city: "Bonn" }, contextWith(controller.signal))).rejects.toThrow("enough");
});

test("a call that is aborted before it begins does not begin", async () => {
  const calls: unknown[] = [];
  const tool = toolThat((input) => calls.push(input));
  await expect(runTool(tool, { city: "Bonn" }, contextWith(AbortSignal.abort(new Error("over"))))).rejects.toThrow(
    "over",
  );
  expect(calls).toEqual([]);
});
