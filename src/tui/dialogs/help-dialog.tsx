import { TextAttributes } from "@opentui/core";
import { columnsOf, padColumns, safeLine } from "../../view/index.ts";
import { useTheme, useUi } from "../ui/ui-context.ts";
import { useDialogSize } from "./dialog-frame.tsx";
import { type HelpSection, helpSections } from "./help-sections.ts";
import { type OnTyped, TextDialog } from "./text-dialog.tsx";
import { wrapText } from "./wrap-text.ts";

/** The widest column of keys and commands. */
const MAX_NAME_COLUMNS = 30;

/** The longest description, in columns: those of skills can be pages. */
const MAX_TEXT_COLUMNS = 240;

/** Below this width of the dialog, a description has a row of its own. */
const MIN_TABLE_COLUMNS = 60;

/** Properties of {@link HelpDialog}. */
export interface HelpDialogProps {
  /** What is at the top. */
  readonly first: "keys" | "commands";
  readonly onTyped?: OnTyped | undefined;
}

/** The keys and the commands that are in effect. */
export function HelpDialog({ first, onTyped }: HelpDialogProps) {
  const { keymap, commands } = useUi();
  const { colors } = useTheme();
  const { columns } = useDialogSize();
  const sections = helpSections(keymap, commands.all(), { first });
  const names = sections.flatMap(({ rows }) => rows.map(({ name }) => columnsOf(name)));
  const nameColumns = Math.min(MAX_NAME_COLUMNS, Math.max(0, ...names));
  const lines = sections.flatMap(({ title, rows }, index): readonly HelpLine[] => [
    ...(index === 0 ? [] : [{ start: "", text: "" }]),
    { start: title, text: "", isTitle: true },
    ...rows.flatMap((row) =>
      columns >= MIN_TABLE_COLUMNS ? tableLines(row, { columns, nameColumns }) : stackedLines(row, columns),
    ),
  ]);
  const shown = lines.map(({ start, text, isTitle = false }, index) => (
    <text
      // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their place
      key={index}
      wrapMode="none"
      height={1}
      fg={isTitle ? colors.accent : colors.foreground}
      attributes={isTitle ? TextAttributes.BOLD : TextAttributes.NONE}
    >
      {start === "" && text === "" ? " " : start}
      <span fg={colors.muted}>{text}</span>
    </text>
  ));
  return <TextDialog title="Help" rows={shown} onTyped={onTyped} />;
}

/** A line of the help: its start, and a dim text. */
interface HelpLine {
  readonly start: string;
  readonly text: string;
  readonly isTitle?: boolean;
}

type HelpRow = HelpSection["rows"][number];

/** The name in a column of its own, and the text beside it, wrapped in its own column. */
function tableLines(
  { name, text }: HelpRow,
  { columns, nameColumns }: { readonly columns: number; readonly nameColumns: number },
): readonly HelpLine[] {
  const start = `  ${padColumns(safeLine(name, nameColumns), nameColumns)}  `;
  const lines = wrapText(safeLine(text, MAX_TEXT_COLUMNS), columns - nameColumns - 4);
  return lines.map((line, index) => ({ start: index === 0 ? start : " ".repeat(columnsOf(start)), text: line }));
}

/** The name, and the text below it. */
function stackedLines({ name, text }: HelpRow, columns: number): readonly HelpLine[] {
  const lines = wrapText(safeLine(text, MAX_TEXT_COLUMNS), columns - 4);
  return [
    { start: `  ${safeLine(name, columns - 2)}`, text: "" },
    ...lines.map((line) => ({ start: "    ", text: line })),
  ];
}
