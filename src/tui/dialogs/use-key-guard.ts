import { CliRenderEvents } from "@opentui/core";
import { usePaste, useRenderer } from "@opentui/react";
import { useLayoutEffect, useState } from "react";
import { useUi } from "../ui/ui-context.ts";
import { KeyGuard, type KeyGuardOptions } from "./key-guard.ts";

/** What {@link useKeyGuard} can be given besides. */
export interface UseKeyGuardOptions {
  /** Whether the dialog takes keys. @default true */
  readonly isActive?: boolean;
  /** What the answers are for: another subject resets the guard. @default one for the whole dialog */
  readonly subject?: unknown;
  /** Whether the dialog opens by itself, perhaps while the person types. @default false */
  readonly opensItself?: boolean;
  /** See {@link KeyGuardOptions}. */
  readonly quietMs?: KeyGuardOptions["quietMs"] | undefined;
  /** See {@link KeyGuardOptions}. */
  readonly onContinued?: KeyGuardOptions["onContinued"] | undefined;
}

/** Distinguishes answers from typing, from the first drawing of the dialog on, and again whenever it becomes active. */
export function useKeyGuard(
  onTyped: (text: string) => void,
  { isActive = true, subject, opensItself = false, ...settings }: UseKeyGuardOptions = {},
): KeyGuard {
  const { now, layers } = useUi();
  const renderer = useRenderer();
  const [guard] = useState(() => new KeyGuard({ now, onTyped, ...known(settings) }));
  usePaste(() => guard.notePaste());
  // biome-ignore lint/correctness/useExhaustiveDependencies: another subject resets the guard
  useLayoutEffect(() => {
    if (!isActive) return;
    const begin = (): void => guard.begin(opensItself ? layers.textAt : undefined);
    renderer.once(CliRenderEvents.FRAME, begin);
    return () => {
      renderer.off(CliRenderEvents.FRAME, begin);
      guard.end();
    };
  }, [renderer, guard, layers, isActive, subject, opensItself]);
  return guard;
}

function known({ quietMs, onContinued }: Pick<UseKeyGuardOptions, "quietMs" | "onContinued">) {
  return { ...(quietMs === undefined ? {} : { quietMs }), ...(onContinued === undefined ? {} : { onContinued }) };
}
