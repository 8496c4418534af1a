import { describe, expect, test } from "bun:test";
import { z } from "zod";
import type { RunEvent, ToolDefinition, WorkflowToolContext } from "../../../contracts/index.ts";
import { createScriptedAgent } from "../../../testkit/index.ts";
import { graph } from "../../builder.ts";
import { MissingServiceError, SchemaValidationError } from "../../errors/errors.ts";
import { logs, node, TestState } from "../../fixtures/test-nodes.ts";
import { NamedRegistry } from "../../model/named-registry.ts";
import type { RunOptions } from "../../run/run-options.ts";
import { annotation, defineState, type StateOf } from "../../state/annotation.ts";
import { agentNode } from "../agents/agent-node.ts";
import { customToolNode } from "./custom-tool-node.ts";

function tool(name: string, handler: ToolDefinition["handler"]): ToolDefinition {
  return { name, description: name, inputSchema: { type: "object" }, handler };
}

/** A graph of one node that calls one tool, and a run of it. */
async function call(
  config: Partial<Parameters<typeof customToolNode<TestState>>[0]>,
  handler: ToolDefinition["handler"],
  options: RunOptions = {},
) {
  const calling = customToolNode<TestState>({ id: "call", toolName: "lint", ...config });
  const services = { tools: new NamedRegistry([tool("lint", handler)]), ...options.services };
  return await graph(TestState)
    .start(calling)
    .end()
    .compile()
    .run({ value: "x" }, { ...options, services });
}

describe("a custom tool node", () => {
  test("fails where the tool has no handler", async () => {
    // The cast is what a program without types could do.
    const { error } = await call({}, undefined as never);
    expect(error).toMatchObject({
      code: "SERVICE_INVALID",
      message: 'The service "tools" of the run has the tool "lint" without a handler; give it handler(input, context).',
    });
  });

  test.each([
    { title: "fixed arguments", args: { path: "a.ts" }, given: { path: "a.ts" } },
    {
      title: "arguments built from the state",
      args: ({ value }: Readonly<TestState>) => ({ path: value }),
      given: { path: "x" },
    },
    { title: "none", args: undefined, given: {} },
  ])("calls the tool with $title and keeps the whole result", async ({ args, given }) => {
    const long = "x".repeat(100_000);
    const inputs: unknown[] = [];
    const { state } = await call(args === undefined ? {} : { args }, async (input) => {
      inputs.push(input);
      return { long };
    });
    expect(inputs).toEqual([given]);
    expect(state.outputs).toEqual({ call: { long } });
  });

  test("maps the result, and is named by its id and its tool", async () => {
    const names: string[] = [];
    const onEvent = (event: RunEvent): void => {
      if (event.type === "node-start") names.push(event.name);
    };
    const count = customToolNode<TestState, { readonly path: string }, number>({
      id: "count",
      toolName: "wc",
      args: { path: "a.ts" },
      outputMapper: (lines, { value }) => ({ log: [`${value}: ${lines + 1}`] }),
    });
    const services = { tools: new NamedRegistry([tool("wc", () => 41)]) };
    const { state } = await graph(TestState).start(count).end().compile().run({ value: "v" }, { services, onEvent });
    expect({ log: state.log, names }).toEqual({ log: ["v: 42"], names: ["count (wc)"] });
  });

  test("runs the preceding node again when the tool's own check rejects the arguments", async () => {
    const feedback: (string | undefined)[] = [];
    const inputs: unknown[] = [];
    const draft = node("draft", (context) => {
      feedback.push(context.feedback);
      return { stateUpdate: { value: context.feedback === undefined ? "" : "a.ts" } };
    });
    const lint: ToolDefinition = {
      ...tool("lint", (input) => void inputs.push(input)),
      findInputProblems: (input) => (JSON.stringify(input) === '{"path":""}' ? ["path: is empty"] : []),
    };
    const args = ({ value }: Readonly<TestState>) => ({ path: value });
    const { status } = await graph(TestState)
      .start(draft)
      .then(customToolNode<TestState>({ id: "call", toolName: "lint", args, retry: { maxAttempts: 2 } }))
      .end()
      .compile()
      .run({}, { services: { tools: new NamedRegistry([lint]) } });
    expect({ status, feedback, inputs }).toEqual({
      status: "completed",
      feedback: [undefined, 'The input of the tool "lint" does not fit: path: is empty'],
      inputs: [{ path: "a.ts" }],
    });
  });

  test("passes the workflow to the tool, which cannot change its state", async () => {
    const contexts: WorkflowToolContext[] = [];
    const handler: ToolDefinition["handler"] = (_input, context) => {
      // The cast is true: this is what a tool receives when a workflow calls it.
      const workflow = context as WorkflowToolContext;
      contexts.push(workflow);
      expect(() => Object.assign(workflow.workflowState, { value: "changed" })).toThrow(TypeError);
    };
    const { state } = await call({}, handler, { runId: "r", services: { workingDirectory: "/work" } });
    const [context] = contexts;
    expect({ ...context, abort: context?.abort.aborted }).toEqual({
      sessionID: "r",
      messageID: "call",
      agent: "workflow",
      directory: "/work",
      abort: false,
      workflowState: expect.objectContaining({ value: "x", total: 0, executionId: "r" }),
      nodeId: "call",
      executionId: "r",
    });
    expect(state.value).toBe("x");
  });

  test("passes an absolute directory even if the run has none", async () => {
    let directory = "";
    await call({}, (_input, context) => {
      directory = context.directory;
    });
    expect(directory).toBe(process.cwd());
  });

  test("aborts the tool when it times out", async () => {
    let reason: unknown;
    const { errorInfo } = await call(
      { timeout: 5 },
      (_input, { abort }) =>
        new Promise((_resolve, reject) => {
          abort.addEventListener("abort", () => {
            reason = abort.reason;
            reject(abort.reason);
          });
        }),
    );
    expect(errorInfo?.code).toBe("NODE_TIMEOUT");
    expect(reason).toMatchObject({ code: "NODE_TIMEOUT", timeoutMs: 5 });
  });

  test("aborts the tool when the run is cancelled", async () => {
    const stop = new AbortController();
    const { status } = await call(
      {},
      (_input, { abort }) =>
        new Promise((_resolve, reject) => {
          abort.addEventListener("abort", () => reject(abort.reason));
          stop.abort(new Error("enough"));
        }),
      { signal: stop.signal },
    );
    expect(status).toBe("cancelled");
  });

  test("retries a tool that fails, but not one that does not exist", async () => {
    const retry = { maxAttempts: 3, backoffMs: 0 };
    let attempts = 0;
    const flaky = await call({ retry }, () => {
      attempts++;
      if (attempts < 3) throw new Error("busy");
      return "ok";
    });
    expect({ outputs: flaky.state.outputs, attempts }).toEqual({ outputs: { call: "ok" }, attempts: 3 });
    const failures: string[] = [];
    const onEvent = (event: RunEvent): void => {
      if (event.type === "node-error") failures.push(event.error.message);
    };
    await call({ retry, toolName: "lnit" }, () => "never", { onEvent });
    expect(failures).toEqual([
      'The node "call" needs the tool "lnit", which does not exist. Did you mean "lint"? Known tools: lint.',
    ]);
  });

  test("fails without tools, and says what to do", async () => {
    const calling = customToolNode<TestState>({ id: "call", toolName: "lint" });
    const { error } = await graph(TestState).start(calling).end().compile().run();
    expect(error).toEqual(new MissingServiceError("tools", "call"));
  });
});

describe("a custom tool node with an inputSchema", () => {
  const inputSchema = z.object({ path: z.string().min(1), depth: z.coerce.number().default(1) });
  type Input = z.infer<typeof inputSchema>;

  test("passes the output of the schema to the tool", async () => {
    const inputs: unknown[] = [];
    const calling = customToolNode<TestState, Input>({
      id: "call",
      toolName: "lint",
      inputSchema,
      args: () => ({ path: "a", depth: "3" }),
    });
    const services = { tools: new NamedRegistry([tool("lint", (input) => inputs.push(input))]) };
    await graph(TestState).start(calling).end().compile().run({}, { services });
    expect(inputs).toEqual([{ path: "a", depth: 3 }]);
  });

  test("fails with the problems when there is no node before it", async () => {
    const calling = customToolNode<TestState, Input>({ id: "call", toolName: "lint", inputSchema, args: { path: "" } });
    const services = { tools: new NamedRegistry([tool("lint", () => "never")]) };
    const { error } = await graph(TestState).start(calling).end().compile().run({}, { services });
    expect(error).toEqual(
      new SchemaValidationError(
        'The input of the tool "lint" does not fit: path: Too small: expected string to have >=1 characters',
        [expect.objectContaining({ code: "too_small", path: ["path"] })],
      ),
    );
  });

  test("runs the previous node again, up to its limit, then fails", async () => {
    const feedback: (string | undefined)[] = [];
    const choose = node("choose", (context) => {
      feedback.push(context.feedback);
      return logs("chose");
    });
    const calling = customToolNode<TestState, Input>({
      id: "call",
      toolName: "lint",
      inputSchema,
      args: ({ value }) => ({ path: value }),
      retry: { maxAttempts: 3 },
    });
    const services = { tools: new NamedRegistry([tool("lint", () => "never")]) };
    const { errorInfo } = await graph(TestState).start(choose).then(calling).end().compile().run({}, { services });
    const problem =
      'The input of the tool "lint" does not fit: path: Too small: expected string to have >=1 characters';
    expect({ feedback, errorInfo }).toEqual({
      feedback: [undefined, problem, problem],
      errorInfo: { code: "SCHEMA_VALIDATION", message: problem, nodeId: "call" },
    });
  });
});

test("an agent that names no file to lint is prompted again with the problem, and its next answer is linted", async () => {
  const State = defineState({ targetFile: annotation(""), lintResult: annotation(""), fix: annotation("") });
  type State = StateOf<typeof State>;
  const LintInput = z.object({ filePath: z.string().regex(/\.ts$/, "filePath must be a TypeScript file") });
  const workflow = graph(State)
    .start(
      agentNode<State>({
        id: "identify-file",
        agentType: "claude",
        buildMessage: "Which file should be linted?",
        outputMapper: ({ content }) => ({ targetFile: content }),
      }),
    )
    .then(
      customToolNode<State, z.infer<typeof LintInput>, string>({
        id: "lint-code",
        toolName: "lint",
        inputSchema: LintInput,
        args: ({ targetFile }) => ({ filePath: targetFile }),
        outputMapper: (lintResult) => ({ lintResult }),
        retry: { maxAttempts: 3 },
      }),
    )
    .then(
      agentNode<State>({
        id: "fix-issues",
        buildMessage: ({ lintResult }) => `Fix these lint issues: ${lintResult}`,
        outputMapper: ({ content }) => ({ fix: content }),
      }),
    )
    .end()
    .compile();
  const agent = createScriptedAgent({
    script: ({ prompt }) => {
      if (prompt.startsWith("Fix")) return "fixed";
      return prompt.includes("rejected") ? "src/app.ts" : "the main one";
    },
  });
  // The cast is true: the schema of the node has looked at the input.
  const lint = tool("lint", (input) => `${(input as { filePath: string }).filePath}: 2 issues`);
  const { status, state } = await workflow.run(
    {},
    { services: { clients: () => agent, tools: new NamedRegistry([lint]) } },
  );
  expect({ status, targetFile: state.targetFile, lintResult: state.lintResult, fix: state.fix }).toEqual({
    status: "completed",
    targetFile: "src/app.ts",
    lintResult: "src/app.ts: 2 issues",
    fix: "fixed",
  });
  expect(agent.turns.map(({ prompt }) => prompt)).toEqual([
    "Which file should be linted?",
    'Which file should be linted?\n\nYour previous answer was rejected: The input of the tool "lint" does not fit: filePath: filePath must be a TypeScript file',
    "Fix these lint issues: src/app.ts: 2 issues",
  ]);
});

test("a tool's node is described by the tool's name, unless the author describes it", () => {
  const described = customToolNode<TestState>({ id: "call", toolName: "lint", description: "Look for mistakes" });
  const plain = customToolNode<TestState>({ id: "call", toolName: "lint" });
  expect([plain.description, described.description]).toEqual(["Execute custom tool: lint", "Look for mistakes"]);
});

test.each([
  { config: { id: "Lint", toolName: "lint" }, name: "Lint" },
  { config: { id: "check", toolName: "lint" }, name: "check (lint)" },
  { config: { id: "check", toolName: "lint", name: "Look for mistakes" }, name: "Look for mistakes" },
])("$config is shown as $name", ({ config, name }) => {
  expect(customToolNode<TestState>(config).name).toBe(name);
});
