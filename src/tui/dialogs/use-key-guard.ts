import { CliRenderEvents } from "@opentui/core";
import { useRenderer } from "@opentui/react";
import { useEffect, useLayoutEffect, useState } from "react";
import { useUi } from "../ui/ui-context.ts";
import { KeyGuard } from "./key-guard.ts";

/** Distinguishes answers from typing, from the first drawing of the dialog on. */
export function useKeyGuard(onTyped: (text: string) => void): KeyGuard {
  const { now } = useUi();
  const renderer = useRenderer();
  const [guard] = useState(() => new KeyGuard({ now, onTyped }));
  useLayoutEffect(() => {
    const begin = (): void => guard.begin();
    renderer.once(CliRenderEvents.FRAME, begin);
    return () => {
      renderer.off(CliRenderEvents.FRAME, begin);
    };
  }, [renderer, guard]);
  useEffect(() => () => guard.end(), [guard]);
  return guard;
}
