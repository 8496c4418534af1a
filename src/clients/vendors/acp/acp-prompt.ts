import path from "node:path";
import { pathToFileURL } from "node:url";
import {
  type AgentPrompt,
  type JsonObject,
  type JsonSchema,
  type McpServerConfig,
  mentionOf,
  type PromptPart,
  promptPartsOf,
  type SessionConfig,
} from "../../../contracts/index.ts";
import { describeSchema } from "../../turn/structured/structured-output.ts";

/** Settings of {@link toContentBlocks}. */
export interface ContentBlockOptions {
  readonly workingDirectory: string;
  /**
   * Whether the message must not trigger any action that needs no approval. OpenCode reads linked files, and treats a
   * message that starts with a slash as a command, in which it runs the shell commands between `!` and backticks.
   * @default false
   */
  readonly isPlain?: boolean;
  /** The schema of the answer. */
  readonly outputSchema?: JsonSchema;
}

/** A message as ACP's content blocks. Files become links that the agent follows under its own permissions. */
export function toContentBlocks(
  prompt: AgentPrompt,
  { workingDirectory, isPlain = false, outputSchema }: ContentBlockOptions,
): readonly JsonObject[] {
  const parts = isPlain ? toPlainParts(promptPartsOf(prompt)) : promptPartsOf(prompt);
  const blocks = parts.map((part) => toContentBlock(part, workingDirectory));
  return outputSchema === undefined
    ? blocks
    : [...blocks, { type: "text", text: `\n\n${describeSchema(outputSchema)}` }];
}

/** An invisible character. White space would be trimmed. */
const NO_COMMAND = "\u2060";

/** Names files without linking to them. */
function toPlainParts(parts: readonly PromptPart[]): readonly PromptPart[] {
  const plain = parts.map(
    (part): PromptPart => (part.type === "file" ? { type: "text", text: mentionOf(part.path) } : part),
  );
  const first = plain.findIndex((part) => part.type === "text" && part.text.trim() !== "");
  return plain.map((part, index) =>
    index === first && part.type === "text" && part.text.trimStart().startsWith("/")
      ? { type: "text", text: NO_COMMAND + part.text }
      : part,
  );
}

function toContentBlock(part: PromptPart, workingDirectory: string): JsonObject {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "image":
      return { type: "image", mimeType: part.mimeType, data: part.data };
    case "file": {
      const uri = pathToFileURL(path.resolve(workingDirectory, part.path)).href;
      return { type: "resource_link", uri, name: mentionOf(path.basename(part.path)).slice(1) };
    }
  }
}

/** Whether a message contains an image. */
export function hasImage(prompt: AgentPrompt): boolean {
  return promptPartsOf(prompt).some((part) => part.type === "image");
}

/** MCP servers in ACP's form. `commonEnv` is added to the environment of those that the agent starts. */
export function toMcpServers(
  servers: Readonly<Record<string, McpServerConfig>>,
  commonEnv: Readonly<Record<string, string>> = {},
): readonly JsonObject[] {
  return Object.entries(servers).map(([name, server]): JsonObject => {
    if (server.type === "http") return { type: "http", name, url: server.url, headers: toPairs(server.headers) };
    const env = toPairs({ ...commonEnv, ...server.env });
    return { name, command: server.command, args: [...(server.args ?? [])], env };
  });
}

function toPairs(entries: Readonly<Record<string, string>> = {}): JsonObject[] {
  return Object.entries(entries).map(([name, value]) => ({ name, value }));
}

/** The session's settings with instructions appended to the system prompt. */
export function withInstructions(config: SessionConfig, instructions = ""): SessionConfig {
  const { systemPrompt = "" } = config;
  if (instructions === "") return config;
  if (typeof systemPrompt === "string") {
    return { ...config, systemPrompt: [instructions, systemPrompt].filter(Boolean).join("\n\n") };
  }
  return { ...config, systemPrompt: { ...systemPrompt, text: `${instructions}\n\n${systemPrompt.text}` } };
}
