import type { InputRenderable } from "@opentui/core";
import { useLayoutEffect, useRef, useState } from "react";
import { type ChangedLine, columnsOf, safeLine, safeText } from "../../view/index.ts";
import type { Glyphs } from "../theme/glyphs.ts";
import { LineInput } from "../ui/line-input.tsx";
import { useChat, useTheme, useUi } from "../ui/ui-context.ts";
import { shortenPath } from "./card.ts";
import { rowOf } from "./transcript-cursor.ts";
import { memoryOf } from "./transcript-memory.ts";
import { describeSearch } from "./transcript-state.ts";
import { draftOf, type TranscriptControls } from "./use-transcript.ts";

/** Properties of {@link TranscriptFooter}. */
export interface TranscriptFooterProps {
  readonly controls: TranscriptControls;
  readonly columns: number;
}

/** The columns of a text that stay visible before its note is left out. */
const MIN_FIELD_COLUMNS = 16;

/** The last line of the transcript view: what the keys do, or the input of a search or a comment. */
export function TranscriptFooter({ controls, columns }: TranscriptFooterProps) {
  const { glyphs } = useUi();
  const { mode } = controls.state;
  if (mode.type === "reading") return <KeysLine controls={controls} columns={columns} />;
  const label = mode.type === "searching" ? "/" : `${placeOf(mode.line, Math.floor(columns / 2), glyphs)} > `;
  const line = mode.type === "searching" ? mode.type : JSON.stringify(mode.line);
  return <Field key={line} label={label} controls={controls} columns={columns} />;
}

/** The input of a search or a comment. While a request covers it, it keeps its text and receives what is typed. */
function Field({ controls, label, columns }: TranscriptFooterProps & { readonly label: string }) {
  const { colors } = useTheme();
  const { chat } = useUi();
  const { asks } = useChat();
  const { mode } = controls.state;
  const input = useRef<InputRenderable>(null);
  const [start] = useState(() => draftOf(controls.state, controls.comments));
  useLayoutEffect(() => {
    const field = { insert: (text: string): void => input.current?.insertText(safeText(text).replaceAll("\n", " ")) };
    const memory = memoryOf(chat);
    memory.openField = field;
    return () => {
      if (memory.openField === field) memory.openField = undefined;
    };
  }, [chat]);
  const note = mode.type === "searching" ? describeSearch(controls.state, controls.matches.length) : "enter keeps it";
  // What is being written goes before what is said about it.
  const hasNote = note !== "" && columns - columnsOf(label) - note.length > MIN_FIELD_COLUMNS;
  return (
    <box flexDirection="row" height={1} flexShrink={0} paddingX={2}>
      <text flexShrink={0} wrapMode="none" fg={colors.accent}>
        {label}
      </text>
      <LineInput
        field={input}
        isFocused={asks.length === 0}
        value={start}
        {...(mode.type === "searching" ? { onInput: controls.onSearch } : {})}
        onSubmit={controls.onSubmit}
      />
      {hasNote ? (
        <text flexShrink={0} wrapMode="none" fg={colors.muted}>
          {` ${note}`}
        </text>
      ) : undefined}
    </box>
  );
}

/** The file and the number of a line, or its text where the number is unknown. */
function placeOf({ path, number, text }: ChangedLine, columns: number, glyphs: Glyphs): string {
  const shortened = (room: number): string => shortenPath(safeLine(path, 400), Math.max(8, room), glyphs);
  if (number !== undefined) return `${shortened(columns - String(number).length - 1)}:${number}`;
  const place = shortened(Math.floor(columns / 2));
  return `${place} "${safeLine(text.trim(), Math.max(8, columns - columnsOf(place) - 3))}"`;
}

function KeysLine({ controls, columns }: TranscriptFooterProps) {
  const { colors } = useTheme();
  const { glyphs, keymap } = useUi();
  const { rows, state, space } = controls;
  const count = controls.comments.comments.length;
  const canComment = rows[rowOf(state.cursor, space)]?.line.change !== undefined;
  const hasDiff = canComment || rows.some(({ line }) => line.change !== undefined);
  const keys = [
    ...(count === 0 ? [] : [`s send ${count} comment${count === 1 ? "" : "s"}`]),
    ...(controls.state.query === "" ? [] : ["n N next"]),
    "/ search",
    "y copy",
    ...(hasDiff ? ["tab diff"] : []),
    ...(canComment ? ["c comment"] : []),
    "e export",
  ];
  const leave = `${keymap.labelOf("stop")} leave`;
  // The way out is always visible.
  const fitting = keys.filter((_, index) => [...keys.slice(0, index + 1), leave].join(" · ").length <= columns);
  return (
    <box height={1} flexShrink={0} paddingX={2}>
      <text fg={colors.muted}>{[...fitting, leave].join(` ${glyphs.separator} `)}</text>
    </box>
  );
}
