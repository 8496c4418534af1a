import type { AgentEvent } from "../contracts/index.ts";
import { describeCall } from "./describe-call.ts";
import { safeLine, safeText } from "./safe-text.ts";

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

/** How much of a call's input is kept, in columns. */
const INPUT_COLUMNS = 120;

/** What a tool call is called on the screen. */
export function callOf({ toolName, input }: Extract<AgentEvent, { type: "tool-start" }>): string {
  const about = safeLine(describeCall(toolName, input), INPUT_COLUMNS);
  return about === "" ? toolName : `${toolName}: ${about}`;
}

/** A transcript after an event of its agent. */
export function reduceTranscript(transcript: Transcript, event: AgentEvent): Transcript {
  switch (event.type) {
    case "text-delta":
      return addText(transcript, event.text);
    case "text-restart":
      return transcript.at(-1)?.type === "text" ? transcript.slice(0, -1) : transcript;
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

/** The lines of an agent's text that say something, safe for a terminal. */
export function linesOf(text: string): readonly string[] {
  return safeText(text)
    .split("\n")
    .map((line) => line.replaceAll("\t", "  ").trimEnd())
    .filter((line) => line !== "");
}
