import { expect } from "bun:test";
import type {
  AgentEvent,
  AgentEventBody,
  AgentPrompt,
  AgentReply,
  CodingAgentClient,
  Session,
  SessionConfig,
  TurnOptions,
} from "../../../contracts/index.ts";
import type { ClientBench } from "./client-bench.ts";
import { findGrammarProblems, findReplyProblems } from "./client-event-grammar.ts";
import { say, script } from "./client-script.ts";

/** A turn as seen by the caller of `send` and its listeners. */
export interface HeardTurn {
  readonly events: readonly AgentEvent[];
  /** Present when the turn completed. */
  readonly reply?: AgentReply;
  /** The error that `send` rejected with, if any. */
  readonly error?: unknown;
}

/** Opens a session and listens to it. */
export async function openTalk(bench: ClientBench, config?: SessionConfig): Promise<Talk> {
  return new Talk(bench, await bench.client.createSession(config));
}

/** A session that records every turn and checks the grammar of its events. */
export class Talk {
  readonly #bench: ClientBench;
  readonly #client: CodingAgentClient;

  constructor(
    bench: ClientBench,
    readonly session: Session,
    client: CodingAgentClient = bench.client,
  ) {
    this.#bench = bench;
    this.#client = client;
  }

  get id(): string {
    return this.session.id;
  }

  /** Sends a message, and checks that the events form a turn and match the reply. */
  async hear(message: AgentPrompt, options?: TurnOptions): Promise<HeardTurn> {
    const events: AgentEvent[] = [];
    const unsubscribe = this.#client.on("*", (event) => {
      if (event.sessionId === this.id) events.push(event);
    });
    const [result] = await Promise.allSettled([this.session.send(message, options)]);
    unsubscribe();
    if (events.length > 0) expect(findGrammarProblems(events, this.id)).toEqual([]);
    if (result.status === "rejected") return { events, error: result.reason };
    expect(findReplyProblems(events, result.value)).toEqual([]);
    return { events, reply: result.value };
  }

  /** Sends a message whose turn must complete; rejects with its error otherwise. */
  async complete(
    message: AgentPrompt,
    options?: TurnOptions,
  ): Promise<{ readonly events: readonly AgentEvent[]; readonly reply: AgentReply }> {
    const { events, reply, error } = await this.hear(message, options);
    if (reply === undefined) throw error;
    return { events, reply };
  }

  /** Sends a message whose turn must fail. Returns the error that `send` rejected with. */
  async fail(
    message: AgentPrompt,
    options?: TurnOptions,
  ): Promise<{ readonly events: readonly AgentEvent[]; readonly error: unknown }> {
    const { events, reply, error } = await this.hear(message, options);
    if (reply !== undefined) throw new Error(`The turn was to fail, and said ${JSON.stringify(reply.content)}.`);
    return { events, error };
  }

  /** Streams a message and checks that the events form a turn. */
  async stream(message: AgentPrompt, options?: TurnOptions): Promise<readonly AgentEvent[]> {
    const events: AgentEvent[] = [];
    for await (const event of this.session.stream(message, options)) events.push(event);
    expect(findGrammarProblems(events, this.id)).toEqual([]);
    return events;
  }

  /** Calls back once, at the session's next event of a type. */
  onNext(type: AgentEvent["type"], run: () => void): void {
    const unsubscribe = this.#client.on("*", (event) => {
      if (event.sessionId !== this.id || event.type !== type) return;
      unsubscribe();
      run();
    });
  }

  /** Checks that the session is still usable. */
  async expectUsable(): Promise<void> {
    script(this.#bench, say("still here"));
    const { reply } = await this.complete("Are you there?");
    expect(reply.content).toBe("still here");
  }
}

/** The events of one type. */
export function eventsOf<T extends AgentEvent["type"]>(
  events: readonly AgentEvent[],
  type: T,
): readonly Extract<AgentEvent, { type: T }>[] {
  return events.filter((event): event is Extract<AgentEvent, { type: T }> => event.type === type);
}

/** The text or the thinking of a turn. */
export function joinDeltas(events: readonly AgentEventBody[], type: "text-delta" | "thinking-delta"): string {
  return events.map((event) => (event.type === type ? event.text : "")).join("");
}
