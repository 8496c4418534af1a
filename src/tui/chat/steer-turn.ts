import type { Session } from "../../contracts/index.ts";
import { addUserMessage } from "./chat-model.ts";
import type { ChatStore } from "./chat-store.ts";
import type { LabelledMessage } from "./comment-label.ts";
import type { CommentStore } from "./comment-store.ts";
import { composeMessage, shownMessage } from "./compose-message.ts";

/** What {@link steerTurn} uses. */
export interface SteerServices {
  readonly session: Session;
  readonly store: ChatStore;
  readonly comments: CommentStore;
  readonly now: () => number;
}

/** Adds a message to the turn in progress, and shows it. @throws what the agent throws */
export async function steerTurn(
  { text, attachments, comments = [] }: LabelledMessage,
  { session, store, comments: all, now }: SteerServices,
): Promise<void> {
  const at = now();
  try {
    await session.steer(composeMessage(text, { attachments, context: [] }));
    all.markSent(comments);
  } finally {
    all.returnUnsent(comments);
  }
  const shown = { at, ...shownMessage(text, attachments), isSteering: true };
  store.reduce((model) => addUserMessage(model, shown));
}
