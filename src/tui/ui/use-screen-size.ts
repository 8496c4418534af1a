import { useRenderer, useTerminalDimensions } from "@opentui/react";

/** The size of the whole terminal. In the inline mode, that of the renderer is only the live part's. */
export function useScreenSize(): { readonly width: number; readonly height: number } {
  const { width, height } = useTerminalDimensions();
  const { terminalHeight, screenMode } = useRenderer();
  return { width, height: screenMode === "split-footer" ? terminalHeight : height };
}
