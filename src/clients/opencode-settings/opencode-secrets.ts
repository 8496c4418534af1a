import { randomBytes } from "node:crypto";

/**
 * What the commands and the MCP servers that OpenCode starts get in the place of its secrets: with the password they could
 * answer the agent's own questions, and the settings may hold the key of an endpoint.
 */
export const WITHOUT_SECRETS = { OPENCODE_SERVER_PASSWORD: "", OPENCODE_CONFIG_CONTENT: "" } as const;

/** A password that only this client and its server know. */
export function createServerPassword(): string {
  return randomBytes(24).toString("base64url");
}
