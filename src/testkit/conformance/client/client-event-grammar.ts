import { type AgentEvent, type AgentReply, addUsage, NO_USAGE } from "../../../contracts/index.ts";

/**
 * The problems in the order of a turn's events; empty when it is as the interface promises. Pure.
 *
 * 1. `turn-start` is the first event, `turn-end` the last, and there is one of each.
 * 2. A failed turn has one `error`, right before its end; another turn has none.
 * 3. A tool and a sub-agent starts once and ends at most once, after its start; in a completed turn it ends.
 * 4. All events name the session and the time, which does not run backwards; no delta is empty.
 */
export function findGrammarProblems(events: readonly AgentEvent[], sessionId: string): readonly string[] {
  return [
    ...findFrameProblems(events),
    ...findPairProblems(events),
    ...events.flatMap((event, index) => {
      const isEmpty = (event.type === "text-delta" || event.type === "thinking-delta") && event.text === "";
      const before = events[index - 1]?.at ?? 0;
      return [
        ...(event.at >= before ? [] : [`event ${index} (${event.type}) is at ${event.at}, before the last one`]),
        ...(isEmpty ? [`event ${index} is an empty ${event.type}`] : []),
        ...(event.sessionId === sessionId ? [] : [`event ${index} (${event.type}) is of session ${event.sessionId}`]),
      ];
    }),
  ];
}

/** The differences between a reply and the events of its turn. Pure. */
export function findReplyProblems(events: readonly AgentEvent[], reply: AgentReply): readonly string[] {
  const text = textOf(events);
  const usage = events.reduce((sum, event) => (event.type === "usage" ? addUsage(sum, event.usage) : sum), NO_USAGE);
  const denied = events.flatMap((event) => (event.type === "permission-denied" ? [event.denied] : []));
  const toolUses = events.filter((event) => event.type === "tool-start").length;
  // Paragraphs may be set apart; a structured answer may have no text of its own.
  const isSameText = squeeze(reply.content) === squeeze(text) || (text === "" && reply.structured !== undefined);
  return [
    ...(isSameText ? [] : [`the deltas say ${JSON.stringify(text)}, the reply ${JSON.stringify(reply.content)}`]),
    ...findDifference("usage", usage, reply.usage),
    ...findDifference("deniedPermissions", denied, reply.deniedPermissions),
    ...(denied.length > 0 ? [] : findDifference("toolUses", toolUses, reply.toolUses)),
  ];
}

/** What an answer said before it started again is not part of it. */
function textOf(events: readonly AgentEvent[]): string {
  let text = "";
  let keptLength = 0;
  for (const event of events) {
    if (event.type === "text-delta") text += event.text;
    else if (event.type === "text-restart") text = text.slice(0, keptLength);
    else if (event.type === "usage" || event.type === "tool-start") keptLength = text.length;
  }
  return text;
}

/** Invariants 1 and 2. */
function findFrameProblems(events: readonly AgentEvent[]): readonly string[] {
  const types = events.map((event) => event.type);
  const count = (type: AgentEvent["type"]): number => types.filter((other) => other === type).length;
  const last = events.at(-1);
  const hasFailed = last?.type === "turn-end" && last.outcome === "failed";
  const isErrorInPlace = hasFailed ? count("error") === 1 && types.at(-2) === "error" : count("error") === 0;
  return [
    ...(types[0] === "turn-start" && count("turn-start") === 1 ? [] : ["turn-start is not the first event, once"]),
    ...(last?.type === "turn-end" && count("turn-end") === 1 ? [] : ["turn-end is not the last event, once"]),
    ...(isErrorInPlace ? [] : [`the errors do not fit the outcome: ${types.slice(-4).join(", ")}`]),
  ];
}

/** Invariant 3. */
function findPairProblems(events: readonly AgentEvent[]): readonly string[] {
  const problems: string[] = [];
  const open = new Map<string, string>();
  const started = new Set<string>();
  const start = (key: string, name: string): void => {
    if (started.has(key)) problems.push(`${key} starts twice`);
    started.add(key);
    open.set(key, name);
  };
  const end = (key: string, name: string): void => {
    if (open.get(key) !== name) problems.push(`${key} (${name}) ends without being open`);
    open.delete(key);
  };
  for (const event of events) {
    if (event.type === "tool-start") start(`tool ${event.toolId}`, event.toolName);
    if (event.type === "tool-end") end(`tool ${event.toolId}`, event.toolName);
    if (event.type === "subagent-start") start(`sub-agent ${event.subagentId}`, "");
    if (event.type === "subagent-end") end(`sub-agent ${event.subagentId}`, "");
  }
  const last = events.at(-1);
  const isCompleted = last?.type === "turn-end" && last.outcome === "completed";
  return isCompleted ? [...problems, ...[...open.keys()].map((key) => `${key} never ends`)] : problems;
}

function findDifference(name: string, told: unknown, replied: unknown): readonly string[] {
  const [left, right] = [canonical(told), canonical(replied)];
  return left === right ? [] : [`the events say ${name} ${left}, the reply ${right}`];
}

/** JSON whose keys are in alphabetical order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    typeof item === "object" && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).toSorted(([left], [right]) => (left < right ? -1 : 1)))
      : item,
  );
}

function squeeze(text: string): string {
  return text.replaceAll(/\s+/gu, "");
}
