import { type CopilotHookEvent, isRecord, promptTextOf, recordOf } from "../../contracts/index.ts";
import type { HookFact } from "../hooks/hook-context.ts";
import { parseObject } from "./claude-hook-shape.ts";
import { effectOf, filledText, type HookEffect, NO_EFFECT } from "./hook-effect.ts";
import type { HookOccasion, VendorEvent } from "./hook-occasion.ts";
import { CUT_ANSWER, type HookRun } from "./run-hook-command.ts";
import { toVendorCall } from "./vendor-call.ts";

type CopilotEvent = VendorEvent<CopilotHookEvent>;

/** What Copilot's hooks receive for an event; undefined if they have no such event. Pure. */
export function toCopilotEvent(occasion: HookOccasion): CopilotEvent | undefined {
  const { sessionId, workingDirectory, now } = occasion;
  const event = readEvent(occasion);
  if (event === undefined) return undefined;
  return { ...event, input: { sessionId, timestamp: now, cwd: workingDirectory, ...event.input } };
}

function readEvent({ fact, isContinued }: HookOccasion): CopilotEvent | undefined {
  switch (fact.event) {
    case "session.start":
      return plain("sessionStart", { source: fact.data.origin === "create" ? "new" : "resume" });
    case "session.end":
      // A turn's end is `agentStop`.
      return fact.data.reason === "destroy" ? plain("sessionEnd", { reason: "complete" }) : undefined;
    case "session.error": {
      const { code, message } = fact.data;
      return plain("errorOccurred", { error: { name: code, message }, errorContext: "model_call", recoverable: false });
    }
    case "message.before":
      return plain("userPromptSubmitted", { prompt: promptTextOf(fact.data.prompt) });
    case "message.after":
      if (fact.data.outcome !== "completed") return undefined;
      return plain("agentStop", { transcriptPath: "", stopReason: "end_turn", stop_hook_active: isContinued });
    case "tool.before":
    case "tool.after":
    case "tool.error":
      return readToolEvent(fact);
    case "permission.request": {
      const { toolName, command, paths, title } = fact.data.request;
      const input = command === undefined ? (paths[0] === undefined ? { title } : { path: paths[0] }) : { command };
      const call = toVendorCall({ toolName, input }, "copilot");
      return {
        name: "permissionRequest",
        input: {
          hookName: "permissionRequest",
          toolName: call.toolName,
          toolInput: call.input,
          permissionSuggestions: [],
        },
        matched: [call.toolName, ...call.aliases],
      };
    }
    case "notification": {
      const type = fact.data.kind === "permission" ? "permission_prompt" : fact.data.kind;
      const fields = {
        message: fact.data.message,
        title: "",
        hook_event_name: "Notification",
        notification_type: type,
      };
      return { name: "notification", input: fields, matched: [type] };
    }
    case "subagent.start": {
      const { title, subagentType = "" } = fact.data;
      const fields = { transcriptPath: "", agentName: subagentType, agentDisplayName: title, agentDescription: title };
      return { name: "subagentStart", input: fields, matched: [subagentType] };
    }
    case "subagent.end":
      return plain("subagentStop", { transcriptPath: "", agentName: "", stopReason: "end_turn" });
    case "compact.before":
      return {
        name: "preCompact",
        input: { transcriptPath: "", trigger: "manual", customInstructions: "" },
        matched: ["manual"],
      };
    case "compact.after":
      return undefined;
  }
}

function plain(name: CopilotHookEvent, input: CopilotEvent["input"]): CopilotEvent {
  return { name, input, matched: [] };
}

function readToolEvent(fact: Extract<HookFact, { event: "tool.before" | "tool.after" | "tool.error" }>): CopilotEvent {
  const call = toVendorCall(fact.data, "copilot");
  const fields = { toolName: call.toolName, toolArgs: call.input };
  const matched = [call.toolName, ...call.aliases];
  switch (fact.event) {
    case "tool.before":
      return { name: "preToolUse", input: fields, matched, restore: call.restore };
    case "tool.after": {
      const toolResult = { resultType: "success", textResultForLlm: fact.data.output };
      return { name: "postToolUse", input: { ...fields, toolResult }, matched };
    }
    case "tool.error":
      return { name: "postToolUseFailure", input: { ...fields, error: fact.data.output }, matched };
  }
}

/** What the end of a hook in Copilot's shape means. Any failure of one before a tool denies the call. Pure. */
export function readCopilotRun(name: CopilotHookEvent, run: HookRun & { type: "exited" }): HookEffect {
  const { exitCode, stdout, stderr } = run;
  if (exitCode !== 0) {
    const why = filledText(stderr);
    if (name === "preToolUse" || (name === "permissionRequest" && exitCode === 2))
      return { block: why ?? `It ended with exit code ${exitCode}.` };
    return { problem: `ended with exit code ${exitCode}${why === undefined ? "" : `: ${why.split("\n")[0]}`}` };
  }
  const output = parseObject(stdout.trim());
  if (output === undefined && run.isCut === true && stdout.trimStart().startsWith("{"))
    return name === "preToolUse" ? { block: `It ${CUT_ANSWER}.` } : { problem: CUT_ANSWER };
  return output === undefined ? NO_EFFECT : readOutput(name, output);
}

function readOutput(name: CopilotHookEvent, output: Readonly<Record<string, unknown>>): HookEffect {
  const reason = filledText(output.permissionDecisionReason) ?? filledText(output.reason) ?? "No reason was named.";
  const context = filledText(output.additionalContext);
  switch (name) {
    case "preToolUse":
      return effectOf({
        block: output.permissionDecision === "deny" ? reason : undefined,
        ask: output.permissionDecision === "ask" ? reason : undefined,
        input: isRecord(output.modifiedArgs) ? output.modifiedArgs : undefined,
        context,
      });
    case "permissionRequest": {
      const { behavior, message } = { ...output, ...recordOf(output.decision) };
      return behavior === "deny" ? { block: filledText(message) ?? reason } : NO_EFFECT;
    }
    case "userPromptSubmitted":
      return effectOf({ prompt: filledText(output.modifiedPrompt), context });
    case "agentStop":
      return output.decision === "block" ? { block: reason } : NO_EFFECT;
    default:
      return effectOf({ context });
  }
}
