import type { BorderCharacters, BoxRenderable } from "@opentui/core";
import type { ReactNode, RefObject } from "react";
import { columnsOf, safeLine } from "../../view/index.ts";
import type { Glyphs } from "../theme/glyphs.ts";
import { useTheme, useUi } from "../ui/ui-context.ts";
import { useMouse } from "../ui/use-mouse.ts";
import { useScreenSize } from "../ui/use-screen-size.ts";

/** Columns beside the content of a dialog: margin, border and padding on both sides. */
const SIDE_COLUMNS = 6;

/** Columns that the border keeps around a title. */
const TITLE_COLUMNS = 6;

/** The least rows of content, where the terminal has them. */
const MIN_ROWS = 7;

/** Rows beside the content: the border, and the title and status of the screen. */
const OTHER_ROWS = 5;

/** The room for the content of a dialog. */
export interface DialogSize {
  readonly columns: number;
  readonly rows: number;
  /** The rows that there are for content that must not be cut. */
  readonly mostRows: number;
}

/** The room for the content of a dialog: at most half of the terminal's height, its border included, unless that is too low. */
export function useDialogSize(): DialogSize {
  const { width, height } = useScreenSize();
  const rows = Math.min(height - OTHER_ROWS, Math.max(MIN_ROWS, Math.floor(height / 2) - 2));
  const mostRows = Math.max(1, height - OTHER_ROWS);
  return { columns: Math.max(12, width - SIDE_COLUMNS), rows: Math.max(1, rows), mostRows };
}

/** Properties of {@link DialogFrame}. */
export interface DialogFrameProps {
  readonly title: string;
  /** What the keys do here, the most important last: where the room ends, the first ones are left out. */
  readonly footer: readonly string[];
  /** Which part of a list is visible: `3 of 12`. It is never left out. @default all of it is */
  readonly position?: string | undefined;
  /** `warning` where something waits for a decision. @default "accent" */
  readonly tone?: "accent" | "warning";
  /** The wheel turned up (-1) or down (1). */
  readonly onWheel?: (direction: -1 | 1) => void;
  /** Receives the border's box, to be measured. */
  readonly box?: RefObject<BoxRenderable | null>;
  readonly children: ReactNode;
}

/** The border of a dialog, with its title and its keys. It covers the input, not the conversation. */
export function DialogFrame(props: DialogFrameProps) {
  const { title, footer, position, tone = "accent", onWheel, box, children } = props;
  const { colors } = useTheme();
  const { glyphs } = useUi();
  const mouse = useMouse();
  const { columns } = useDialogSize();
  const border = asciiBorder(glyphs);
  const room = columns + 4 - TITLE_COLUMNS;
  const separator = ` ${glyphs.separator} `;
  const whole = [...(position === undefined ? [] : [position]), ...footer];
  const isWide = columnsOf(whole.join(separator)) <= room;
  // Where the keys leave it no room, it is at the top.
  const end = position === undefined || isWide ? "" : `, ${position}`;
  const bottom = fitParts(isWide ? whole : footer, { separator, columns: room });
  return (
    <box
      {...(box === undefined ? {} : { ref: box })}
      border
      borderStyle="rounded"
      {...(border === undefined ? {} : { customBorderChars: border })}
      borderColor={colors[tone]}
      backgroundColor={colors.background}
      title={` ${safeLine(title, room - columnsOf(end))}${end} `}
      bottomTitle={` ${bottom} `}
      bottomTitleAlignment="right"
      flexDirection="column"
      flexShrink={0}
      marginX={1}
      paddingX={1}
      {...(onWheel === undefined ? {} : mouse.wheel(onWheel))}
    >
      {children}
    </box>
  );
}

/** The last parts that fit into one line. */
export function fitParts(
  parts: readonly string[],
  { separator, columns }: { readonly separator: string; readonly columns: number },
): string {
  const fitting = parts.filter((_, index) => columnsOf(parts.slice(index).join(separator)) <= columns);
  return safeLine((fitting.length === 0 ? parts.slice(-1) : fitting).join(separator), columns);
}

/** The border in ASCII, where the glyphs are. */
function asciiBorder({ line, horizontal }: Glyphs): BorderCharacters | undefined {
  if (horizontal !== "-") return undefined;
  const corner = "+";
  return {
    ...{ topLeft: corner, topRight: corner, bottomLeft: corner, bottomRight: corner },
    ...{ topT: corner, bottomT: corner, leftT: corner, rightT: corner, cross: corner },
    ...{ horizontal, vertical: line },
  };
}
