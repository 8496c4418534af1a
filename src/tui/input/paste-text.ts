import { safeText } from "../../view/index.ts";
import { attachPaste, isLongPaste } from "./attachments.ts";
import type { PromptStore } from "./prompt-store.ts";

/** Inserts a pasted text: a long one as an attachment, the first line in a search. */
export function pasteText(text: string, store: PromptStore): void {
  const { draft, searchedFrom } = store.sync();
  if (searchedFrom !== undefined) store.insert(safeText(text.split("\n")[0] ?? ""));
  else if (isLongPaste(text) && !draft.text.startsWith("!")) {
    const attachment = attachPaste(text, draft.attachments);
    store.insert(attachment.label, attachment);
  } else store.insert(safeText(text));
}
