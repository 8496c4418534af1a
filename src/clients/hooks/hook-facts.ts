import { type AgentEvent, type AgentEventBody, endsWait, isSameWait, type Waiting } from "../../contracts/index.ts";
import { collectReply, type ReplyParts, startReply } from "../turn/collect-reply.ts";
import type { HookFact, HookToolCall } from "./hook-context.ts";
import { readNotification } from "./read-notification.ts";

/** What a session must remember between two of its events. */
export interface HookState {
  /** The running calls, by their id. */
  readonly calls: ReadonlyMap<string, HookToolCall>;
  readonly reply: ReplyParts;
  /** The last wait that was reported. */
  readonly waiting: Waiting | undefined;
  /** Whether the program requested a compaction that is in progress. */
  readonly isCompacting: boolean;
}

/** What hooks receive for an event, in this order. */
export interface HookStep {
  readonly state: HookState;
  readonly facts: readonly HookFact[];
}

/** A session without running calls. */
export function startHookState(): HookState {
  return { calls: new Map(), reply: startReply(), waiting: undefined, isCompacting: false };
}

/** Translates an event for hooks. Pure. */
export function readHookFacts(state: HookState, event: AgentEvent): HookStep {
  const waiting = event.type === "waiting" ? event : endsWait(event) ? undefined : state.waiting;
  const next = { ...state, reply: collectReply(state.reply, event), waiting };
  switch (event.type) {
    case "turn-start":
      return { state: { ...startHookState(), isCompacting: state.isCompacting }, facts: [] };
    case "compacted": {
      const trigger = state.isCompacting ? "manual" : "auto";
      return { state: { ...next, isCompacting: false }, facts: [{ event: "compact.after", data: { trigger } }] };
    }
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
      return { state: next, facts: [...readPlainFact(event), ...readNotice(state, event)] };
  }
}

function endCall(
  state: HookState,
  { toolId, toolName, isError, output }: AgentEventBody & { type: "tool-end" },
): HookStep {
  const call = state.calls.get(toolId) ?? { toolId, toolName, kind: "other", input: undefined };
  const calls = new Map(state.calls);
  calls.delete(toolId);
  const event = isError ? "tool.error" : "tool.after";
  return { state: { ...state, calls }, facts: [{ event, data: { ...call, output } }] };
}

function endTurn(reply: ReplyParts, { outcome }: AgentEventBody & { type: "turn-end" }): readonly HookFact[] {
  const { content, usage, toolUses } = reply;
  return [
    { event: "message.after", data: { outcome, content, usage, toolUses } },
    { event: "session.end", data: { reason: "idle" } },
  ];
}

/** Some agents report the same wait every second. */
function readNotice({ waiting }: HookState, event: AgentEvent): readonly HookFact[] {
  if (event.type === "waiting" && waiting !== undefined && isSameWait(waiting, event, event.at)) return [];
  const data = readNotification(event);
  return data === undefined ? [] : [{ event: "notification", data }];
}

function readPlainFact(event: AgentEvent): readonly HookFact[] {
  switch (event.type) {
    case "error":
      return [{ event: "session.error", data: { message: event.message, code: event.code } }];
    case "permission-ask":
      return [{ event: "permission.request", data: { request: event.request } }];
    case "subagent-start": {
      const { type: _type, sessionId: _sessionId, at: _at, ...data } = event;
      return [{ event: "subagent.start", data }];
    }
    case "subagent-end": {
      const { type: _type, sessionId: _sessionId, at: _at, ...data } = event;
      return [{ event: "subagent.end", data }];
    }
    default:
      return [];
  }
}
