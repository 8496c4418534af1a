import type { AgentEvent } from "../../contracts/index.ts";
import { collectReply, type ReplyParts, startReply } from "../collect-reply.ts";
import type { HookFact, HookToolCall } from "./hook-context.ts";

/** What has to be remembered of a session between two of its events. */
export interface HookState {
  /** The calls that run, by their id. */
  readonly calls: ReadonlyMap<string, HookToolCall>;
  readonly reply: ReplyParts;
}

/** What hooks are told about an event, in this order. */
export interface HookStep {
  readonly state: HookState;
  readonly facts: readonly HookFact[];
}

/** A session in which nothing runs. */
export function startHookState(): HookState {
  return { calls: new Map(), reply: startReply() };
}

/** What an event means to hooks. Pure. */
export function readHookFacts(state: HookState, event: AgentEvent): HookStep {
  const next = { ...state, reply: collectReply(state.reply, event) };
  switch (event.type) {
    case "turn-start":
      return { state: startHookState(), facts: [] };
    case "tool-start": {
      const { toolId, toolName, kind, input } = event;
      const call = { toolId, toolName, kind, input };
      const calls = new Map(state.calls).set(toolId, call);
      return { state: { ...next, calls }, facts: [{ event: "tool.before", data: call }] };
    }
    case "tool-end":
      return endCall(next, event);
    case "turn-end":
      return { state: startHookState(), facts: endTurn(next.reply, event) };
    default:
      return { state: next, facts: readPlainFact(event) };
  }
}

function endCall(state: HookState, { toolId, toolName, isError, output }: AgentEvent & { type: "tool-end" }): HookStep {
  const call = state.calls.get(toolId) ?? { toolId, toolName, kind: "other", input: undefined };
  const calls = new Map(state.calls);
  calls.delete(toolId);
  const event = isError ? "tool.error" : "tool.after";
  return { state: { ...state, calls }, facts: [{ event, data: { ...call, output } }] };
}

function endTurn(reply: ReplyParts, { outcome }: AgentEvent & { type: "turn-end" }): readonly HookFact[] {
  const { content, usage, toolUses } = reply;
  return [
    { event: "message.after", data: { outcome, content, usage, toolUses } },
    { event: "session.end", data: { reason: "idle" } },
  ];
}

function readPlainFact(event: AgentEvent): readonly HookFact[] {
  switch (event.type) {
    case "error":
      return [{ event: "session.error", data: { message: event.message, code: event.code } }];
    case "permission-ask":
      return [{ event: "permission.request", data: { request: event.request } }];
    case "subagent-start":
      return [{ event: "subagent.start", data: { subagentId: event.subagentId, title: event.title } }];
    case "subagent-end":
      return [{ event: "subagent.end", data: { subagentId: event.subagentId, isError: event.isError } }];
    default:
      return [];
  }
}
