import type { ReactNode } from "react";
import type { PressedKey } from "../keys/keymap.ts";
import { useKeys, useUi } from "../ui/ui-context.ts";
import { WHEEL_ROWS } from "../ui/use-mouse.ts";
import { DialogFrame, useDialogSize } from "./dialog-frame.tsx";
import { TextLine } from "./text-line.tsx";
import { useLatestState } from "./use-latest-state.ts";
import { wrapText } from "./wrap-text.ts";

/** Properties of {@link TextDialog}. */
export interface TextDialogProps {
  readonly title: string;
  /** One row each. */
  readonly rows: readonly ReactNode[];
  /** What further keys do. */
  readonly keysHelp?: readonly string[];
  /** Further keys. Returns whether the key was used. */
  readonly onKey?: (key: PressedKey) => boolean;
}

/** A dialog that only shows something: the arrows scroll, Escape and Enter close it. */
export function TextDialog({ title, rows, keysHelp = [], onKey }: TextDialogProps) {
  const { ui, keymap } = useUi();
  const size = Math.min(rows.length, useDialogSize().rows);
  const last = rows.length - size;
  const { shown, current, set } = useLatestState<number>(0);
  const scroll = (by: number): void => set(Math.max(0, Math.min(last, current() + by)));
  useKeys(
    (key) => {
      if (onKey?.(key) === true) return true;
      if (keymap.matches("stop", key) || keymap.matches("quit", key) || key.name === "return") ui.close();
      else if (keymap.matches("previous", key)) scroll(-1);
      else if (keymap.matches("next", key)) scroll(1);
      else if (keymap.matches("pageUp", key)) scroll(-size);
      else if (keymap.matches("pageDown", key) || key.name === "space") scroll(size);
      return true;
    },
    { isModal: true },
  );
  const offset = Math.min(shown, last);
  const position = last === 0 ? [] : [`${offset + size} of ${rows.length}`, `${keymap.labelOf("pageDown")} scroll`];
  return (
    <DialogFrame
      title={title}
      footer={[...position, ...keysHelp, `${keymap.labelOf("stop")} close`]}
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
}: {
  title: string;
  message: string;
  isError?: boolean;
}) {
  const { columns } = useDialogSize();
  const lines = wrapText(message, columns);
  // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their place
  const rows = lines.map((line, index) => <TextLine key={index} text={line} tone={isError ? "error" : "muted"} />);
  return <TextDialog title={title} rows={rows} />;
}
