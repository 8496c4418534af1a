import type { KeyEvent } from "@opentui/core";
import { useRenderer } from "@opentui/react";
import { type ReactNode, useLayoutEffect } from "react";
import { messageOf } from "../../contracts/index.ts";
import { useUi } from "./ui-context.ts";

/** Offers each key to the layers, before the focused input receives it. */
export function KeyDispatcher({ children }: { readonly children: ReactNode }) {
  const { layers, chat, now } = useUi();
  const { keyInput } = useRenderer();
  // OpenTUI's own hook subscribes after the first frame, and a key pressed at once would pass by the layers.
  useLayoutEffect(() => {
    const dispatch = (key: KeyEvent): void => {
      try {
        if (layers.dispatch(key, now())) key.preventDefault();
      } catch (error) {
        // OpenTUI swallows exceptions of key handlers.
        chat.notice(`A key failed: ${messageOf(error)}`, { tone: "error" });
      }
    };
    keyInput.on("keypress", dispatch);
    return () => {
      keyInput.off("keypress", dispatch);
    };
  }, [keyInput, layers, chat, now]);
  return children;
}
