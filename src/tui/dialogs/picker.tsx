import { useMemo } from "react";
import { safeLine } from "../../view/index.ts";
import type { PressedKey } from "../keys/keymap.ts";
import { filterItems } from "../match/filter-items.ts";
import { TextField } from "../ui/text-field.tsx";
import { useKeys, useUi } from "../ui/ui-context.ts";
import { useLatestState } from "../ui/use-latest-state.ts";
import { DialogFrame, useDialogSize } from "./dialog-frame.tsx";
import { ListRow, rowWidths } from "./list-row.tsx";
import { keepInView, moveIndex } from "./list-window.ts";
import { TextLine } from "./text-line.tsx";

/** Something to choose. */
export interface PickerItem {
  readonly id: string;
  /** What the query matches. */
  readonly label: string;
  /** One dim line. */
  readonly detail?: string | undefined;
  /** At the right edge. */
  readonly right?: string | undefined;
  /** Whether it is in effect. */
  readonly isCurrent?: boolean;
}

/** Properties of {@link Picker}. */
export interface PickerProps {
  readonly title: string;
  readonly items: readonly PickerItem[];
  /** Why there are no items, or a line about them. */
  readonly note?: string | undefined;
  /** What further keys do, for the footer. */
  readonly keysHelp?: readonly string[];
  readonly onChoose: (id: string) => void;
  /** Everything stays as it was. */
  readonly onCancel: () => void;
  /** The pointer is on another item. */
  readonly onMove?: (id: string) => void;
  /** Further keys, with the item under the pointer. Returns whether the key was used. */
  readonly onKey?: (key: PressedKey, id: string | undefined) => boolean;
}

/** Rows of a picker besides its items: the query and the note. */
const OTHER_ROWS = 2;

interface PickerState {
  readonly query: string;
  readonly index: number;
  readonly offset: number;
}

/** A list to choose from: type to filter, the best match first, the current item marked. */
export function Picker(props: PickerProps) {
  const { title, items, note, keysHelp = [] } = props;
  const { keymap, glyphs } = useUi();
  const { columns, rows } = useDialogSize();
  const size = Math.max(1, rows - OTHER_ROWS);
  const { found, index, offset, filter, move } = usePicker(props, size);
  const hasCurrent = items.some(({ isCurrent = false }) => isCurrent);
  const rightOf = ({ right = "", isCurrent = false }: PickerItem): string =>
    hasCurrent ? `${right} ${isCurrent ? glyphs.done : " "}` : right;
  const widths = rowWidths(
    items.map((item) => ({ ...item, label: safeLine(item.label, columns), right: rightOf(item) })),
    columns,
  );
  const position = found.length > size ? `${index + 1} of ${found.length}` : undefined;
  return (
    <DialogFrame
      title={title}
      position={position}
      footer={[...keysHelp, "enter choose", `${keymap.labelOf("stop")} leave`]}
      onWheel={move}
    >
      <TextField placeholder="Type to filter" onInput={filter} />
      <box flexDirection="column" height={Math.min(size, items.length)}>
        {found.slice(offset, offset + size).map(({ item, positions }, row) => (
          <ListRow
            key={item.id}
            widths={widths}
            isSelected={offset + row === index}
            label={item.label}
            detail={item.detail}
            right={rightOf(item)}
            onClick={() => props.onChoose(item.id)}
            positions={positions}
          />
        ))}
        {found.length === 0 ? <TextLine tone="muted" text="  Nothing matches." /> : undefined}
      </box>
      {note === undefined ? undefined : <TextLine tone="muted" text={`  ${safeLine(note, columns - 2)}`} />}
    </DialogFrame>
  );
}

/** The items that fit the query, and the keys that move between them and choose one. */
function usePicker({ items, onChoose, onCancel, onMove, onKey }: PickerProps, size: number) {
  const { keymap } = useUi();
  const safe = useMemo(
    () => items.map((item) => ({ ...item, label: safeLine(item.label, Number.POSITIVE_INFINITY) })),
    [items],
  );
  const find = (query: string) => filterItems(safe, { query, textOf: ({ label }) => label });
  const first = Math.max(
    0,
    items.findIndex(({ isCurrent = false }) => isCurrent),
  );
  const start: PickerState = { query: "", index: first, offset: 0 };
  const { shown, current, set } = useLatestState<PickerState>(start);
  const report = ({ query, index }: PickerState): void => {
    const item = find(query)[index]?.item;
    if (item !== undefined) onMove?.(item.id);
  };
  const move = (by: number): boolean => {
    const { query, index, offset } = current();
    const count = find(query).length;
    const next = moveIndex(index, { by, count });
    set({ query, index: next, offset: keepInView(next, { offset, size, count }) });
    report(current());
    return true;
  };
  const filter = (query: string): void => {
    if (query === current().query) return;
    set(query === "" ? start : { query, index: 0, offset: 0 });
    report(current());
  };
  useKeys(
    (key) => {
      const { query, index } = current();
      const chosen = find(query)[index]?.item.id;
      if (onKey?.(key, chosen) === true) return true;
      if (keymap.matches("stop", key) || keymap.matches("quit", key)) onCancel();
      else if (key.name === "return" && chosen !== undefined) onChoose(chosen);
      else if (keymap.matches("previous", key)) return move(-1);
      else if (keymap.matches("next", key)) return move(1);
      else if (keymap.matches("pageUp", key)) return move(-size);
      else if (keymap.matches("pageDown", key)) return move(size);
      else return key.name === "return";
      return true;
    },
    { isModal: true },
  );
  const found = find(shown.query);
  return {
    found,
    index: shown.index,
    offset: keepInView(shown.index, { ...shown, size, count: found.length }),
    filter,
    move,
  };
}
