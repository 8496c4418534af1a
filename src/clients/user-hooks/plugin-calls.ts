import { isRecord, type PluginHook, promptTextOf, recordsOf, stringOf } from "../../contracts/index.ts";
import { effectOf, filledText, type HookEffect, NO_EFFECT } from "./hook-effect.ts";
import type { HookOccasion } from "./hook-occasion.ts";
import type { PluginAnswer } from "./plugin-host.ts";
import { toVendorCall } from "./vendor-call.ts";

/** A call of a hook of OpenCode's plugins. */
export interface PluginCall {
  readonly hook: PluginHook;
  readonly input: unknown;
  readonly output: unknown;
  /** What the answer means. Pure. */
  readonly read: (answer: PluginAnswer) => HookEffect;
  /** Translates a changed input into the agent's spelling. */
  readonly restore?: (input: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
}

/** What OpenCode's plugins are called for, in this order. Pure. */
export function toPluginCalls(occasion: HookOccasion): readonly PluginCall[] {
  const { fact, sessionId: sessionID, workingDirectory } = occasion;
  switch (fact.event) {
    case "session.start":
      if (fact.data.origin === "resume") return [];
      return [event("session.created", { sessionID, info: { id: sessionID, title: "", directory: workingDirectory } })];
    case "session.end":
      if (fact.data.reason === "destroy") return [];
      return fact.data.reason === "delete"
        ? [event("session.deleted", { sessionID, info: { id: sessionID } })]
        : [event("session.status", { sessionID, status: { type: "idle" } }), event("session.idle", { sessionID })];
    case "session.error": {
      const { code, message } = fact.data;
      return [event("session.error", { sessionID, error: { name: code, data: { message } } })];
    }
    case "message.before":
      return [
        event("session.status", { sessionID, status: { type: "busy" } }),
        messageCall(occasion, promptTextOf(fact.data.prompt)),
      ];
    case "tool.before": {
      const call = toVendorCall(fact.data, "opencode");
      return [
        {
          hook: "tool.execute.before",
          input: { tool: call.toolName, sessionID, callID: fact.data.toolId },
          output: { args: call.input },
          read: (answer) => readToolAnswer(answer, call.input),
          restore: call.restore,
        },
      ];
    }
    case "tool.after": {
      const call = toVendorCall(fact.data, "opencode");
      return [
        {
          hook: "tool.execute.after",
          input: { tool: call.toolName, sessionID, callID: fact.data.toolId, args: call.input },
          output: { title: "", output: fact.data.output, metadata: {} },
          read: readProblem,
        },
      ];
    }
    case "permission.request": {
      const { id, kind, title, paths, command } = fact.data.request;
      const patterns = command === undefined ? paths : [command];
      return [
        event("permission.asked", { id, sessionID, permission: kind, patterns, metadata: {}, always: [] }),
        {
          hook: "permission.ask",
          input: {
            id,
            sessionID,
            type: kind,
            title,
            pattern: patterns,
            metadata: {},
            messageID: "",
            time: { created: occasion.now },
          },
          output: { status: "ask" },
          read: readPermissionAnswer,
        },
      ];
    }
    case "compact.after":
      return [event("session.compacted", { sessionID })];
    default:
      return [];
  }
}

function event(type: string, properties: object): PluginCall {
  return { hook: "event", input: { event: { type, properties } }, output: {}, read: readProblem };
}

function messageCall({ sessionId: sessionID, now }: HookOccasion, text: string): PluginCall {
  const message = { id: "", sessionID, role: "user", time: { created: now } };
  return {
    hook: "chat.message",
    input: { sessionID },
    output: { message, parts: [{ id: "", sessionID, messageID: "", type: "text", text }] },
    read: (answer) => readMessageAnswer(answer, text),
  };
}

/** A plugin that throws before a tool denies the call; one that changes its arguments changes the call. */
function readToolAnswer(answer: PluginAnswer, before: unknown): HookEffect {
  if (answer.type === "error") return { block: answer.message };
  const { args } = answer.output;
  return isRecord(args) && JSON.stringify(args) !== JSON.stringify(before) ? { input: args } : NO_EFFECT;
}

function readMessageAnswer(answer: PluginAnswer, before: string): HookEffect {
  if (answer.type === "error") return { block: answer.message };
  const texts = recordsOf(answer.output.parts).map(({ text }) => stringOf(text));
  const after = texts.join("\n");
  return effectOf({ prompt: after === before ? undefined : filledText(after) });
}

/** `allow` decides nothing: a person does. */
function readPermissionAnswer(answer: PluginAnswer): HookEffect {
  if (answer.type === "error") return { problem: answer.message };
  return answer.output.status === "deny" ? { block: "A plugin of OpenCode denied it." } : NO_EFFECT;
}

function readProblem(answer: PluginAnswer): HookEffect {
  return answer.type === "error" ? { problem: answer.message } : NO_EFFECT;
}
