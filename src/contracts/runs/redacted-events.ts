import type { AgentEvent } from "../agents/agent-event.ts";
import { RedactedStream } from "../secrets/redacted-stream.ts";
import type { Redactor } from "../secrets/redactor.ts";
import { endsVisit, type RunEvent } from "./run-event.ts";

type TextEvent = Extract<AgentEvent, { type: "text-delta" | "thinking-delta" }>;

/** Text of one session that has not been passed on yet. */
interface HeldText {
  readonly stream: RedactedStream;
  /** The piece that came last: what was held back is passed on in its place. */
  latest: TextEvent;
}

/**
 * Redacts the events of agents. A secret can be split between pieces of text, so the end of a text is held back until the
 * next piece arrives, or anything else of that session.
 */
export class RedactedAgentEvents {
  readonly #redactor: Redactor;
  /** By session and kind of text. */
  readonly #held = new Map<string, HeldText>();

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  /** Takes an event; returns what can be passed on now, in this order. */
  take(event: AgentEvent): readonly AgentEvent[] {
    switch (event.type) {
      case "text-delta":
      case "thinking-delta":
        return this.#takeText(event);
      // Between two pieces of one text.
      case "usage":
      case "vendor":
        return [this.#redactor.value(event)];
      default:
        return [...this.#flushSession(event.sessionId), redactEvent(event, this.#redactor)];
    }
  }

  /** What is still held back, at the end. */
  flush(): readonly AgentEvent[] {
    return [...this.#held.keys()].flatMap((key) => this.#flushText(key));
  }

  #takeText(event: TextEvent): readonly AgentEvent[] {
    const key = keyOf(event.type, event.sessionId);
    const other = keyOf(event.type === "text-delta" ? "thinking-delta" : "text-delta", event.sessionId);
    const before = this.#flushText(other);
    let held = this.#held.get(key);
    if (held === undefined) {
      held = { stream: new RedactedStream(this.#redactor), latest: event };
      this.#held.set(key, held);
    }
    held.latest = event;
    const text = held.stream.push(event.text);
    return text === "" ? before : [...before, { ...event, text }];
  }

  #flushSession(sessionId: string): readonly AgentEvent[] {
    if (this.#held.size === 0) return [];
    return [keyOf("thinking-delta", sessionId), keyOf("text-delta", sessionId)].flatMap((key) => this.#flushText(key));
  }

  #flushText(key: string): readonly AgentEvent[] {
    const held = this.#held.get(key);
    if (held === undefined) return [];
    this.#held.delete(key);
    const text = held.stream.flush();
    return text === "" ? [] : [{ ...held.latest, text }];
  }
}

function keyOf(type: TextEvent["type"], sessionId: string): string {
  return `${type} ${sessionId}`;
}

/** Redacts an event, but not the ids in it. */
function redactEvent<Event extends { readonly sessionId: string }>(event: Event, redactor: Redactor): Event {
  const redacted = redactor.value(event);
  return redacted === event ? event : { ...redacted, sessionId: event.sessionId };
}

type NodeEvent = Extract<RunEvent, { readonly taskId: string }>;

/** Fields of a run's events that stay: ids, and what the run redacted when it entered the run. */
const KEPT: ReadonlySet<string> = new Set(["runId", "nodeId", "taskId", "update", "state", "error"]);

/** Redacts the events of a run; see {@link RedactedAgentEvents}. The ids of the run, its nodes and their visits stay. */
export class RedactedRunEvents {
  readonly #redactor: Redactor;
  /** By visit of a node. */
  readonly #agents = new Map<string, { readonly events: RedactedAgentEvents; latest: NodeEvent }>();

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  /** Takes an event; returns what can be passed on now, in this order. */
  take(event: RunEvent): readonly RunEvent[] {
    if (event.type === "agent") return this.#takeAgent(event);
    const before = this.#flushBefore(event);
    const fields = Object.fromEntries(Object.entries(event).filter(([name]) => !KEPT.has(name)));
    const redacted = this.#redactor.value(fields);
    // The cast is true: these are the event's own fields.
    return [...before, redacted === fields ? event : ({ ...event, ...redacted } as RunEvent)];
  }

  #takeAgent(event: Extract<RunEvent, { type: "agent" }>): readonly RunEvent[] {
    let agent = this.#agents.get(event.taskId);
    if (agent === undefined) {
      agent = { events: new RedactedAgentEvents(this.#redactor), latest: event };
      this.#agents.set(event.taskId, agent);
    }
    agent.latest = event;
    return agent.events.take(event.event).map((each) => ({ ...event, event: each }));
  }

  #flushBefore(event: RunEvent): readonly RunEvent[] {
    if (this.#agents.size === 0) return [];
    if (event.type === "run-end") return [...this.#agents.keys()].flatMap((taskId) => this.#flush(taskId, true));
    // Neither interrupts a text.
    if (!("taskId" in event) || event.type === "usage") return [];
    return this.#flush(event.taskId, endsVisit(event));
  }

  #flush(taskId: string, isOver: boolean): readonly RunEvent[] {
    const agent = this.#agents.get(taskId);
    if (agent === undefined) return [];
    if (isOver) this.#agents.delete(taskId);
    const { runId, nodeId, at } = agent.latest;
    return agent.events.flush().map((event) => ({ type: "agent", runId, nodeId, taskId, at, event }));
  }
}
