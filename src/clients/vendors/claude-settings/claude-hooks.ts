import { type JsonObject, recordOf, type SessionConfig, stringOf } from "../../../contracts/index.ts";
import { startHookHost } from "../../process/hook-server.ts";
import type { ClaudeGuard } from "./claude-guard.ts";

/** Hooks of one session of Claude Code that call Atomic. */
export interface ClaudeHooks {
  /** What to start Claude Code with: settings that override those in files. */
  readonly settings: JsonObject;
  /** Stops answering: Claude Code then blocks every tool call. Idempotent. */
  close(): void;
}

/** The settings of a session that its hooks depend on. */
export type HookedSession = Pick<SessionConfig, "permissionMode">;

/** The endpoint that the sessions of one process call back. */
export interface ClaudeHookHost {
  /** The port on this machine, known before the process is started. */
  readonly port: number;
  /** Makes a session send each of its tool calls to a guard. */
  open(guard: () => ClaudeGuard | undefined, session: HookedSession): ClaudeHooks;
  /** Ends all calls and stops listening. Idempotent. */
  stop(): Promise<void>;
}

/** How long a hook may take, in seconds: it may wait for a person. */
const HOOK_TIMEOUT_SECONDS = 7 * 24 * 3600;

/**
 * Makes a Claude Code that another program starts send each of its tool calls to Atomic, over HTTP on 127.0.0.1. A failure
 * blocks the call, as does a guard that is not ready yet; the user's `disableAllHooks` has no effect. A session reaches
 * only its own guard.
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
  // The caller ends the wait with the turn.
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
