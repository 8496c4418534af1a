import type { ConversationFlags } from "../config/conversation-flags.ts";
import type { ModeFlags } from "./chat-settings-of.ts";

/** Options of the chat: those of a conversation, and how it is drawn. */
export interface ChatFlags extends ConversationFlags, ModeFlags {
  /** Continues the newest conversation of this project. */
  readonly continue?: boolean;
}
