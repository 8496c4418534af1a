import { type BoxRenderable, fg, type MouseEvent, StyledText } from "@opentui/core";
import { useTerminalDimensions } from "@opentui/react";
import { useRef, useState } from "react";
import { useChat, useTheme, useUi } from "../ui/ui-context.ts";
import { styleRow } from "./style-row.ts";
import { rowOf, topOf } from "./transcript-cursor.ts";
import { TranscriptFooter } from "./transcript-footer.tsx";
import { describeSearch } from "./transcript-state.ts";
import { type TranscriptControls, useTranscript } from "./use-transcript.ts";

/** The space left and right of the rows. The pointer of the cursor is in it. */
const PADDING = 2;

/** How many rows the wheel moves. */
const WHEEL_ROWS = 3;

/** The whole conversation, everything unfolded, with search, copying, and comments on the lines of diffs. */
export function TranscriptView() {
  const dimensions = useTerminalDimensions();
  const body = useRef<BoxRenderable>(null);
  const [size, setSize] = useState({ width: dimensions.width, height: Math.max(1, dimensions.height - 4) });
  const columns = Math.max(8, size.width - 2 * PADDING);
  const controls = useTranscript({ columns, height: size.height });
  const measure = (): void => {
    const { width, height } = body.current ?? size;
    if (width !== size.width || height !== size.height) setSize({ width, height });
  };
  return (
    <box flexDirection="column" flexGrow={1} flexShrink={1} minHeight={0}>
      <TitleRow controls={controls} />
      <box ref={body} flexGrow={1} flexShrink={1} minHeight={0} overflow="hidden" onSizeChange={measure}>
        <Rows controls={controls} columns={columns} />
      </box>
      <TranscriptFooter controls={controls} columns={columns} />
    </box>
  );
}

function TitleRow({ controls }: { readonly controls: TranscriptControls }) {
  const { colors } = useTheme();
  const { model } = useChat();
  const { state, matches } = controls;
  const count = model.entries.filter(({ type }) => type === "user" || type === "text").length;
  return (
    <box flexDirection="row" justifyContent="space-between" height={1} flexShrink={0} paddingX={PADDING}>
      <text>
        <span fg={colors.foreground}>Transcript</span>
        <span fg={colors.muted}>{`  ${count} ${count === 1 ? "message" : "messages"}`}</span>
      </text>
      <text fg={colors.accent}>{state.mode.type === "searching" ? "" : describeSearch(state, matches.length)}</text>
    </box>
  );
}

function Rows({ controls, columns }: { readonly controls: TranscriptControls; readonly columns: number }) {
  const theme = useTheme();
  const { glyphs, host } = useUi();
  const { rows, state, space, matches, onPoint, onScroll } = controls;
  const top = topOf(state.cursor, space);
  const cursor = rowOf(state.cursor, space);
  const current = matches[state.matchIndex];
  const chunks = rows.slice(top, top + space.height).flatMap(({ line }, index) => {
    const row = top + index;
    const isCursor = row === cursor;
    const marks = { isCursor, columns, current, matches: matches.filter((match) => match.row === row) };
    const pointer = fg(theme.colors.accent)(`${index === 0 ? "" : "\n"}${isCursor ? `${glyphs.pointer} ` : "  "}`);
    return [pointer, ...styleRow(line, theme, marks)];
  });
  const scroll = ({ scroll: wheel }: MouseEvent): void => {
    if (wheel?.direction === "up") onScroll(-WHEEL_ROWS);
    if (wheel?.direction === "down") onScroll(WHEEL_ROWS);
  };
  return (
    <text
      wrapMode="none"
      width="100%"
      height="100%"
      content={new StyledText(chunks)}
      {...(host.settings.hasMouseWheel === false
        ? {}
        : {
            onMouseScroll: scroll,
            onMouseDown(this: { readonly y: number }, event: MouseEvent) {
              onPoint(top + event.y - this.y);
            },
          })}
    />
  );
}
