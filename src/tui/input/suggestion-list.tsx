import { TextAttributes } from "@opentui/core";
import { columnsOf, padColumns, safeLine } from "../../view/index.ts";
import type { CommandDefinition } from "../commands/command.ts";
import { useTheme, useUi } from "../ui/ui-context.ts";
import { useMouse } from "../ui/use-mouse.ts";
import { lineOfMatch } from "./input-history.ts";
import { type MarkedPart, markText } from "./marked-text.ts";
import type { MentionMatch } from "./mention-index.ts";
import { type PromptList, shortHint, suggestionColumns, visibleRows } from "./prompt-list.ts";

/** Properties of {@link SuggestionList}. */
export interface SuggestionListProps {
  readonly list: PromptList;
  readonly selected: number;
  /** The width of the terminal. */
  readonly columns: number;
  /** How many rows are visible. The others scroll. */
  readonly maxRows: number;
  /** A row was clicked. */
  readonly onChoose: (index: number) => void;
  /** The wheel turned over the rows. */
  readonly onWheel: (direction: -1 | 1) => void;
}

/** The columns before and after a row. */
const INDENT_COLUMNS = 3;
const END_COLUMNS = 2;

/** Commands, mentions or earlier messages under the input. */
export function SuggestionList({ list, columns, ...props }: SuggestionListProps) {
  const { glyphs } = useUi();
  const roomColumns = columns - INDENT_COLUMNS - END_COLUMNS;
  switch (list.type) {
    case "none":
      return null;
    case "commands":
      return (
        <Rows {...props} rows={list.rows} emptyText="no such command">
          {(row, isSelected) => (
            <CommandRow command={row} isSelected={isSelected} columns={columns} roomColumns={roomColumns} />
          )}
        </Rows>
      );
    case "mentions":
      return (
        <Rows {...props} rows={list.rows} emptyText={list.isLoading ? "listing the files" : "no such file or agent"}>
          {(row, isSelected) => (
            <MentionRow
              match={row}
              isSelected={isSelected}
              roomColumns={roomColumns}
              nameColumns={agentColumns(list.rows)}
            />
          )}
        </Rows>
      );
    case "search":
      return (
        <Rows {...props} rows={list.rows} emptyText="no earlier message has this text">
          {(row, isSelected) => (
            <Row isSelected={isSelected}>
              <MarkedLine
                parts={lineOfMatch(row, { maxColumns: roomColumns, ellipsis: glyphs.ellipsis })}
                isSelected={isSelected}
              />
            </Row>
          )}
        </Rows>
      );
  }
}

interface RowsProps<Item> extends Omit<SuggestionListProps, "list" | "columns"> {
  readonly rows: readonly Item[];
  readonly emptyText: string;
  readonly children: (row: Item, isSelected: boolean) => React.ReactNode;
}

/** The visible rows. A long list ends with how many there are. */
function Rows<Item>({ rows, selected, maxRows, emptyText, onChoose, onWheel, children }: RowsProps<Item>) {
  const { colors } = useTheme();
  const mouse = useMouse();
  const visible = visibleRows(rows, { selected, maxRows });
  const isCut = rows.length > visible.rows.length;
  return (
    <box flexDirection="column" flexShrink={0} {...mouse.wheel(onWheel)}>
      {visible.rows.map((row, index) => (
        // A row has no identity but its place.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <box key={index} flexShrink={0} {...mouse.click(() => onChoose(visible.first + index))}>
          {children(row, visible.first + index === selected)}
        </box>
      ))}
      {rows.length === 0 || isCut ? (
        <text fg={colors.muted} height={1} wrapMode="none">
          {" ".repeat(INDENT_COLUMNS) + (rows.length === 0 ? emptyText : `${selected + 1} of ${rows.length}`)}
        </text>
      ) : undefined}
    </box>
  );
}

function Row({ isSelected, children }: { readonly isSelected: boolean; readonly children: React.ReactNode }) {
  const { colors } = useTheme();
  const { glyphs } = useUi();
  return (
    <box flexDirection="row" height={1} flexShrink={0}>
      <text fg={colors.accent} width={INDENT_COLUMNS} flexShrink={0}>
        {isSelected ? ` ${glyphs.pointer} ` : ""}
      </text>
      {children}
    </box>
  );
}

interface CommandRowProps {
  readonly command: CommandDefinition;
  readonly isSelected: boolean;
  readonly columns: number;
  readonly roomColumns: number;
}

function CommandRow({ command, isSelected, columns, roomColumns }: CommandRowProps) {
  const { colors } = useTheme();
  const widths = suggestionColumns(columns, roomColumns);
  const name = safeLine(`/${command.name}`, widths.name - 1);
  const hint = shortHint(safeLine(command.argumentHint ?? "", 500));
  return (
    <Row isSelected={isSelected}>
      <text wrapMode="none">
        <span fg={isSelected ? colors.accent : colors.foreground} attributes={isSelected ? TextAttributes.BOLD : 0}>
          {padColumns(name, widths.name)}
        </span>
        <span fg={colors.muted}>
          {widths.hint === 0 ? "" : padColumns(safeLine(hint, widths.hint - 1), widths.hint)}
        </span>
        <span fg={isSelected ? colors.foreground : colors.muted}>
          {widths.description === 0 ? "" : safeLine(command.description, widths.description)}
        </span>
      </text>
    </Row>
  );
}

interface MentionRowProps {
  readonly match: MentionMatch;
  readonly isSelected: boolean;
  readonly roomColumns: number;
  /** The columns of agents' names, with the space after them. */
  readonly nameColumns: number;
}

/** The fewest and the most columns of agents' names. The fewest end where the commands' hints start. */
const MIN_AGENT_COLUMNS = 20;
const MAX_AGENT_COLUMNS = 34;

/** The columns that the agents' names need, so that their descriptions start below each other. */
function agentColumns(matches: readonly MentionMatch[]): number {
  const names = matches.flatMap(({ type, shown }) => (type === "agent" ? [columnsOf(shown) + 2] : []));
  return Math.min(MAX_AGENT_COLUMNS, Math.max(MIN_AGENT_COLUMNS, ...names));
}

function MentionRow({ match, isSelected, roomColumns, nameColumns }: MentionRowProps) {
  const { colors } = useTheme();
  const { glyphs } = useUi();
  const parts = markText(match.shown, {
    positions: match.positions,
    maxColumns: match.type === "agent" ? Math.min(roomColumns, nameColumns - 2) : roomColumns,
    ellipsis: glyphs.ellipsis,
    cut: match.type === "agent" ? "end" : "path",
  });
  const used = parts.reduce((sum, { text }) => sum + columnsOf(text), 0);
  const rest = match.type === "agent" ? `agent ${glyphs.separator} ${match.description}` : "";
  const gap = Math.max(2, nameColumns - used);
  return (
    <Row isSelected={isSelected}>
      <MarkedLine parts={parts} isSelected={isSelected} />
      {rest === "" || roomColumns - used - gap < 5 ? undefined : (
        <text fg={colors.muted} wrapMode="none">
          {" ".repeat(gap) + safeLine(rest, roomColumns - used - gap)}
        </text>
      )}
    </Row>
  );
}

interface MarkedLineProps {
  readonly parts: readonly MarkedPart[];
  readonly isSelected: boolean;
}

/** A line whose matches are underlined. */
function MarkedLine({ parts, isSelected }: MarkedLineProps) {
  const { colors } = useTheme();
  const bold = isSelected ? TextAttributes.BOLD : 0;
  return (
    <text fg={isSelected ? colors.accent : colors.foreground} wrapMode="none" flexShrink={0}>
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a line have no other identity
        <span key={index} attributes={part.isMatch ? bold | TextAttributes.UNDERLINE : bold}>
          {part.text}
        </span>
      ))}
    </text>
  );
}
