import { type ReactNode, useRef } from "react";
import { type PressedKey, textOf } from "../keys/keymap.ts";
import { useKeys, useUi } from "../ui/ui-context.ts";
import { useLatestState } from "../ui/use-latest-state.ts";
import { WHEEL_ROWS } from "../ui/use-mouse.ts";
import { DialogFrame, useDialogSize } from "./dialog-frame.tsx";
import { TextLine } from "./text-line.tsx";
import { wrapText } from "./wrap-text.ts";

/** Receives text that was meant for the input. */
export type OnTyped = (text: string) => void;

/** Properties of {@link TextDialog}. */
export interface TextDialogProps {
  readonly title: string;
  /** One row each. */
  readonly rows: readonly ReactNode[];
  /** Receives a letter that was meant for the input, after the dialog has closed. @default letters are ignored */
  readonly onTyped?: OnTyped | undefined;
  /** What further keys do. */
  readonly keysHelp?: readonly string[];
  /** Further keys. Returns whether the key was used. */
  readonly onKey?: (key: PressedKey) => boolean;
}

/**
 * A dialog that only shows something: the arrows scroll, Escape and Enter close it, and so does a letter, which goes to the
 * input. A permission request replaces the dialog and has a guard of its own, so no letter that is typed here answers one.
 */
export function TextDialog({ title, rows, keysHelp = [], onKey, onTyped }: TextDialogProps) {
  const { ui, keymap } = useUi();
  const size = Math.min(rows.length, useDialogSize().rows);
  const last = rows.length - size;
  const { shown, current, set } = useLatestState<number>(0);
  const isTyping = useRef(false);
  const scroll = (by: number): void => set(Math.max(0, Math.min(last, current() + by)));
  useKeys(
    (key) => {
      if (onKey?.(key) === true) return true;
      const text = textOf(key);
      // Once a letter has closed the dialog, the space after it is text, too.
      if (isTyping.current && text !== "") onTyped?.(text);
      else if (keymap.matches("stop", key) || keymap.matches("quit", key) || key.name === "return") ui.close();
      else if (keymap.matches("previous", key)) scroll(-1);
      else if (keymap.matches("next", key)) scroll(1);
      else if (keymap.matches("pageUp", key)) scroll(-size);
      else if (keymap.matches("pageDown", key) || key.name === "space") scroll(size);
      else if (keymap.matches("help", key)) ui.close();
      else if (onTyped !== undefined && text !== "") {
        isTyping.current = true;
        ui.close();
        onTyped(text);
      }
      return true;
    },
    { isModal: true },
  );
  const offset = Math.min(shown, last);
  const isCut = last > 0;
  const scrollHelp = isCut ? [`${keymap.labelOf("pageDown")} scroll`] : [];
  return (
    <DialogFrame
      title={title}
      position={isCut ? `${offset + size} of ${rows.length}` : undefined}
      footer={[...scrollHelp, ...keysHelp, `${keymap.labelOf("stop")} close`]}
      onWheel={(direction) => scroll(direction * WHEEL_ROWS)}
    >
      {rows.slice(offset, offset + size)}
    </DialogFrame>
  );
}

/** A dialog of one message: something loads, or failed. */
export function MessageDialog({
  title,
  message,
  isError = false,
  onTyped,
}: {
  title: string;
  message: string;
  isError?: boolean;
  onTyped?: OnTyped | undefined;
}) {
  const { columns } = useDialogSize();
  const lines = wrapText(message, columns);
  // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their place
  const rows = lines.map((line, index) => <TextLine key={index} text={line} tone={isError ? "error" : "muted"} />);
  return <TextDialog title={title} rows={rows} onTyped={onTyped} />;
}
