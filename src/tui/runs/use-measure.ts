import type { BoxRenderable } from "@opentui/core";
import { useTerminalDimensions } from "@opentui/react";
import { useCallback, useRef, useState } from "react";
import type { PaneSize } from "./run-layout.ts";

/** The size of a box: that of the terminal until it is laid out. Returns what the box takes as properties. */
export function useMeasure() {
  const { width, height } = useTerminalDimensions();
  const box = useRef<BoxRenderable>(null);
  const [size, setSize] = useState<PaneSize | undefined>(undefined);
  const onSizeChange = useCallback(() => {
    const { current } = box;
    if (current !== null) setSize({ columns: current.width, rows: current.height });
  }, []);
  return { ref: box, onSizeChange, size: size ?? { columns: width, rows: height } };
}
