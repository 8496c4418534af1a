import { type ClaudeHookEvent, isRecord, promptTextOf, recordOf, stringOf } from "../../contracts/index.ts";
import type { HookFact } from "../hooks/hook-context.ts";
import { effectOf, filledText, type HookEffect, NO_EFFECT } from "./hook-effect.ts";
import type { HookOccasion, VendorEvent } from "./hook-occasion.ts";
import { CUT_ANSWER, type HookRun } from "./run-hook-command.ts";
import { toVendorCall } from "./vendor-call.ts";

type ClaudeEvent = VendorEvent<ClaudeHookEvent>;
type Data<Event extends HookFact["event"]> = Extract<HookFact, { event: Event }>["data"];

/** Claude Code's names of what it notifies of. */
const NOTIFICATION_TYPES: Readonly<Record<Data<"notification">["kind"], string>> = {
  permission: "permission_prompt",
  question: "elicitation_dialog",
  waiting: "waiting",
  stalled: "stalled",
  vendor: "vendor",
};

/** What Claude Code's hooks receive for an event; undefined if they have no such event. Pure. */
export function toClaudeEvent(occasion: HookOccasion): ClaudeEvent | undefined {
  const { sessionId, workingDirectory, permissionMode } = occasion;
  const event = readEvent(occasion);
  if (event === undefined) return undefined;
  const common = {
    session_id: sessionId,
    transcript_path: "",
    cwd: workingDirectory,
    permission_mode: permissionMode,
    hook_event_name: event.name,
  };
  return { ...event, input: { ...common, ...event.input } };
}

function readEvent({ fact, isContinued, model }: HookOccasion): ClaudeEvent | undefined {
  switch (fact.event) {
    case "session.start": {
      const source = fact.data.origin === "create" ? "startup" : fact.data.origin;
      return { name: "SessionStart", input: { source, ...(model === undefined ? {} : { model }) }, matched: [source] };
    }
    case "session.end":
      // A turn's end is `Stop`.
      return fact.data.reason === "destroy"
        ? { name: "SessionEnd", input: { reason: "other" }, matched: ["other"] }
        : undefined;
    case "session.error":
      return {
        name: "StopFailure",
        input: { error: fact.data.code, error_details: fact.data.message },
        matched: [fact.data.code],
      };
    case "message.before":
      return { name: "UserPromptSubmit", input: { prompt: promptTextOf(fact.data.prompt) }, matched: [] };
    case "message.after":
      if (fact.data.outcome !== "completed") return undefined;
      return {
        name: "Stop",
        input: { stop_hook_active: isContinued, last_assistant_message: fact.data.content },
        matched: [],
      };
    case "tool.before":
    case "tool.after":
    case "tool.error":
      return readToolEvent(fact);
    case "permission.request": {
      const { toolName, command, paths, title } = fact.data.request;
      const input = command === undefined ? (paths[0] === undefined ? { title } : { path: paths[0] }) : { command };
      const call = toVendorCall({ toolName, input }, "claude");
      const fields = { tool_name: call.toolName, tool_input: call.input, permission_suggestions: [] };
      return { name: "PermissionRequest", input: fields, matched: [call.toolName, ...call.aliases] };
    }
    case "notification": {
      const type = NOTIFICATION_TYPES[fact.data.kind];
      return { name: "Notification", input: { message: fact.data.message, notification_type: type }, matched: [type] };
    }
    case "subagent.start": {
      const { subagentId, subagentType = "" } = fact.data;
      return {
        name: "SubagentStart",
        input: { agent_id: subagentId, agent_type: subagentType },
        matched: [subagentType],
      };
    }
    case "subagent.end":
      return {
        name: "SubagentStop",
        input: {
          stop_hook_active: false,
          agent_id: fact.data.subagentId,
          agent_type: "",
          agent_transcript_path: "",
          ...(fact.data.result === undefined ? {} : { last_assistant_message: fact.data.result }),
        },
        matched: [],
      };
    case "compact.before":
      return { name: "PreCompact", input: { trigger: "manual", custom_instructions: null }, matched: ["manual"] };
    case "compact.after": {
      const { trigger } = fact.data;
      return { name: "PostCompact", input: { trigger, compact_summary: "" }, matched: [trigger] };
    }
  }
}

function readToolEvent(fact: Extract<HookFact, { event: "tool.before" | "tool.after" | "tool.error" }>): ClaudeEvent {
  const call = toVendorCall(fact.data, "claude");
  const fields = { tool_name: call.toolName, tool_input: call.input, tool_use_id: fact.data.toolId };
  const matched = [call.toolName, ...call.aliases];
  switch (fact.event) {
    case "tool.before":
      return { name: "PreToolUse", input: fields, matched, restore: call.restore };
    case "tool.after":
      return { name: "PostToolUse", input: { ...fields, tool_response: responseOf(call, fact.data.output) }, matched };
    case "tool.error":
      return { name: "PostToolUseFailure", input: { ...fields, error: fact.data.output }, matched };
  }
}

/** Claude Code's hooks read fields of the answers of these tools. */
function responseOf(call: { readonly toolName: string; readonly input: unknown }, output: string): unknown {
  switch (call.toolName) {
    case "Bash":
      return { stdout: output, stderr: "", interrupted: false };
    case "Write":
    case "Edit":
      return { filePath: stringOf(recordOf(call.input).file_path), success: true };
    default:
      return output;
  }
}

/** What the end of a hook in Claude Code's shape means. Pure. */
export function readClaudeRun(name: ClaudeHookEvent, run: HookRun & { type: "exited" }): HookEffect {
  const { exitCode, stdout, stderr } = run;
  if (exitCode === 2) return readRefusal(name, filledText(stderr) ?? "No reason was named.");
  if (exitCode !== 0) {
    const why = filledText(stderr)?.split("\n")[0];
    return { problem: `ended with exit code ${exitCode}${why === undefined ? "" : `: ${why}`}` };
  }
  const text = stdout.trim();
  if (!text.startsWith("{")) return readPlainText(name, text);
  const output = parseObject(text);
  if (output === undefined)
    return { problem: run.isCut === true ? CUT_ANSWER : "printed an object that is no JSON, which is ignored" };
  return { ...readOutput(name, output), ...readCommon(output) };
}

/** Exit code 2. */
function readRefusal(name: ClaudeHookEvent, reason: string): HookEffect {
  switch (name) {
    case "PreToolUse":
    case "UserPromptSubmit":
    case "Stop":
    case "PermissionRequest":
    case "PreCompact":
      return { block: reason };
    case "PostToolUse":
    case "PostToolUseFailure":
      return { feedback: reason };
    default:
      return { problem: `ended with exit code 2, which has no effect for ${name}: ${reason.split("\n")[0]}` };
  }
}

function readPlainText(name: ClaudeHookEvent, text: string): HookEffect {
  const isContext = name === "UserPromptSubmit" || name === "SessionStart";
  return isContext && text !== "" ? { context: text } : NO_EFFECT;
}

/** The object in a text; undefined if it is none. */
export function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function readCommon(output: Readonly<Record<string, unknown>>): HookEffect {
  return effectOf({
    stop: output.continue === false ? (filledText(output.stopReason) ?? "A hook stopped the turn.") : undefined,
    notice: filledText(output.systemMessage),
  });
}

function readOutput(name: ClaudeHookEvent, output: Readonly<Record<string, unknown>>): HookEffect {
  const specific = recordOf(output.hookSpecificOutput);
  const context = filledText(specific.additionalContext);
  const isBlocked = output.decision === "block";
  const reason = filledText(output.reason) ?? "No reason was named.";
  switch (name) {
    case "PreToolUse":
      return effectOf({ ...readCallDecision(specific), ...(isBlocked ? { block: reason } : {}), context });
    case "PermissionRequest": {
      const decision = recordOf(specific.decision);
      return decision.behavior === "deny" ? { block: filledText(decision.message) ?? reason } : NO_EFFECT;
    }
    case "PostToolUse":
    case "PostToolUseFailure":
      return effectOf({ feedback: isBlocked ? reason : undefined, context });
    case "UserPromptSubmit":
    case "Stop":
    case "PreCompact":
      return effectOf({ block: isBlocked ? reason : undefined, context });
    default:
      return effectOf({ context });
  }
}

/** `allow` decides nothing: the policy does. */
function readCallDecision(specific: Readonly<Record<string, unknown>>): HookEffect {
  const reason = filledText(specific.permissionDecisionReason) ?? "No reason was named.";
  const input = isRecord(specific.updatedInput) ? specific.updatedInput : undefined;
  switch (specific.permissionDecision) {
    case "deny":
      return { block: reason };
    case "ask":
      return effectOf({ ask: reason, input });
    default:
      return effectOf({ input });
  }
}
