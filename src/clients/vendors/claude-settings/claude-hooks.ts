import { type JsonObject, recordOf, type SessionConfig, stringOf } from "../../../contracts/index.ts";
import { startHookHost } from "../../process/hook-server.ts";
import type { ClaudeGuard } from "./claude-guard.ts";

/** Hooks of one session of Claude Code that call Atomic. */
export interface ClaudeHooks {
  /** What Claude Code must be started with: settings that count more than those in files. */
  readonly settings: JsonObject;
  /** Ends the calls: from then on Claude Code blocks every call of a tool. Idempotent. */
  close(): void;
}

/** What of a session's settings its hooks depend on. */
export type HookedSession = Pick<SessionConfig, "permissionMode">;

/** Where the sessions of one process call back. */
export interface ClaudeHookHost {
  /** The port of this machine that they call, known before the process is started. */
  readonly port: number;
  /** Has a session ask a guard about each of its tool calls. */
  open(guard: () => ClaudeGuard | undefined, session: HookedSession): ClaudeHooks;
  /** Ends all calls and stops listening. Idempotent. */
  stop(): Promise<void>;
}

/** How long a hook may take, in seconds: it may wait for a person. */
const HOOK_TIMEOUT_SECONDS = 7 * 24 * 3600;

/**
 * Has a Claude Code that somebody else starts ask Atomic about each of its tool calls, by HTTP on 127.0.0.1. What fails
 * blocks the call, as does a guard that is not there yet, and a user's `disableAllHooks` does not count. A session reaches
 * its own guard only.
 */
export async function startClaudeHooks(): Promise<ClaudeHookHost> {
  const host = await startHookHost();
  return {
    port: host.port,
    open: (guard, session) => {
      const { token, close } = host.open(handlersFor(guard));
      return { settings: settingsFor({ url: host.url, token, session }), close };
    },
    stop: host.stop,
  };
}

function handlersFor(guard: () => ClaudeGuard | undefined) {
  const require = (): ClaudeGuard => {
    const found = guard();
    if (found === undefined) throw new Error("No session of Atomic's asks for this.");
    return found;
  };
  // Who calls ends the wait with the turn.
  const { signal } = new AbortController();
  return {
    "before-tool": async (body: unknown) =>
      require().beforeTool(body, stringOf(recordOf(body).tool_use_id), { signal }),
    "before-question": async (body: unknown) => require().beforeQuestion(body, undefined),
    "before-prompt": async () => require().beforePrompt(),
    "before-worktree": async () => require().beforeWorktree(),
  };
}

function settingsFor(place: {
  readonly url: string;
  readonly token: string;
  readonly session: HookedSession;
}): JsonObject {
  const { url, token, session } = place;
  const hook = (name: string): JsonObject[] => [
    {
      hooks: [
        {
          type: "http",
          url: `${url}/${name}`,
          headers: { Authorization: `Bearer ${token}` },
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
    ...(session.permissionMode === "plan" ? { WorktreeCreate: hook("before-worktree") } : {}),
  };
  return { disableAllHooks: false, hooks };
}
