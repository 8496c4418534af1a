import { useEffect, useState } from "react";
import { messageOf } from "../../contracts/index.ts";
import { expandPastes } from "../chat/compose-message.ts";
import { useUi } from "../ui/ui-context.ts";
import { PromptStore } from "./prompt-store.ts";

/** The draft of the input. Call it where it outlives the input, which is gone while a dialog covers it. */
export function usePromptStore(): PromptStore {
  const { commands, host, chat, ui } = useUi();
  const [store] = useState(
    () => new PromptStore({ commands, host, onError: (error) => chat.notice(messageOf(error), { tone: "error" }) }),
  );
  useEffect(() => void store.loadHistory(), [store]);
  // It stays after the UI is gone: what was typed is shown at the end of the chat.
  useEffect(() => {
    ui.setDraftReader(() => {
      const { text, attachments } = store.snapshot().draft;
      return expandPastes(text, attachments);
    });
  }, [ui, store]);
  return store;
}
