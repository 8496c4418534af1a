import type { AgentEventBody } from "../../contracts/index.ts";

/** What a translator knows of the answer that it translates. */
interface AnswerState {
  readonly sessionId: string;
  /** Whether the answer has broken off, and nothing has followed yet. @default false */
  readonly isCut?: boolean;
}

/** The translation of one vendor event. */
interface Translation<State> {
  readonly state: State;
  readonly events: readonly AgentEventBody[];
}

const OUTPUT: ReadonlySet<AgentEventBody["type"]> = new Set(["text-delta", "thinking-delta", "tool-start"]);

/**
 * Begins the first output after an answer that broke off with a `text-restart`. Not before: where no other attempt succeeds,
 * what the answer has said is all that there is. Pure.
 */
export function announceRestart<State extends AnswerState>({ state, events }: Translation<State>): Translation<State> {
  const first = events.findIndex(({ type }) => OUTPUT.has(type));
  if (state.isCut !== true || first === -1) return { state, events };
  const restart = { type: "text-restart", sessionId: state.sessionId } as const;
  return { state: { ...state, isCut: false }, events: events.toSpliced(first, 0, restart) };
}
