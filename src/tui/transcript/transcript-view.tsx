import { Conversation } from "./conversation.tsx";

/** The whole conversation, with search. */
export function TranscriptView() {
  return <Conversation />;
}
