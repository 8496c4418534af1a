import { CliRenderEvents } from "@opentui/core";
import { useRenderer } from "@opentui/react";
import { useLayoutEffect, useState } from "react";
import { useUi } from "../ui/ui-context.ts";
import { KeyGuard } from "./key-guard.ts";

/** Distinguishes answers from typing, from the first drawing of the dialog on, and again whenever it becomes active. */
export function useKeyGuard(onTyped: (text: string) => void, { isActive = true } = {}): KeyGuard {
  const { now } = useUi();
  const renderer = useRenderer();
  const [guard] = useState(() => new KeyGuard({ now, onTyped }));
  useLayoutEffect(() => {
    if (!isActive) return;
    const begin = (): void => guard.begin();
    renderer.once(CliRenderEvents.FRAME, begin);
    return () => {
      renderer.off(CliRenderEvents.FRAME, begin);
      guard.end();
    };
  }, [renderer, guard, isActive]);
  return guard;
}
