/** One server-sent event of an answer. */
export interface StreamFrame {
  /** `open` announces what comes, `delta` carries a part of it, `close` says that something is complete. */
  readonly phase: "open" | "delta" | "close";
  /** The event as it goes over the wire. */
  readonly bytes: string;
}

/** How many characters of a tool's arguments one delta carries. */
export const ARGUMENT_PIECE_LENGTH = 24;

/** Writes an event without a name. */
export function dataFrame(phase: StreamFrame["phase"], data: unknown): StreamFrame {
  return { phase, bytes: `data: ${JSON.stringify(data)}\n\n` };
}

/** Writes an event with a name, which is also the `type` of its data. */
export function namedFrame(phase: StreamFrame["phase"], type: string, fields: object): StreamFrame {
  return { phase, bytes: `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n` };
}

/** The part of a stream that promises more: everything before the first frame that completes something. */
export function unfinishedFrames(frames: readonly StreamFrame[]): readonly StreamFrame[] {
  const end = frames.findIndex((frame) => frame.phase === "close");
  return end === -1 ? frames : frames.slice(0, end);
}
