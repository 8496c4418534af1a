import type { CliRenderer } from "@opentui/core";
import { createRoot } from "@opentui/react";
import type { ReactNode } from "react";

/** Draws the UI. Returns a function that removes it. */
export function renderChat(renderer: CliRenderer, node: ReactNode): () => void {
  const root = createRoot(renderer);
  root.render(node);
  return () => root.unmount();
}
