import type { CliRenderer } from "@opentui/core";
import { createRoot } from "@opentui/react";
import { type ReactNode, useLayoutEffect } from "react";

/** Draws the UI. `onDrawn` is called once its first frame is on the screen. Returns a function that removes it. */
export function renderChat(renderer: CliRenderer, node: ReactNode, onDrawn: () => void = () => undefined): () => void {
  const root = createRoot(renderer);
  root.render(<Mounted onMount={() => void renderer.once("frame", onDrawn)}>{node}</Mounted>);
  return () => root.unmount();
}

/** Calls a function when everything in it is laid out. Frames before that show nothing. */
function Mounted({ onMount, children }: { readonly onMount: () => void; readonly children: ReactNode }) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: once.
  useLayoutEffect(onMount, []);
  return children;
}
