import { resolve } from "node:path";
import type { ToolDefinition, WorkflowToolContext } from "../../../contracts/index.ts";
import { InvalidServiceError, SchemaValidationError } from "../../errors/errors.ts";
import type { ExecutionContext } from "../../model/execution-context.ts";
import { resolveNamed } from "../../model/resolve-named.ts";
import type { BaseState } from "../../state/annotation.ts";
import { type StandardSchema, validateWith } from "../../state/standard-schema.ts";

/** A tool and its arguments. */
export interface ToolCall {
  readonly toolName: string;
  readonly inputSchema: StandardSchema | undefined;
  /** As the node passes it; the tool receives the schema's output. */
  readonly given: unknown;
}

/**
 * Calls a tool of the run's services. The input must match the node's schema, if it has one, and the tool's own.
 *
 * @throws MissingServiceError, InvalidServiceError, UnknownNameError, SchemaValidationError, the signal's reason, and what the tool throws
 */
export async function callTool<State extends BaseState>(
  call: ToolCall,
  context: ExecutionContext<State>,
): Promise<unknown> {
  const { services, nodeId } = context;
  const tool = await resolveNamed(services.tools, { kind: "tool", name: call.toolName, nodeId });
  if (typeof tool.handler !== "function") {
    throw new InvalidServiceError(
      "tools",
      `has the tool "${call.toolName}" without a handler; give it handler(input, context)`,
    );
  }
  const input = await readToolInput(tool, call);
  context.signal.throwIfAborted();
  return await tool.handler(input, describeCall(context));
}

/** The arguments as the tool receives them. @throws SchemaValidationError */
export async function readToolInput(
  tool: ToolDefinition,
  { toolName, inputSchema, given }: ToolCall,
): Promise<unknown> {
  const input = inputSchema === undefined ? given : await validateInput(toolName, inputSchema, given);
  const problems = (await tool.findInputProblems?.(input)) ?? [];
  if (problems.length > 0) throw new SchemaValidationError(describeMisfit(toolName, problems), problems);
  return input;
}

async function validateInput(toolName: string, schema: StandardSchema, given: unknown): Promise<unknown> {
  const result = await validateWith(schema, given);
  if (result.type === "valid") return result.value;
  throw new SchemaValidationError(describeMisfit(toolName, result.problems), result.issues);
}

function describeMisfit(toolName: string, problems: readonly string[]): string {
  return `The input of the tool "${toolName}" does not fit: ${problems.join("; ")}`;
}

function describeCall<State extends BaseState>(context: ExecutionContext<State>): WorkflowToolContext {
  const { runId, taskId, nodeId, state, signal, services } = context;
  return {
    sessionID: runId,
    messageID: taskId,
    agent: "workflow",
    directory: resolve(services.workingDirectory ?? "."),
    abort: signal,
    workflowState: Object.freeze({ ...state }),
    nodeId,
    executionId: runId,
  };
}
