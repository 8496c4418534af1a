import { TextAttributes } from "@opentui/core";
import { columnsOf, padColumns, safeLine } from "../../view/index.ts";
import { useTheme, useUi } from "../ui/ui-context.ts";
import { useDialogSize } from "./dialog-frame.tsx";
import { helpSections } from "./help-sections.ts";
import { TextDialog } from "./text-dialog.tsx";
import { TextLine } from "./text-line.tsx";

/** The widest column of keys and commands. */
const MAX_NAME_COLUMNS = 30;

/** Below this width of the dialog, a description has a row of its own. */
const MIN_TABLE_COLUMNS = 60;

/** The keys and the commands that are in effect. */
export function HelpDialog() {
  const { keymap, commands } = useUi();
  const { colors } = useTheme();
  const { columns } = useDialogSize();
  const sections = helpSections(keymap, commands.all());
  const isTable = columns >= MIN_TABLE_COLUMNS;
  const names = sections.flatMap(({ rows }) => rows.map(({ name }) => columnsOf(name)));
  const nameColumns = Math.min(MAX_NAME_COLUMNS, Math.max(0, ...names));
  const rows = sections.flatMap(({ title, rows: lines }, index) => [
    ...(index === 0 ? [] : [<TextLine key={`gap ${title}`} text="" />]),
    <text key={title} wrapMode="none" height={1} fg={colors.accent} attributes={TextAttributes.BOLD}>
      {title}
    </text>,
    ...lines.flatMap(({ name, text }) =>
      isTable
        ? [
            <text key={`${title} ${name}`} wrapMode="none" height={1} fg={colors.foreground}>
              {`  ${padColumns(safeLine(name, nameColumns), nameColumns)}  `}
              <span fg={colors.muted}>{safeLine(text, columns - nameColumns - 4)}</span>
            </text>,
          ]
        : [
            <TextLine key={`${title} ${name}`} text={`  ${safeLine(name, columns - 2)}`} />,
            <TextLine key={`${title} ${name} text`} tone="muted" text={`    ${safeLine(text, columns - 4)}`} />,
          ],
    ),
  ]);
  return <TextDialog title="Help" rows={rows} />;
}
