import { useCallback, useRef } from "react";
import type { OpenAsk } from "../chat/chat-state.ts";
import { useUi } from "../ui/ui-context.ts";
import { type AskPlace, IN_A_ROW } from "./ask-row.ts";

/** A second Ctrl+C within this time stops the turn, in milliseconds. */
const SECOND_MS = 2_000;

/**
 * Handles Ctrl+C over requests: the second one within two seconds stops the turn and denies everything that waits; so does the
 * first one when an agent keeps requesting. Returns whether it did. Call the hook where it outlives the dialogs.
 */
export function useStopAll(place: AskPlace): () => boolean {
  const { chat, now } = useUi();
  const pressedAt = useRef(Number.NEGATIVE_INFINITY);
  const { number } = place;
  return useCallback(() => {
    const isSecond = now() - pressedAt.current <= SECOND_MS;
    pressedAt.current = now();
    if (!isSecond && number < IN_A_ROW) return false;
    const { asks } = chat.snapshot();
    void chat.interrupt();
    for (const ask of asks) leaveUnanswered(ask);
    return true;
  }, [chat, now, number]);
}

function leaveUnanswered(ask: OpenAsk): void {
  const reason = "The user stopped the turn.";
  if (ask.type === "permission") ask.answer({ type: "deny", reason, answered: "in the terminal UI" });
  else ask.answer({ type: "decline", reason });
}
