import { useEffect, useRef } from "react";
import { memoryOf } from "../transcript/transcript-memory.ts";
import { useUi } from "../ui/ui-context.ts";
import { type CommentPlace, type CommentState, keepDraft } from "./permission-comments.ts";

/**
 * Keeps the comments on a request with the conversation. When the request vanishes before it was answered, they are in the
 * transcript: they can be sent from there.
 */
export function useUnsentComments(
  current: () => CommentState & { readonly isAnswered: boolean },
  { places, requestId }: { readonly places: readonly CommentPlace[]; readonly requestId: string },
): void {
  const { chat, ui } = useUi();
  const latest = useRef(places);
  latest.current = places;
  useEffect(
    () => () => {
      const now = current();
      const { comments } = keepDraft(now, latest.current).comments;
      const store = memoryOf(chat).comments;
      if (now.isAnswered || comments.length === 0) return store.hold(requestId, []);
      for (const { line, text } of comments) store.write(line, text);
      store.hold(requestId, []);
      ui.flash("The request is gone. Your comments are in the transcript: s sends them.");
    },
    [chat, ui, current, requestId],
  );
  const { comments } = current().comments;
  useEffect(() => memoryOf(chat).comments.hold(requestId, comments), [chat, requestId, comments]);
}
