import { useEffect, useRef } from "react";
import { memoryOf } from "../transcript/transcript-memory.ts";
import { useUi } from "../ui/ui-context.ts";
import { type CommentPlace, type CommentState, keepDraft } from "./permission-comments.ts";

/** Hands comments over to the transcript when the request vanishes before it was answered: they can be sent from there. */
export function useUnsentComments(
  current: () => CommentState & { readonly isAnswered: boolean },
  places: readonly CommentPlace[],
): void {
  const { chat, ui } = useUi();
  const latest = useRef(places);
  latest.current = places;
  useEffect(
    () => () => {
      const now = current();
      const { comments } = keepDraft(now, latest.current).comments;
      if (now.isAnswered || comments.length === 0) return;
      for (const { line, text } of comments) memoryOf(chat).comments.write(line, text);
      ui.flash("The request is gone. Your comments are in the transcript: s sends them.");
    },
    [chat, ui, current],
  );
}
