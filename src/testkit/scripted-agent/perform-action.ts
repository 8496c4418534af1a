import { setTimeout as sleep } from "node:timers/promises";
import {
  messageOf,
  type PermissionRequest,
  raceAbort,
  type SessionConfig,
  type ToolVerdict,
} from "../../contracts/index.ts";
import { type ActionDescription, describeAction, type ToolAction, withInput } from "./describe-action.ts";
import { type ExecutionContext, executeAction } from "./execute-action.ts";
import type { PermissionGate, PermissionOutcome } from "./permission-gate.ts";
import type { ScriptedAction, ScriptedActionResult } from "./scripted-turn.ts";

/** What an action needs from the turn it belongs to. */
export interface ActionContext extends ExecutionContext {
  readonly config: Pick<SessionConfig, "allowedTools" | "beforeTool" | "onQuestion">;
  readonly gate: PermissionGate;
  readonly now: () => number;
}

/**
 * Carries out an action, if the hook and the permissions allow it, between a `tool-start` and a `tool-end`. A failure is
 * told in the result; only an abort rejects, after the `tool-end` and with the signal's reason.
 */
export async function performAction(action: ScriptedAction, context: ActionContext): Promise<ScriptedActionResult> {
  const { sessionId, toolId, signal, emit } = context;
  signal.throwIfAborted();
  if (action.type === "wait") return wait(action, context);
  const { toolName, kind, input } = describeAction(action, context.workingDirectory);
  emit({ type: "tool-start", sessionId, toolId, toolName, kind, input });
  const end = (result: ScriptedActionResult): ScriptedActionResult => {
    emit({ type: "tool-end", sessionId, toolId, toolName, isError: result.isError, output: result.output });
    return result;
  };
  try {
    return end(await decideAndExecute(action, context));
  } catch (error) {
    if (!signal.aborted) return end({ isError: true, isDenied: false, output: messageOf(error) });
    end({ isError: true, isDenied: false, output: "The turn was aborted." });
    throw signal.reason;
  }
}

async function wait(
  { reason, message, delayMs }: Extract<ScriptedAction, { type: "wait" }>,
  { sessionId, watch, signal, emit, now }: ActionContext,
): Promise<ScriptedActionResult> {
  emit({ type: "waiting", sessionId, reason, message, retryAt: now() + delayMs });
  await watch.suspendDuring(() => sleep(delayMs, undefined, { signal }));
  return { isError: false, isDenied: false, output: "" };
}

async function decideAndExecute(action: ToolAction, context: ActionContext): Promise<ScriptedActionResult> {
  const { sessionId, config, emit, workingDirectory } = context;
  const given = describeAction(action, workingDirectory);
  if (!isOffered(given, config)) {
    throw new Error(`The tool "${given.toolName}" is not among the allowedTools of this session.`);
  }
  const verdict = await intercept(given, context);
  if (verdict.type === "block") return { isError: true, isDenied: false, output: verdict.reason };
  const changed = verdict.input === undefined ? action : withInput(action, verdict.input);
  const description = describeAction(changed, workingDirectory);
  const permission = await askPermission(description, context);
  if (permission.isAllowed) return { isDenied: false, ...(await executeAction(changed, context)) };
  const { toolName, kind, title } = description;
  const { reason } = permission;
  emit({ type: "permission-denied", sessionId, denied: { toolName, kind, title, reason } });
  return { isError: true, isDenied: true, output: reason };
}

function isOffered({ toolName, standardNames }: ActionDescription, { allowedTools }: ActionContext["config"]): boolean {
  if (allowedTools === undefined || standardNames === undefined) return true;
  return [toolName, ...standardNames].some((name) => allowedTools.includes(name));
}

async function intercept(
  { toolName, kind, input }: ActionDescription,
  { sessionId, toolId, config: { beforeTool }, watch, signal }: ActionContext,
): Promise<ToolVerdict> {
  if (beforeTool === undefined) return { type: "continue" };
  const call = { sessionId, toolId, toolName, kind, input };
  try {
    // The hook may ask a person, so its silence is no stall.
    return await watch.suspendDuring(() => raceAbort(beforeTool(call, { signal }), signal));
  } catch (error) {
    signal.throwIfAborted();
    return { type: "block", reason: `The hook before the tool failed: ${messageOf(error)}` };
  }
}

async function askPermission(description: ActionDescription, context: ActionContext): Promise<PermissionOutcome> {
  const { sessionId, toolId, gate, watch, signal, emit } = context;
  const { input: _input, standardNames: _names, ...asked } = description;
  const request: PermissionRequest = { id: `permission-${toolId}`, sessionId, ...asked };
  // A question does nothing but ask a person.
  if (description.toolName === "ask_question") return { isAllowed: true };
  switch (await gate.evaluate(request)) {
    case "allow":
      return { isAllowed: true };
    case "deny":
      return { isAllowed: false, reason: "The policy of the session denies it." };
    case "ask":
      if (gate.hasPerson) emit({ type: "permission-ask", sessionId, request });
      return watch.suspendDuring(() => gate.ask(request, signal));
  }
}
