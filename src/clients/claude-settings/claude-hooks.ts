import { type JsonObject, recordOf, stringOf } from "../../contracts/index.ts";
import { startHookServer } from "../process/hook-server.ts";
import type { ClaudeGuard } from "./claude-guard.ts";

/** Hooks of Claude Code that call Atomic. */
export interface ClaudeHooks {
  /** What Claude Code must be started with: settings that count more than those in files. */
  readonly settings: JsonObject;
  /** Stops listening: from then on Claude Code blocks every call. Idempotent. */
  close(): Promise<void>;
}

/** How long a hook may take, in seconds: it may wait for a person. */
const HOOK_TIMEOUT_SECONDS = 7 * 24 * 3600;

/**
 * Has a Claude Code that somebody else starts ask a guard about each of its tool calls, by HTTP on 127.0.0.1. What fails
 * blocks the call, as does a guard that is not there yet, and a user's `disableAllHooks` does not count.
 */
export async function openClaudeHooks(guard: () => ClaudeGuard | undefined): Promise<ClaudeHooks> {
  const require = (): ClaudeGuard => {
    const found = guard();
    if (found === undefined) throw new Error("No session of Atomic's asks for this.");
    return found;
  };
  // Who calls ends the wait with the turn.
  const { signal } = new AbortController();
  const server = await startHookServer({
    "before-tool": async (body) => require().beforeTool(body, stringOf(recordOf(body).tool_use_id), { signal }),
    "before-question": async (body) => require().beforeQuestion(body, undefined),
    "before-prompt": async () => require().beforePrompt(),
  });
  const hook = (name: string): JsonObject[] => [
    {
      hooks: [
        {
          type: "http",
          url: `${server.url}/${name}`,
          headers: { Authorization: `Bearer ${server.token}` },
          timeout: HOOK_TIMEOUT_SECONDS,
          onFailure: "block",
        },
      ],
    },
  ];
  const hooks = {
    PreToolUse: hook("before-tool"),
    PermissionRequest: hook("before-question"),
    UserPromptSubmit: hook("before-prompt"),
  };
  return { settings: { disableAllHooks: false, hooks }, close: () => server.stop() };
}
