import { resolve } from "node:path";
import type { WorkflowToolContext } from "../../contracts/index.ts";
import type { BaseState } from "../annotation.ts";
import { SchemaValidationError } from "../errors.ts";
import type { ExecutionContext } from "../execution-context.ts";
import { resolveNamed } from "../named-services.ts";
import type { NodeDefinition } from "../node-definition.ts";
import { type StandardSchema, validateWith } from "../standard-schema.ts";
import { isWorthRetrying } from "./agent-retry.ts";
import { type ToolNodeConfig, toolNode } from "./tool-node.ts";

/** Arguments that are known to fit, or whatever there is and the schema that tells whether it fits. */
type CustomToolInput<State extends BaseState, Args> =
  | {
      /**
       * The shape the tool needs. Where the arguments do not have it, the *preceding* node runs again, with what is
       * wrong as `ctx.feedback`, as often as `retry.maxAttempts` allows.
       */
      readonly inputSchema: StandardSchema<Args>;
      /** @default an empty object */
      readonly args?: object | ((state: Readonly<State>) => unknown);
    }
  | {
      readonly inputSchema?: undefined;
      /** @default an empty object */
      readonly args?: Args | ((state: Readonly<State>) => Args);
    };

/** Settings of a {@link customToolNode}. */
export type CustomToolNodeConfig<
  State extends BaseState,
  Args = Readonly<Record<string, unknown>>,
  Result = unknown,
> = Omit<ToolNodeConfig<State, Args, Result>, "execute" | "args" | "toolName"> &
  CustomToolInput<State, Args> & {
    /** The name of a tool that the run's services know. */
    readonly toolName: string;
  };

/**
 * A node that calls a tool by its name. The tool is told of the workflow (`WorkflowToolContext`), and its `abort` is the
 * node's signal.
 *
 * ```ts
 * const LintInput = z.object({ filePath: z.string().min(1) });
 * customToolNode<State, z.infer<typeof LintInput>, string>({
 *   id: "lint-code",
 *   toolName: "lint",
 *   inputSchema: LintInput,
 *   args: (state) => ({ filePath: state.targetFile }),
 *   outputMapper: (lintResult) => ({ lintResult }),
 *   retry: { maxAttempts: 3 },
 * });
 * ```
 */
export function customToolNode<State extends BaseState, Args = Readonly<Record<string, unknown>>, Result = unknown>(
  config: CustomToolNodeConfig<State, Args, Result>,
): NodeDefinition<State> {
  const { toolName, inputSchema, args, retry, ...settings } = config;
  return toolNode<State, unknown, Result>({
    ...settings,
    toolName,
    ...(args === undefined ? {} : { args }),
    ...(retry === undefined ? {} : { retry: { retryOn: isWorthRetrying, ...retry } }),
    async execute(given, context) {
      const { services, nodeId } = context;
      const tool = await resolveNamed(services.tools, { kind: "tool", name: toolName, nodeId });
      const input = inputSchema === undefined ? given : await validateInput(toolName, inputSchema, given);
      context.signal.throwIfAborted();
      // The cast is true as far as the author knows the tool: what it returns has the type that is said here.
      return (await tool.handler(input, describeCall(context))) as Result;
    },
  });
}

async function validateInput<Args>(toolName: string, schema: StandardSchema<Args>, given: unknown): Promise<Args> {
  const result = await validateWith(schema, given);
  if (result.type === "valid") return result.value;
  const problems = result.problems.join("; ");
  throw new SchemaValidationError(`The input of the tool "${toolName}" does not fit: ${problems}`, result.issues);
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
