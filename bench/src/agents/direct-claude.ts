import { EventEmitter, on } from "node:events";
import { join } from "node:path";
import { query, type SDKUserMessage } from "@anthropic-ai/claude-agent-sdk";
import { findClaude } from "../../../src/clients/index.ts";
import { type AgentDriver, type AgentSetup, MODEL } from "./agent-driver.ts";

/** Drives Claude Code through its SDK: one process that takes message after message. */
export async function startDirectClaude(setup: AgentSetup): Promise<AgentDriver> {
  const { workFolder, searchPath } = setup;
  const outbox = new EventEmitter();
  const ending = new AbortController();
  const turns = query({
    prompt: readMessages(on(outbox, "message", { signal: ending.signal })),
    options: {
      cwd: workFolder,
      env: claudeEnvironment(setup),
      model: MODEL.id,
      pathToClaudeCodeExecutable: await findClaude({ env: { PATH: searchPath } }),
      systemPrompt: { type: "preset", preset: "claude_code" },
      includePartialMessages: true,
      canUseTool: async (_name, input) => ({ behavior: "allow", updatedInput: input }),
    },
  });
  return {
    send: async (message, onText) => {
      outbox.emit("message", message);
      for (;;) {
        const { value, done } = await turns.next();
        if (done === true) throw new Error("Error: Claude Code ended in the middle of a turn.");
        if (value.type === "result") return;
        if (value.type !== "stream_event" || value.event.type !== "content_block_delta") continue;
        if (value.event.delta.type === "text_delta") onText(value.event.delta.text);
      }
    },
    stop: async () => {
      turns.close();
      ending.abort();
    },
  };
}

async function* readMessages(arrivals: AsyncIterable<unknown[]>): AsyncGenerator<SDKUserMessage, void, undefined> {
  try {
    for await (const [text] of arrivals) {
      yield { type: "user", message: { role: "user", content: String(text) }, parent_tool_use_id: null };
    }
  } catch (error) {
    // The end of the driver, not of the messages.
    if (!(error instanceof Error && error.name === "AbortError")) throw error;
  }
}

/** The environment of Claude Code, with the model server as its endpoint. */
export function claudeEnvironment({ modelUrl, homeFolder, searchPath }: AgentSetup): Record<string, string> {
  return {
    PATH: searchPath,
    HOME: homeFolder,
    CLAUDE_CONFIG_DIR: join(homeFolder, ".claude"),
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: "none",
    ANTHROPIC_DEFAULT_HAIKU_MODEL: MODEL.id,
    ANTHROPIC_SMALL_FAST_MODEL: MODEL.id,
    CLAUDE_CODE_MAX_CONTEXT_TOKENS: String(MODEL.contextWindowTokens),
    CLAUDE_CODE_MAX_OUTPUT_TOKENS: String(MODEL.outputTokens),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
    DISABLE_ERROR_REPORTING: "1",
    DISABLE_TELEMETRY: "1",
  };
}
