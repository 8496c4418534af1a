import { useEffect, useState } from "react";
import { messageOf } from "../../contracts/index.ts";
import { useUi } from "../ui/ui-context.ts";
import { PromptStore } from "./prompt-store.ts";

/** The draft of the input. Call it where it outlives the input, which is gone while a dialog covers it. */
export function usePromptStore(): PromptStore {
  const { commands, host, chat } = useUi();
  const [store] = useState(
    () => new PromptStore({ commands, host, onError: (error) => chat.notice(messageOf(error), { tone: "error" }) }),
  );
  useEffect(() => void store.loadHistory(), [store]);
  return store;
}
