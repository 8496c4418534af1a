import { z } from "zod";
import type { JsonSchema, ToolContext, WorkflowToolContext } from "../../contracts/index.ts";

/** The arguments of a tool, each by its name and with its zod schema. */
export type ToolShape = Readonly<Record<string, z.ZodType>>;

/** How a tool describes its arguments: a zod schema for each, a zod schema of an object, or a JSON Schema of an object. */
export type ToolSchema = ToolShape | z.ZodType | JsonSchema;

/** The arguments that `execute` receives. Those described by a JSON Schema have no types of their own. */
export type ToolArguments<Schema extends ToolSchema> = Schema extends z.ZodType
  ? z.output<Schema>
  : Schema extends ToolShape
    ? z.output<z.ZodObject<Schema>>
    : Readonly<Record<string, unknown>>;

/** A tool without arguments. */
type NoArguments = Readonly<Record<never, never>>;

/** What a tool file exports. */
export interface ToolInput<Schema extends ToolSchema = NoArguments> {
  /** What the tool does and when to use it, for the agent. */
  readonly description: string;
  /** The arguments. @default none */
  readonly args?: Schema;
  /** Another name of `args`. */
  readonly inputSchema?: Schema;
  /** Fail after this many milliseconds; `Infinity` sets no limit. @default 600_000 */
  readonly timeoutMs?: number;
  /**
   * Runs the tool with checked arguments. A string is returned as is, anything else as JSON; what it throws is reported to
   * the agent. Pass `context.abort` to whatever takes long. A call by a workflow has `workflowState` in its context.
   */
  execute(args: ToolArguments<Schema>, context: ToolContext | WorkflowToolContext): unknown;
}

/**
 * Defines a tool in a file of `.atomic/tools` or `~/.atomic/tools`. Returns its argument; it is there for the types. The
 * default export has the name of its file, another export `FILE_EXPORT`.
 *
 * ```ts
 * import { tool } from "@bastani/atomic/plugin";
 *
 * export default tool({
 *   description: "Counts the lines of a file.",
 *   args: { path: tool.schema.string().describe("Relative to the working directory") },
 *   async execute({ path }, { directory }) {
 *     const text = await Bun.file(`${directory}/${path}`).text();
 *     return `${text.split("\n").length} lines`;
 *   },
 * });
 * ```
 */
export const tool: {
  <Schema extends ToolSchema = NoArguments>(input: ToolInput<Schema>): ToolInput<Schema>;
  /** zod, for the schemas of arguments. */
  readonly schema: typeof z;
} = Object.assign(<Schema extends ToolSchema>(input: ToolInput<Schema>) => input, { schema: z });
