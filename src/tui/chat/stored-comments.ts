import { isRecord, type UnknownRecord } from "../../contracts/index.ts";
import type { ChangedLine } from "../../view/index.ts";
import type { KeptComments } from "./comment-store.ts";

/** A comment among the stored messages. */
export interface StoredComment {
  readonly type: "comment";
  readonly line: ChangedLine;
  readonly text: string;
  readonly isSent: boolean;
}

/** The comments as they are stored after the messages of their conversation. */
export function toStoredComments({ unsent, sent }: KeptComments): readonly StoredComment[] {
  return [
    ...sent.map(({ line, text }) => ({ type: "comment", line, text, isSent: true }) as const),
    ...unsent.map(({ line, text }) => ({ type: "comment", line, text, isSent: false }) as const),
  ];
}

/** The comments among stored messages. What is damaged is left out. */
export function parseComments(json: string): KeptComments {
  let stored: unknown;
  try {
    stored = JSON.parse(json);
  } catch {
    return { unsent: [], sent: [] };
  }
  const comments = Array.isArray(stored) ? stored.flatMap(parseComment) : [];
  const of = (isSent: boolean): KeptComments["sent"] =>
    comments.filter((comment) => comment.isSent === isSent).map(({ line, text }) => ({ line, text }));
  return { unsent: of(false), sent: of(true) };
}

function parseComment(stored: unknown): readonly StoredComment[] {
  if (!isRecord(stored) || stored.type !== "comment" || !isRecord(stored.line)) return [];
  const { text, isSent } = stored;
  const { path, number, text: lineText, isRemoved, place, occurrence, neighbours } = stored.line;
  if (typeof text !== "string" || typeof isSent !== "boolean") return [];
  if (typeof path !== "string" || typeof lineText !== "string" || typeof isRemoved !== "boolean") return [];
  const line = {
    ...{ path, text: lineText, isRemoved },
    ...(Number.isInteger(number) ? { number: number as number } : {}), // an integer is a number
    ...(typeof place === "string" ? { place } : {}),
    ...(isRecord(neighbours) ? { neighbours: parseNeighbours(neighbours) } : {}),
    ...(Number.isInteger(occurrence) ? { occurrence: occurrence as number } : {}), // the same
  };
  return [{ type: "comment", line, text, isSent }];
}

function parseNeighbours({ above, below }: UnknownRecord): NonNullable<ChangedLine["neighbours"]> {
  return { ...(typeof above === "string" ? { above } : {}), ...(typeof below === "string" ? { below } : {}) };
}
