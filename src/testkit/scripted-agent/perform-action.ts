import { mkdir, writeFile } from "node:fs/promises";
import { dirname, relative, resolve } from "node:path";
import {
  type AgentEvent,
  messageOf,
  type PermissionRequest,
  type ToolDefinition,
  type ToolKind,
} from "../../contracts/index.ts";
import { runCommand } from "../../graph/index.ts";
import type { PermissionGate, PermissionOutcome } from "./permission-gate.ts";
import { raceAbort } from "./race-abort.ts";
import type { ScriptedAction, ScriptedActionResult } from "./scripted-turn.ts";
import type { StallWatch } from "./stall-watch.ts";

/** What an action needs from the turn it belongs to. */
export interface ActionContext {
  readonly sessionId: string;
  readonly messageId: string;
  /** Unique within the session. */
  readonly toolId: string;
  readonly workingDirectory: string;
  readonly tools: ReadonlyMap<string, ToolDefinition>;
  readonly gate: PermissionGate;
  readonly watch: StallWatch;
  readonly signal: AbortSignal;
  readonly emit: (event: AgentEvent) => void;
}

/** How an action looks to a model and to a policy. */
interface ActionDescription {
  readonly toolName: string;
  readonly kind: ToolKind;
  readonly input: unknown;
  readonly title: string;
  readonly paths: readonly string[];
  readonly command?: string;
}

/**
 * Carries out an action, if the permissions allow it, between a `tool-start` and a `tool-end`. A failure is told in
 * the result; only an abort rejects, after the `tool-end` and with the signal's reason.
 */
export async function performAction(action: ScriptedAction, context: ActionContext): Promise<ScriptedActionResult> {
  const { sessionId, toolId, signal, emit } = context;
  signal.throwIfAborted();
  const description = describeAction(action, context.workingDirectory);
  const { toolName, kind, input } = description;
  emit({ type: "tool-start", sessionId, toolId, toolName, kind, input });
  const end = (result: ScriptedActionResult): ScriptedActionResult => {
    emit({ type: "tool-end", sessionId, toolId, toolName, isError: result.isError, output: result.output });
    return result;
  };
  try {
    const permission = await askPermission(description, context);
    if (!permission.isAllowed) {
      const { reason } = permission;
      emit({ type: "permission-denied", sessionId, denied: { toolName, kind, title: description.title, reason } });
      return end({ isError: true, isDenied: true, output: reason });
    }
    return end({ isDenied: false, ...(await execute(action, context)) });
  } catch (error) {
    if (!signal.aborted) return end({ isError: true, isDenied: false, output: messageOf(error) });
    end({ isError: true, isDenied: false, output: "The turn was aborted." });
    throw signal.reason;
  }
}

function describeAction(action: ScriptedAction, workingDirectory: string): ActionDescription {
  switch (action.type) {
    case "edit-file": {
      const { path, content } = action;
      const paths = [relative(workingDirectory, resolve(workingDirectory, path))];
      return { toolName: "edit_file", kind: "edit", input: { path, content }, title: `Write ${path}`, paths };
    }
    case "run-command": {
      const { command } = action;
      const title = `Run ${command.split("\n", 1)[0]}`;
      return { toolName: "run_command", kind: "shell", input: { command }, title, paths: [], command };
    }
    case "call-tool":
      return { toolName: action.name, kind: "other", input: action.input, title: `Call ${action.name}`, paths: [] };
  }
}

async function askPermission(description: ActionDescription, context: ActionContext): Promise<PermissionOutcome> {
  const { sessionId, toolId, gate, watch, signal, emit } = context;
  const { input: _input, ...asked } = description;
  const request: PermissionRequest = { id: `permission-${toolId}`, sessionId, ...asked };
  switch (gate.evaluate(request)) {
    case "allow":
      return { isAllowed: true };
    case "deny":
      return { isAllowed: false, reason: "The policy of the session denies it." };
    case "ask":
      emit({ type: "permission-ask", sessionId, request });
      return watch.suspendDuring(() => gate.ask(request, signal));
  }
}

async function execute(
  action: ScriptedAction,
  context: ActionContext,
): Promise<{ readonly isError: boolean; readonly output: string }> {
  const { workingDirectory, signal } = context;
  switch (action.type) {
    case "edit-file": {
      const path = resolve(workingDirectory, action.path);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, action.content, { signal });
      return { isError: false, output: `Wrote ${Buffer.byteLength(action.content)} bytes to ${action.path}.` };
    }
    case "run-command": {
      const { exitCode, stdout, stderr } = await runCommand(action.command, { workingDirectory, signal });
      const output = stdout + stderr;
      return { isError: exitCode !== 0, output: exitCode === 0 ? output : `${output}[exit code ${exitCode}]` };
    }
    case "call-tool":
      return { isError: false, output: await callTool(action, context) };
  }
}

async function callTool(
  { name, input }: Extract<ScriptedAction, { type: "call-tool" }>,
  { tools, sessionId, messageId, workingDirectory, signal }: ActionContext,
): Promise<string> {
  const tool = tools.get(name);
  if (tool === undefined) {
    throw new Error(`No tool named "${name}". Known tools: ${[...tools.keys()].join(", ") || "none"}.`);
  }
  const toolContext = {
    sessionID: sessionId,
    messageID: messageId,
    agent: "scripted",
    directory: workingDirectory,
    abort: signal,
  };
  const result = await raceAbort(tool.handler(input, toolContext), signal);
  return typeof result === "string" ? result : (JSON.stringify(result) ?? "");
}
