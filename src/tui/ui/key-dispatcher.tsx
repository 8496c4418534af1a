import { useKeyboard } from "@opentui/react";
import type { ReactNode } from "react";
import { messageOf } from "../../contracts/index.ts";
import { useUi } from "./ui-context.ts";

/** Offers each key to the layers, before the focused input receives it. */
export function KeyDispatcher({ children }: { readonly children: ReactNode }) {
  const { layers, chat } = useUi();
  useKeyboard((key) => {
    try {
      if (layers.dispatch(key)) key.preventDefault();
    } catch (error) {
      // OpenTUI swallows exceptions of key handlers.
      chat.notice(`A key failed: ${messageOf(error)}`, { tone: "error" });
    }
  });
  return children;
}
