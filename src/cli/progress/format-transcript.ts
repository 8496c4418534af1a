import type { createColors } from "picocolors";
import { linesOf, safeLine, type Transcript, type TranscriptEntry } from "../../view/index.ts";

type Colors = ReturnType<typeof createColors>;

/** How much room there is for a transcript. */
export interface TranscriptRoom {
  readonly rows: number;
  readonly columns: number;
  readonly colors: Colors;
}

const TOOL_MARKS = { running: "●", done: "✓", failed: "✗" } as const;

/** The last lines of a transcript that fit, without empty lines. */
export function formatTranscript(transcript: Transcript, { rows, columns, colors }: TranscriptRoom): readonly string[] {
  const lines: string[] = [];
  for (const entry of transcript.toReversed()) {
    if (lines.length >= rows) break;
    lines.unshift(
      ...(entry.type === "text" ? wrapEnd(entry.text, rows, columns) : [formatTool(entry, columns, colors)]),
    );
  }
  return rows > 0 ? lines.slice(-rows) : [];
}

function formatTool(
  { call, status }: Extract<TranscriptEntry, { type: "tool" }>,
  columns: number,
  colors: Colors,
): string {
  const line = `${TOOL_MARKS[status]} ${safeLine(call, Math.max(1, columns - 2))}`;
  if (status === "failed") return colors.red(line);
  return status === "running" ? colors.cyan(line) : colors.dim(line);
}

/** Wraps each line from its start, so growing text does not move the lines above. */
function wrapEnd(text: string, rows: number, columns: number): readonly string[] {
  return linesOf(text)
    .slice(-rows)
    .flatMap((line) => wrapWords(line, columns));
}

function wrapWords(line: string, columns: number): readonly string[] {
  const wrapped: string[] = [];
  let current = "";
  let width = 0;
  for (const { segment } of new Intl.Segmenter().segment(line)) {
    const segmentWidth = Bun.stringWidth(segment);
    if (current !== "" && width + segmentWidth > columns) {
      const space = segment === " " ? current.length : current.lastIndexOf(" ");
      const isInsideWord = space > current.length / 2;
      wrapped.push(isInsideWord ? current.slice(0, space) : current);
      current = isInsideWord ? current.slice(space + 1) : "";
      if (segment === " " && current === "") {
        width = 0;
        continue;
      }
      width = Bun.stringWidth(current);
    }
    current += segment;
    width += segmentWidth;
  }
  return current === "" ? wrapped : [...wrapped, current];
}
