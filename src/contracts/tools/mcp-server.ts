/** How an agent reaches an MCP server. */
export type McpServerConfig =
  | {
      /** A program that speaks MCP over standard input and output. */
      readonly type: "stdio";
      readonly command: string;
      readonly args?: readonly string[];
      /** Added to the agent's environment for this program. */
      readonly env?: Readonly<Record<string, string>>;
    }
  | {
      /** A server that speaks MCP over streamable HTTP. */
      readonly type: "http";
      readonly url: string;
      readonly headers?: Readonly<Record<string, string>>;
    };

/** The state of one of an agent's MCP servers. */
export interface McpServerStatus {
  readonly name: string;
  readonly status: "connected" | "connecting" | "failed" | "disabled" | "needs-sign-in";
  /** Why it failed. Absent where the vendor does not report it. */
  readonly detail?: string;
}
