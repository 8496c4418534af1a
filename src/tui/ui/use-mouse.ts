import type { MouseEvent } from "@opentui/core";
import { useRenderer } from "@opentui/react";
import { useUi } from "./ui-context.ts";

/** How many rows the wheel moves. */
export const WHEEL_ROWS = 3;

/** The left button, as terminals count. */
const LEFT = 0;

/** What the mouse does, as properties of a box or a text. Empty where the settings turn it off. */
export interface Mouse {
  /** Calls the action after a click with the left button, unless it selected text. */
  readonly click: (action: () => void) => { readonly onMouseUp?: (event: MouseEvent) => void };
  /** Calls the action with -1 when the wheel turns up, with 1 when it turns down. */
  readonly wheel: (action: (direction: -1 | 1) => void) => { readonly onMouseScroll?: (event: MouseEvent) => void };
}

/** The mouse under the user's settings. */
export function useMouse(): Mouse {
  const renderer = useRenderer();
  const { hasMouseSelection = true, hasMouseWheel = true } = useUi().host.settings;
  return {
    click(action) {
      if (!hasMouseSelection && !hasMouseWheel) return {};
      return {
        onMouseUp({ button }) {
          const hasSelected = (renderer.getSelection()?.getSelectedText() ?? "") !== "";
          if (button === LEFT && !hasSelected) action();
        },
      };
    },
    wheel(action) {
      if (!hasMouseWheel) return {};
      return {
        onMouseScroll({ scroll }) {
          if (scroll?.direction === "up") action(-1);
          if (scroll?.direction === "down") action(1);
        },
      };
    },
  };
}
