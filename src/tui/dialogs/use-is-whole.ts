import type { BoxRenderable, Renderable } from "@opentui/core";
import { useRenderer } from "@opentui/react";
import { type RefObject, useRef, useState } from "react";
import { useAfterFrame } from "../ui/use-after-frame.ts";

/** A box, and whether the last frame had all of its rows. */
export interface WholeBox {
  readonly box: RefObject<BoxRenderable | null>;
  /**
   * Whether the last frame had all of the box's rows. Rows that are cut off are read by nobody. True before the first frame, and while
   * there is no box.
   */
  readonly isWhole: boolean;
}

/**
 * Measures after each frame whether a box was drawn whole: the layout's plan can differ from what the terminal has. `onFrame`
 * is called with it after each frame that has the box.
 */
export function useIsWhole(onFrame: (isWhole: boolean) => void = () => undefined): WholeBox {
  const renderer = useRenderer();
  const box = useRef<BoxRenderable>(null);
  const [isWhole, setIsWhole] = useState(true);
  useAfterFrame(() => {
    if (box.current === null) return setIsWhole(true);
    // In the inline mode, the renderer has the rows of the footer.
    const isNow = isWithin(box.current, renderer.height);
    setIsWhole(isNow);
    onFrame(isNow);
  });
  return { box, isWhole };
}

/** Whether all rows of a box are on a screen of so many rows, and no box around it cuts any of them off. */
function isWithin(box: BoxRenderable, screenRows: number): boolean {
  const end = box.y + box.height;
  if (box.y < 0 || end > screenRows) return false;
  for (let around: Renderable | null = box.parent; around !== null; around = around.parent) {
    if (around.overflow !== "visible" && (box.y < around.y || end > around.y + around.height)) return false;
  }
  return true;
}
