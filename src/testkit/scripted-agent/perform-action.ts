import { messageOf, type PermissionDecision, type SessionConfig, type ToolVerdict } from "../../contracts/index.ts";
import { type ActionDescription, describeAction, type ToolAction, withInput } from "./describe-action.ts";
import { type ExecutionContext, executeAction, ScriptedPathError } from "./execute-action.ts";
import type { ScriptedPermissions } from "./scripted-permissions.ts";
import type { ScriptedAction, ScriptedActionResult } from "./scripted-turn.ts";

/** What an action needs from its turn. */
export interface ActionContext extends ExecutionContext {
  readonly config: Pick<SessionConfig, "allowedTools" | "beforeTool" | "onQuestion">;
  readonly permissions: ScriptedPermissions;
  readonly now: () => number;
  readonly sleep: (durationMs: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Executes an action, if the hook and the permissions allow it, between a `tool-start` and a `tool-end`. A failure is part
 * of the result; only an abort rejects, with the signal's reason and after the `tool-end`, and a path that a script must not use.
 *
 * @throws ScriptedPathError
 */
export async function performAction(action: ScriptedAction, context: ActionContext): Promise<ScriptedActionResult> {
  const { sessionId, toolId, signal, emit } = context;
  signal.throwIfAborted();
  if (action.type === "wait") return wait(action, context);
  if (action.type === "report-call") return report(action, context);
  if (action.type === "report-denial") {
    emit({ type: "permission-denied", sessionId, denied: action.denied });
    return { isError: true, isDenied: true, output: action.denied.reason };
  }
  const { toolName, kind, input } = describeAction(action, context.workingDirectory);
  emit({ type: "tool-start", sessionId, toolId, toolName, kind, input });
  const end = (result: ScriptedActionResult): ScriptedActionResult => {
    emit({ type: "tool-end", sessionId, toolId, toolName, isError: result.isError, output: result.output });
    return result;
  };
  try {
    return end(await decideAndExecute(action, context));
  } catch (error) {
    if (!signal.aborted) {
      const result = end({ isError: true, isDenied: false, output: messageOf(error) });
      // A mistake of the script, which no agent can correct.
      if (error instanceof ScriptedPathError) throw error;
      return result;
    }
    end({ isError: true, isDenied: false, output: "The turn was aborted." });
    throw signal.reason;
  }
}

async function wait(
  { reason, message, delayMs }: Extract<ScriptedAction, { type: "wait" }>,
  { sessionId, turn, emit, now, sleep }: ActionContext,
): Promise<ScriptedActionResult> {
  emit({ type: "waiting", sessionId, reason, message, retryAt: now() + delayMs });
  // A wait that the agent has reported is not a stall, like a wait for a person.
  await turn.waitForPerson((signal) => sleep(delayMs, signal));
  return { isError: false, isDenied: false, output: "" };
}

function report(
  { toolName, kind, input, output, isError = false }: Extract<ScriptedAction, { type: "report-call" }>,
  { sessionId, toolId, emit }: ActionContext,
): ScriptedActionResult {
  emit({ type: "tool-start", sessionId, toolId, toolName, kind, input });
  emit({ type: "tool-end", sessionId, toolId, toolName, isError, output });
  return { isError, isDenied: false, output };
}

async function decideAndExecute(action: ToolAction, context: ActionContext): Promise<ScriptedActionResult> {
  const { config, workingDirectory } = context;
  const given = describeAction(action, workingDirectory);
  if (!isOffered(given, config)) {
    throw new Error(`The tool "${given.toolName}" is not among the allowedTools of this session.`);
  }
  const verdict = await intercept(given, context);
  if (verdict.type === "block") {
    const { toolName, kind, title } = given;
    const { reason } = verdict;
    context.emit({
      type: "permission-denied",
      sessionId: context.sessionId,
      denied: { toolName, kind, title, reason },
    });
    return { isError: true, isDenied: true, output: reason };
  }
  const changed = verdict.input === undefined ? action : withInput(action, verdict.input);
  const decision = await decide(describeAction(changed, workingDirectory), context);
  if (decision.type === "deny") return { isError: true, isDenied: true, output: decision.reason };
  return { isDenied: false, ...(await executeAction(changed, context)) };
}

function isOffered({ toolName, standardNames }: ActionDescription, { allowedTools }: ActionContext["config"]): boolean {
  if (allowedTools === undefined || standardNames === undefined) return true;
  return [toolName, ...standardNames].some((name) => allowedTools.includes(name));
}

async function intercept(
  { toolName, kind, input }: ActionDescription,
  { sessionId, toolId, config: { beforeTool }, turn }: ActionContext,
): Promise<ToolVerdict> {
  if (beforeTool === undefined) return { type: "continue" };
  const call = { sessionId, toolId, toolName, kind, input };
  try {
    // The hook may ask a person, so its silence is not a stall.
    return await turn.waitForPerson(async (signal) => beforeTool(call, { signal }));
  } catch (error) {
    turn.signal.throwIfAborted();
    return { type: "block", reason: `The hook before the tool failed: ${messageOf(error)}` };
  }
}

async function decide(description: ActionDescription, context: ActionContext): Promise<PermissionDecision> {
  const { sessionId, toolId, permissions, turn } = context;
  const { input: _input, standardNames: _names, ...asked } = description;
  const request = { id: `permission-${toolId}`, sessionId, ...asked };
  // A question only asks a person.
  if (asked.toolName === "ask_question") return permissions.denyUnlisted(request, turn) ?? { type: "allow" };
  return permissions.decide(request, turn);
}
