import type { createColors } from "picocolors";
import type { RunEvent } from "../../contracts/index.ts";
import { safeLine, safeText } from "../safe-text.ts";

type Colors = ReturnType<typeof createColors>;

/** A part of what an agent said and did. */
export type TranscriptEntry =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "tool";
      readonly toolId: string;
      /** The tool and what it is about, as the agent wrote it. */
      readonly call: string;
      readonly status: "running" | "done" | "failed";
    };

/** The end of what a node's agent said and did, oldest first; of bounded length. */
export type Transcript = readonly TranscriptEntry[];

/** More entries than any screen shows of one node. */
const MAX_ENTRIES = 40;

/** The longest text that an entry keeps, in characters, and what is kept when it gets longer. */
const MAX_TEXT = 8_000;
const KEPT_TEXT = 4_000;

/** What a tool call is called on the screen. */
export function callOf({ toolName, title }: Extract<RunEvent, { type: "tool-start" }>): string {
  return title === "" ? toolName : `${toolName}: ${title}`;
}

/** A transcript after an event of its node. */
export function reduceTranscript(transcript: Transcript, event: RunEvent): Transcript {
  switch (event.type) {
    case "agent-text":
      return addText(transcript, event.text);
    case "tool-start":
      return add(transcript, { type: "tool", toolId: event.toolId, call: callOf(event), status: "running" });
    case "tool-end": {
      const status = event.isError ? "failed" : "done";
      return transcript.map((entry) =>
        entry.type === "tool" && entry.toolId === event.toolId ? { ...entry, status } : entry,
      );
    }
    default:
      return transcript;
  }
}

function add(transcript: Transcript, entry: TranscriptEntry): Transcript {
  return [...transcript, entry].slice(-MAX_ENTRIES);
}

function addText(transcript: Transcript, more: string): Transcript {
  const last = transcript.at(-1);
  if (last?.type !== "text") return add(transcript, { type: "text", text: shortenStart(more) });
  return [...transcript.slice(0, -1), { type: "text", text: shortenStart(last.text + more) }];
}

function shortenStart(text: string): string {
  return text.length > MAX_TEXT ? text.slice(-KEPT_TEXT) : text;
}

/** How much room there is for a transcript. */
export interface TranscriptRoom {
  readonly rows: number;
  readonly columns: number;
  readonly colors: Colors;
}

const TOOL_MARKS = { running: "●", done: "✓", failed: "✗" } as const;

/** The last lines of a transcript that have room. Lines without text are left out. */
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

/** Each line is broken from its own beginning, so that text which grows at its end does not move what stands already. */
function wrapEnd(text: string, rows: number, columns: number): readonly string[] {
  return linesOf(text)
    .slice(-rows)
    .flatMap((line) => wrapWords(line, columns));
}

/** The lines of an agent's text that say something, safe for a terminal. */
export function linesOf(text: string): readonly string[] {
  return safeText(text)
    .split("\n")
    .map((line) => line.replaceAll("\t", "  ").trimEnd())
    .filter((line) => line !== "");
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
