import { safeLine } from "../../view/index.ts";
import type { ChatState } from "../chat/chat-state.ts";

/** The longest title in a file's name, in characters. */
const MAX_TITLE = 40;

/**
 * The name of a file for a conversation: the day and the title, `2026-11-25-repair-the-cart.md`. Without a title of the user, the
 * start of their first message; without either, `2026-11-25-conversation.md`.
 */
export function exportNameOf({ title, model }: Pick<ChatState, "title" | "model">, now: number): string {
  const first = model.entries.find(({ type }) => type === "user");
  const words = slugOf(title ?? "") || slugOf(first?.type === "user" ? first.text : "") || "conversation";
  return `${new Date(now).toISOString().slice(0, 10)}-${words}.md`;
}

/** Letters and digits of the first line, divided by hyphens, without half a word at the end. */
function slugOf(text: string): string {
  const words = safeLine(text.trim().split("\n")[0] ?? "", 200).toLowerCase();
  const slug = words.replace(/[^\p{Letter}\p{Number}]+/gu, "-").replace(/^-|-$/g, "");
  if (slug.length <= MAX_TITLE) return slug;
  return slug
    .slice(0, MAX_TITLE + 1)
    .replace(/-[^-]*$/, "")
    .slice(0, MAX_TITLE);
}
