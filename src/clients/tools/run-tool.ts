import { messageOf, raceAbort, type ToolContext, type ToolDefinition } from "../../contracts/index.ts";
import { createSchemaValidator } from "../turn/structured/structured-output.ts";
import { truncateToolOutput } from "./truncate-tool-output.ts";

/** The outcome of a tool call, as the model receives it. */
export interface ToolOutcome {
  readonly isError: boolean;
  readonly text: string;
}

/**
 * Calls a tool for an agent. The outcome is for the model: an input that does not fit the tool's schema, and anything that
 * the handler throws, becomes the text of an error; a result that is not a string becomes JSON. {@link truncateToolOutput}
 * limits its size. Rejects only when `context.abort` is aborted: at once, with its reason, even if the handler ignores it.
 *
 * ```ts
 * const outcome = await runTool(lint, { filePath: "src/main.ts" }, context); // { isError: false, text: "No problems." }
 * ```
 */
export async function runTool(tool: ToolDefinition, input: unknown, context: ToolContext): Promise<ToolOutcome> {
  const { abort } = context;
  abort.throwIfAborted();
  const { isError, text } = await raceAbort(callTool(tool, input, context), abort);
  abort.throwIfAborted(); // an abort wins over whatever error it caused
  return { isError, text: truncateToolOutput(text) };
}

async function callTool(tool: ToolDefinition, input: unknown, context: ToolContext): Promise<ToolOutcome> {
  try {
    const problems = await findProblems(tool, input);
    context.abort.throwIfAborted();
    if (problems.length > 0) return { isError: true, text: describeProblems(tool, problems) };
    return { isError: false, text: toText(await tool.handler(input, context)) };
  } catch (error) {
    return { isError: true, text: messageOf(error) };
  }
}

async function findProblems(tool: ToolDefinition, input: unknown): Promise<readonly string[]> {
  // The tool itself can say more than its schema.
  if (tool.findInputProblems !== undefined) return await tool.findInputProblems(input);
  try {
    const validate = await createSchemaValidator(tool.inputSchema, { subject: "the input" });
    return validate(input);
  } catch (error) {
    throw new Error(`The input schema of the tool "${tool.name}" is broken: ${messageOf(error)}`, { cause: error });
  }
}

function describeProblems(tool: ToolDefinition, problems: readonly string[]): string {
  return [
    `The input does not fit what the tool "${tool.name}" takes:`,
    ...problems.map((problem) => `- ${problem}`),
    "Call it again with a corrected input.",
  ].join("\n");
}

function toText(result: unknown): string {
  return typeof result === "string" ? result : (JSON.stringify(result) ?? "");
}
