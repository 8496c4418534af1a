import { diffArrays } from "diff";
import type { PermissionDetails, PermissionRequest, TextChange, TextPlace } from "../../contracts/index.ts";

/** Texts from the agent under a heading from Atomic. */
export interface TextPart {
  readonly heading: string;
  readonly texts: readonly string[];
  /** Whether the lines start with `+` where they are new and with `-` where they are old. @default false */
  readonly isDiff?: boolean;
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

function formatContent({ text }: Extract<PermissionDetails, { readonly type: "write" }>): TextPart {
  if (text === "") return { heading: "New content: nothing, the file is emptied.", texts: [] };
  return { heading: `New content of the whole file${countLines(text)}:`, texts: [text.replace(/\n$/, "")] };
}

function formatChanges(changes: readonly TextChange[], paths: readonly string[]): readonly TextPart[] {
  const [file] = paths;
  const isOneFile = paths.length === 1 && changes.every(({ path }) => path === file || file?.endsWith(`/${path}`));
  return changes.flatMap((change, index) => {
    const number = changes.length > 1 ? ` ${index + 1} of ${changes.length}` : "";
    const place = change.isEverywhere === true ? ", at every place with the old lines" : "";
    const diff = { heading: `Change${number}${place} (- old, + new):`, texts: [formatDiff(change)], isDiff: true };
    return isOneFile ? [diff] : [{ heading: `Change${number}, file:`, texts: [change.path] }, diff];
  });
}

function formatDiff({ oldText, newText, place }: TextChange): string {
  const around = (text: string): string => (place === undefined ? text : place.before + text + place.after);
  const [before, after] = [linesOf(around(oldText)), linesOf(around(newText))];
  const parts = diffArrays(before, after, { maxEditLength: MAX_DIFF_STEPS }) ?? [
    { value: before, removed: true, added: false },
    { value: after, removed: false, added: true },
  ];
  const numbers = numberer(place, Math.max(before.length, after.length));
  const marked = parts.flatMap(({ value, removed, added }) =>
    value.map((line) => {
      const sign = removed ? "-" : added ? "+" : " ";
      return `${sign} ${numbers(sign)}${line}`;
    }),
  );
  return marked.join("\n");
}

/** Counts lines: the numbers of removed lines are those of the old file, all others those of the new one. */
function numberer(place: TextPlace | undefined, count: number): (sign: "-" | "+" | " ") => string {
  if (place === undefined) return () => "";
  const next = { old: place.line, new: place.line };
  const columns = String(place.line + count).length;
  return (sign) => {
    const number = sign === "-" ? next.old : next.new;
    if (sign !== "+") next.old++;
    if (sign !== "-") next.new++;
    return `${String(number).padStart(columns)} `;
  };
}

/** An empty text has no lines. */
function linesOf(text: string): string[] {
  return text === "" ? [] : text.split("\n");
}

function countLines(text: string): string {
  const count = text.replace(/\n$/, "").split("\n").length;
  return count === 1 ? "" : `, ${count} lines`;
}
