import { useTerminalDimensions } from "@opentui/react";
import { useScreen } from "../ui/ui-context.ts";

/** The columns left and right of the title and the status: those of what is between them. */
export function usePadding(): number {
  const { width } = useTerminalDimensions();
  const { view } = useScreen();
  return width < 60 && ["runs", "run", "inbox"].includes(view.type) ? 1 : 2;
}
