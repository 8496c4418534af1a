import type { BoxRenderable } from "@opentui/core";
import { useTerminalDimensions } from "@opentui/react";
import { useRef, useState } from "react";
import { safeLine } from "../../view/index.ts";
import { useChat, useTheme, useUi } from "../ui/ui-context.ts";
import { useAfterFrame } from "../ui/use-after-frame.ts";
import { usePadding } from "./use-padding.ts";

/** Whether a box, that of the reference, has rows on the screen. */
export function useRoom() {
  const box = useRef<BoxRenderable>(null);
  const [hasRoom, setHasRoom] = useState(true);
  // OpenTUI's own height of a box is never 0.
  useAfterFrame(() => setHasRoom((box.current?.getLayoutNode().getComputedHeight() ?? 1) >= 1));
  return { box, hasRoom };
}

/** Where the window has no row for the conversation: which key shows it. Empty before the first message. */
export function NoRoomLine() {
  const { colors } = useTheme();
  const { keymap } = useUi();
  const { model } = useChat();
  const { width } = useTerminalDimensions();
  const padding = usePadding();
  const key = keymap.keysOf("transcript").length === 0 ? "enlarge it" : `${keymap.labelOf("transcript")} transcript`;
  const text = model.entries.length === 0 ? "" : safeLine(`Window too low: ${key}`, Math.max(0, width - 2 * padding));
  return (
    <box height={1} flexShrink={0} paddingX={padding}>
      <text fg={colors.warning} wrapMode="none">
        {text}
      </text>
    </box>
  );
}
