import { type BoxRenderable, CliRenderEvents } from "@opentui/core";
import { useRenderer } from "@opentui/react";
import { type RefObject, useLayoutEffect, useRef, useState } from "react";

/** A box, and whether the last frame had all of its rows. */
export interface WholeBox {
  readonly box: RefObject<BoxRenderable | null>;
  /** Whether the last frame had all of the box's rows. Rows that are cut off are read by nobody. */
  readonly isWhole: boolean;
}

/** Measures after each frame whether a box was drawn whole: the layout's plan can differ from what the terminal has. */
export function useIsWhole(): WholeBox {
  const renderer = useRenderer();
  const box = useRef<BoxRenderable>(null);
  const [isWhole, setIsWhole] = useState(true);
  useLayoutEffect(() => {
    const measure = (): void => {
      const { y = 0, height = 0 } = box.current ?? {};
      // In the inline mode, the renderer has the rows of the footer.
      setIsWhole(y >= 0 && y + height <= renderer.height);
    };
    renderer.on(CliRenderEvents.FRAME, measure);
    return () => {
      renderer.off(CliRenderEvents.FRAME, measure);
    };
  }, [renderer]);
  return { box, isWhole };
}
