import { diffArrays } from "diff";
import type { PermissionDetails, PermissionRequest, TextChange, TextPlace } from "../../contracts/index.ts";
import type { ChangedLine } from "../changed-line.ts";

/** Texts from the agent under a heading from Atomic. */
export interface TextPart {
  readonly heading: string;
  readonly texts: readonly string[];
  /** Whether the lines start with `+` where they are new and with `-` where they are old. @default false */
  readonly isDiff?: boolean;
  /** The lines of the file that its lines show, where each line shows one. @default none */
  readonly changes?: readonly ChangedLine[];
}

/** Beyond this many edits both texts are shown one after the other, without a diff. */
const MAX_DIFF_STEPS = 1_000;

/** Formats the complete input of a call, except its command and files. Pure. */
export function formatDetails({ details, paths }: PermissionRequest): readonly TextPart[] {
  switch (details?.type) {
    case undefined:
      return [];
    case "edit":
      return formatChanges(details.changes, paths);
    case "write":
      return [formatContent(details)];
    case "patch":
      return [{ heading: `Patch${countLines(details.text)}:`, texts: [details.text], isDiff: true }];
    case "fetch":
      return [{ heading: "Address:", texts: [details.address] }];
    case "input":
      return [{ heading: "Input:", texts: [JSON.stringify(details.input, undefined, 2) ?? "nothing"] }];
  }
}

function formatContent({ path, text }: Extract<PermissionDetails, { readonly type: "write" }>): TextPart {
  if (text === "") return { heading: "New content: nothing, the file is emptied.", texts: [] };
  const shown = text.replace(/\n$/, "");
  const changes = shown.split("\n").map((line, index) => ({ path, number: index + 1, text: line, isRemoved: false }));
  return { heading: `New content of the whole file${countLines(text)}:`, texts: [shown], changes };
}

function formatChanges(changes: readonly TextChange[], paths: readonly string[]): readonly TextPart[] {
  const [file] = paths;
  const isOneFile = paths.length === 1 && changes.every(({ path }) => path === file || file?.endsWith(`/${path}`));
  return changes.flatMap((change, index) => {
    const number = changes.length > 1 ? ` ${index + 1} of ${changes.length}` : "";
    const place = change.isEverywhere === true ? ", at every place with the old lines" : "";
    const lines = diffLines(change);
    const diff = {
      heading: `Change${number}${place} (- old, + new):`,
      texts: [lines.map(({ shown }) => shown).join("\n")],
      isDiff: true,
      changes: lines.map(({ changed }) => changed),
    };
    return isOneFile ? [diff] : [{ heading: `Change${number}, file:`, texts: [change.path] }, diff];
  });
}

interface DiffLine {
  readonly shown: string;
  readonly changed: ChangedLine;
}

function diffLines({ path, oldText, newText, place }: TextChange): readonly DiffLine[] {
  const around = (text: string): string => (place === undefined ? text : place.before + text + place.after);
  const [before, after] = [linesOf(around(oldText)), linesOf(around(newText))];
  const parts = diffArrays(before, after, { maxEditLength: MAX_DIFF_STEPS }) ?? [
    { value: before, removed: true, added: false },
    { value: after, removed: false, added: true },
  ];
  const numbers = numbersOf(place, Math.max(before.length, after.length));
  return parts.flatMap(({ value, removed, added }) =>
    value.map((text) => {
      const sign = removed ? "-" : added ? "+" : " ";
      const number = numbers.next(sign);
      const shown = number === undefined ? "" : `${String(number).padStart(numbers.columns)} `;
      const changed = { path, ...(number === undefined ? {} : { number }), text, isRemoved: removed };
      return { shown: `${sign} ${shown}${text}`, changed };
    }),
  );
}

/** The numbers of a diff's lines. */
interface LineNumbers {
  readonly columns: number;
  /** Undefined where the place in the file is not known. */
  readonly next: (sign: "-" | "+" | " ") => number | undefined;
}

/** Counts lines: the numbers of removed lines are those of the old file, all others those of the new one. */
function numbersOf(place: TextPlace | undefined, count: number): LineNumbers {
  if (place === undefined) return { columns: 0, next: () => undefined };
  const following = { old: place.line, new: place.line };
  const columns = String(place.line + count).length;
  const next = (sign: "-" | "+" | " "): number => {
    const number = sign === "-" ? following.old : following.new;
    if (sign !== "+") following.old++;
    if (sign !== "-") following.new++;
    return number;
  };
  return { columns, next };
}

/** An empty text has no lines. */
function linesOf(text: string): string[] {
  return text === "" ? [] : text.split("\n");
}

function countLines(text: string): string {
  const count = text.replace(/\n$/, "").split("\n").length;
  return count === 1 ? "" : `, ${count} lines`;
}
