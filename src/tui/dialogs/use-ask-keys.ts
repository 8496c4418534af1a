import { decodePasteBytes } from "@opentui/core";
import { usePaste } from "@opentui/react";
import type { PressedKey } from "../keys/keymap.ts";
import { useUi } from "../ui/ui-context.ts";
import { type AskPlace, IN_A_ROW } from "./ask-row.ts";

/** What {@link useAskKeys} needs. */
export interface AskKeysOptions {
  /** Ctrl+C was pressed. Returns whether that stopped everything; otherwise it is an answer to this request. */
  readonly onInterrupt: () => boolean;
  /** Whether a field of the dialog receives what is pasted. */
  readonly hasField: () => boolean;
  /** Receives a pasted text that was meant for the input. */
  readonly onPasted: (text: string) => void;
}

/** The keys that work in a request at any time, also before it takes answers. Returns whether a key was one of them. */
export function useAskKeys({ onInterrupt, hasField, onPasted }: AskKeysOptions): (key: PressedKey) => boolean {
  const { keymap, suspend } = useUi();
  usePaste((event) => {
    if (hasField()) return;
    event.preventDefault();
    const text = decodePasteBytes(event.bytes).replace(/\r\n?/g, "\n");
    if (text !== "") onPasted(text);
  });
  return (key) => {
    if (keymap.matches("quit", key)) return onInterrupt();
    if (suspend === undefined || !keymap.matches("suspend", key)) return false;
    suspend();
    return true;
  };
}

/** How to stop an agent that does not take a "no", for a dialog's footer. */
export function stopHelp({ number }: AskPlace, keyLabel: string): string {
  return number >= IN_A_ROW ? `${keyLabel} stops the turn` : `${keyLabel} twice stops the turn`;
}
