import type { OpenAsk } from "../chat/chat-state.ts";
import type { AskPlace } from "./ask-row.ts";

/** What the dialogs of requests and questions share. */
export interface AskProps {
  readonly ask: OpenAsk;
  /** How many others wait after this one. */
  readonly otherCount: number;
  /** What was shown before it. */
  readonly place: AskPlace;
  /** Receives text that was meant for the input. */
  readonly onTyped: (text: string) => void;
  /** Receives a pasted text that was meant for the input. */
  readonly onPasted: (text: string) => void;
  /** Ctrl+C was pressed. Returns whether that stopped everything; otherwise it answers this request. */
  readonly onInterrupt: () => boolean;
  /** Called when the person answers. */
  readonly onAnswered: () => void;
}
