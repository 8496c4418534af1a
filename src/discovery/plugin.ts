// The entry point `@bastani/atomic/plugin`, for files of tools.
export type { JsonSchema, ToolContext, ToolDefinition, ToolEntry, WorkflowToolContext } from "../contracts/index.ts";
export { type ToolArguments, type ToolInput, type ToolSchema, type ToolShape, tool } from "./tools/tool.ts";
export { ToolRegistry, type ToolRegistryOptions, UnknownToolError } from "./tools/tool-registry.ts";
