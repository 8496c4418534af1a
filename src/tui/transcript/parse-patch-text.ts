/** A line of a diff. `gap` is where lines are left out. */
export interface DiffLine {
  readonly type: "added" | "removed" | "context" | "gap";
  /** The line in the new file, in the old one where it was removed. Absent when it is not known. */
  readonly number?: number;
  readonly text: string;
}

/** The lines of one file in a patch. */
interface PatchedFile {
  readonly path: string;
  readonly lines: DiffLine[];
}

const FILE_HEADER = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/;
const UNIFIED_HEADER = /^(?:---|\+\+\+) (?:[ab]\/)?([^\t]+)/;
const HUNK_HEADER = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** Reads a patch: a unified diff, or the form with `*** Update File: path` that some agents write. */
export function parsePatchText(patch: string): readonly PatchedFile[] {
  const files: PatchedFile[] = [];
  let oldNumber: number | undefined;
  let newNumber: number | undefined;
  let isInHunk = false;
  const start = (path: string): void => {
    files.push({ path, lines: [] });
    oldNumber = undefined;
    newNumber = undefined;
    isInHunk = false;
  };
  const lines = patch.split(/\r?\n/);
  for (const [index, line] of lines.entries()) {
    const next = lines[index + 1] ?? "";
    const file = files.at(-1);
    const named = FILE_HEADER.exec(line)?.[1];
    if (named !== undefined) {
      start(named);
      isInHunk = line.startsWith("*** Add");
    } else if (line.startsWith("--- ") && next.startsWith("+++ ")) {
      const oldPath = UNIFIED_HEADER.exec(line)?.[1] ?? "";
      const newPath = UNIFIED_HEADER.exec(next)?.[1] ?? "";
      start(newPath === "/dev/null" ? oldPath : newPath);
    } else if (line.startsWith("@@") && file !== undefined) {
      const [, oldStart, newStart] = HUNK_HEADER.exec(line) ?? [];
      oldNumber = oldStart === undefined ? undefined : Number(oldStart);
      newNumber = newStart === undefined ? undefined : Number(newStart);
      if (file.lines.length > 0) file.lines.push({ type: "gap", text: "" });
      isInHunk = true;
    } else if (isInHunk && file !== undefined && /^[-+ ]/.test(line)) {
      const type = line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : "context";
      const number = type === "removed" ? oldNumber : newNumber;
      file.lines.push({ type, text: line.slice(1), ...(number === undefined ? {} : { number }) });
      if (type !== "added" && oldNumber !== undefined) oldNumber++;
      if (type !== "removed" && newNumber !== undefined) newNumber++;
    }
  }
  return files;
}
