import type { McpSdkServerConfigWithInstance } from "@anthropic-ai/claude-agent-sdk";
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import type { CallToolResult, ServerNotification, ServerRequest } from "@modelcontextprotocol/sdk/types.js";
import { recordOf, stringOf, type ToolContext, type ToolDefinition } from "../../../contracts/index.ts";
import { MAX_TIMER_MS } from "../../../system/index.ts";
import { runTool } from "../../tools/run-tool.ts";
import { CUSTOM_TOOL_SERVER } from "../claude-settings/claude-tools.ts";
import { AGENT_TYPE } from "./claude-errors.ts";

/** The session of the tools. */
export interface ToolServerOptions {
  /** The last of several tools with the same name counts. */
  readonly tools: readonly ToolDefinition[];
  readonly sessionId: string;
  readonly workingDirectory: string;
  /** Aborted when the turn of the tool call is stopped. */
  readonly turnSignal: () => AbortSignal;
}

type CallExtra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** Makes a tool available to the model without a search. */
const ALWAYS_LOADED = { "anthropic/alwaysLoad": true };

/** Serves Atomic's tools in this process. Claude Code speaks MCP with the server over its own pipes. */
export async function createToolServer(options: ToolServerOptions): Promise<McpSdkServerConfigWithInstance> {
  const { Server } = await import("@modelcontextprotocol/sdk/server/index.js");
  const { CallToolRequestSchema, ListToolsRequestSchema } = await import("@modelcontextprotocol/sdk/types.js");
  const tools = new Map(options.tools.map((tool) => [tool.name, tool]));
  const server = new Server({ name: CUSTOM_TOOL_SERVER, version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [...tools.values()].map(({ name, description, inputSchema }) => ({
      name,
      description,
      // The protocol supports only objects as input.
      inputSchema: { ...inputSchema, type: "object" as const },
      _meta: ALWAYS_LOADED,
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, extra) => {
    const tool = tools.get(params.name);
    return tool === undefined ? unknownTool(params.name) : call(tool, params.arguments ?? {}, { extra, options });
  });
  // The cast is true: the SDK only connects the instance to a transport, which the low-level server also supports.
  const instance = server as unknown as McpSdkServerConfigWithInstance["instance"];
  // Calls end only with the turn.
  return { type: "sdk", name: CUSTOM_TOOL_SERVER, timeout: MAX_TIMER_MS, instance };
}

function unknownTool(name: string): CallToolResult {
  return { isError: true, content: [{ type: "text", text: `There is no tool named "${name}".` }] };
}

async function call(
  tool: ToolDefinition,
  input: unknown,
  { extra, options }: { readonly extra: CallExtra; readonly options: ToolServerOptions },
): Promise<CallToolResult> {
  const context: ToolContext = {
    sessionID: options.sessionId,
    messageID: stringOf(recordOf(extra._meta)["claudecode/toolUseId"]),
    agent: AGENT_TYPE,
    directory: options.workingDirectory,
    abort: AbortSignal.any([options.turnSignal(), extra.signal]),
  };
  try {
    const { isError, text } = await runTool(tool, input, context);
    return { isError, content: [{ type: "text", text }] };
  } catch {
    // `runTool` rejects only when it is aborted.
    return { isError: true, content: [{ type: "text", text: "The call was cancelled." }] };
  }
}
