import { CliRenderEvents } from "@opentui/core";
import { useRenderer } from "@opentui/react";
import { useLayoutEffect, useRef } from "react";

/** Calls a function after each frame: that of the component as the frame has it, not of one that React has only rendered. */
export function useAfterFrame(onFrame: () => void): void {
  const renderer = useRenderer();
  const drawn = useRef(onFrame);
  useLayoutEffect(() => {
    drawn.current = onFrame;
  });
  useLayoutEffect(() => {
    const call = (): void => drawn.current();
    renderer.on(CliRenderEvents.FRAME, call);
    return () => {
      renderer.off(CliRenderEvents.FRAME, call);
    };
  }, [renderer]);
}
