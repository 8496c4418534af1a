import type { ToolDefinition } from "../../../contracts/index.ts";
import { given } from "../../errors/given.ts";
import { defineNode, type NodeFactory } from "../../model/define-node.ts";
import type { ExecutionContext } from "../../model/execution-context.ts";
import type { NodeDefinition } from "../../model/node-definition.ts";
import { required, schema, someText } from "../../options/option-checks.ts";
import type { BaseState } from "../../state/annotation.ts";
import type { StandardSchema } from "../../state/standard-schema.ts";
import { callTool, readToolInput } from "./call-tool.ts";
import { makeToolNode, TOOL_NODE, type ToolNodeConfig } from "./tool-node.ts";

/** Arguments of the right type, or any arguments and the schema that checks them. */
type CustomToolInput<State extends BaseState, Args> =
  | {
      /**
       * The schema of the tool's arguments. If they do not match it, the *preceding* node runs again with the problems as
       * `ctx.feedback`, as often as `retry.maxAttempts` allows.
       */
      readonly inputSchema: StandardSchema<Args>;
      /** @default an empty object */
      readonly args?: object | ((state: Readonly<State>, context: ExecutionContext<State>) => unknown);
    }
  | {
      readonly inputSchema?: undefined;
      /** @default an empty object */
      readonly args?: Args | ((state: Readonly<State>, context: ExecutionContext<State>) => Args);
    };

/** Settings of a {@link customToolNode}. */
export type CustomToolNodeConfig<
  State extends BaseState,
  Args = Readonly<Record<string, unknown>>,
  Result = unknown,
  Update = unknown,
> = Omit<ToolNodeConfig<State, Args, Result, unknown, Update>, "execute" | "args" | "toolName"> &
  CustomToolInput<State, Args> & {
    /** The name of a tool in the run's services. */
    readonly toolName: string;
  };

const { execute: _execute, ...TOOL_OPTIONS } = TOOL_NODE.options;

export const CUSTOM_TOOL_NODE: NodeFactory<CustomToolNodeConfig<BaseState>> = {
  name: "customToolNode",
  options: { ...TOOL_OPTIONS, toolName: required(someText, "give it the name of a tool"), inputSchema: schema },
  advice: { tool: ['did you mean "toolName"?', "toolName"], input: ['did you mean "args"?', "args"] },
};

/**
 * A node that calls a tool by its name. The tool receives a `WorkflowToolContext`, whose `abort` is the node's signal.
 *
 * ```ts
 * const LintInput = z.object({ filePath: z.string().min(1) });
 * customToolNode({
 *   id: "lint-code",
 *   toolName: "lint",
 *   inputSchema: LintInput,
 *   args: (state) => ({ filePath: state.targetFile }),
 *   outputMapper: (lintResult: string) => ({ lintResult }),
 *   retry: { maxAttempts: 3 },
 * });
 * ```
 */
export function customToolNode<
  State extends BaseState,
  Args = Readonly<Record<string, unknown>>,
  Result = unknown,
  Update = unknown,
>(config: CustomToolNodeConfig<State, Args, Result, Update>): NodeDefinition<State> {
  return defineNode(CUSTOM_TOOL_NODE, config, makeCustomToolNode<State, Args, Result, Update>);
}

function makeCustomToolNode<State extends BaseState, Args, Result, Update>(
  config: CustomToolNodeConfig<State, Args, Result, Update>,
): NodeDefinition<State> {
  const { id, toolName, inputSchema, args, retry, ...settings } = config;
  const node = makeToolNode<State, unknown, Result, unknown, Update>({
    id,
    name: nameStep(id, toolName),
    description: `Execute custom tool: ${toolName}`,
    ...settings,
    toolName,
    ...given({ args, retry }),
    async execute(given, context) {
      // The cast is as true as the author's type for what the tool returns.
      return (await callTool({ toolName, inputSchema, given }, context)) as Result;
    },
  });
  if (toolName === undefined) return node;
  // Without arguments, the tool receives an empty object.
  const checkInput = async (tool: ToolDefinition): Promise<void> =>
    void (await readToolInput(tool, { toolName, inputSchema, given: args ?? {} }));
  return { ...node, uses: [{ kind: "tool", name: toolName, ...(typeof args === "function" ? {} : { checkInput }) }] };
}

/** Several steps may call one tool, and commands know a step by its id. The config may be invalid: `compile()` reports it. */
function nameStep(id: unknown, toolName: unknown): string {
  return String(id).toLowerCase() === String(toolName).toLowerCase() ? String(id) : `${id} (${toolName})`;
}
