/** A run of lines in a diff. */
export interface DiffHunk {
  /** The number of its first line in the new version of the file; 0 where that is empty. */
  readonly start: number;
  /** The lines with their first character: a space, `+` or `-`. */
  readonly lines: readonly string[];
}

/** The change of one file. */
export interface FileChange {
  /** The path in the new version; that of the old version for a deleted file. */
  readonly path: string;
  /** The path before, where the file was renamed. */
  readonly oldPath?: string;
  readonly status: "added" | "deleted" | "modified" | "renamed";
  readonly isBinary: boolean;
  readonly hunks: readonly DiffHunk[];
}

/** A file while its part of the diff is read. */
interface OpenFile {
  /** From the line `diff --git`, if both names in it are equal. */
  readonly commonPath: string | undefined;
  oldPath?: string | undefined;
  newPath?: string | undefined;
  /** Whether its lines `---` and `+++` were read. */
  hasNames: boolean;
  isAdded: boolean;
  isDeleted: boolean;
  isBinary: boolean;
  readonly hunks: { readonly start: number; readonly lines: string[] }[];
}

const HUNK_HEAD = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** Parses a unified diff, as git and `diff -u` write it. Skips what is neither. */
export function parseDiff(text: string): readonly FileChange[] {
  const files: OpenFile[] = [];
  // The lines that the current hunk still lacks.
  let oldLeft = 0;
  let newLeft = 0;
  for (const line of text.split("\n")) {
    const file = files.at(-1);
    const hunk = file?.hunks.at(-1);
    if (hunk !== undefined && (oldLeft > 0 || newLeft > 0)) {
      // Editors and mail remove the space of an empty line.
      const kept = line === "" || line === "\r" ? ` ${line}` : line;
      if (kept.startsWith("\\")) continue;
      if (!kept.startsWith("+")) oldLeft--;
      if (!kept.startsWith("-")) newLeft--;
      hunk.lines.push(kept);
      continue;
    }
    const head = HUNK_HEAD.exec(line);
    if (head !== null && file !== undefined) {
      oldLeft = Number(head[1] ?? 1);
      newLeft = Number(head[3] ?? 1);
      file.hunks.push({ start: Number(head[2]), lines: [] });
    } else readHeaderLine(line, files);
  }
  return files.flatMap((file) => closeFile(file) ?? []);
}

function readHeaderLine(line: string, files: OpenFile[]): void {
  if (line.startsWith("diff --git ")) {
    files.push(openFile(commonPathOf(line.slice("diff --git ".length))));
    return;
  }
  if (line.startsWith("--- ")) {
    const last = files.at(-1);
    // A diff without git has no other line at the start of a file.
    const file = last === undefined || last.hasNames ? openFile(undefined) : last;
    if (file !== last) files.push(file);
    file.oldPath = readName(line.slice(4), "a/");
    file.isAdded ||= file.oldPath === undefined;
    return;
  }
  const file = files.at(-1);
  if (file === undefined) return;
  if (line.startsWith("+++ ")) {
    file.hasNames = true;
    file.newPath = readName(line.slice(4), "b/");
    file.isDeleted ||= file.newPath === undefined;
  } else if (line.startsWith("rename from ")) file.oldPath = unquote(line.slice("rename from ".length));
  else if (line.startsWith("rename to ")) file.newPath = unquote(line.slice("rename to ".length));
  else if (line.startsWith("new file mode ")) file.isAdded = true;
  else if (line.startsWith("deleted file mode ")) file.isDeleted = true;
  else if (/^Binary files .* differ$|^GIT binary patch$/.test(line)) file.isBinary = true;
}

function openFile(commonPath: string | undefined): OpenFile {
  return { commonPath, hasNames: false, isAdded: false, isDeleted: false, isBinary: false, hunks: [] };
}

function closeFile({
  commonPath,
  oldPath,
  newPath,
  isAdded,
  isDeleted,
  isBinary,
  hunks,
}: OpenFile): FileChange | undefined {
  const path = newPath ?? (isDeleted ? oldPath : undefined) ?? commonPath ?? oldPath;
  if (path === undefined) return undefined;
  if (isAdded) return { path, status: "added", isBinary, hunks };
  if (isDeleted) return { path, status: "deleted", isBinary, hunks };
  if (oldPath === undefined || oldPath === path) return { path, status: "modified", isBinary, hunks };
  return { path, oldPath, status: "renamed", isBinary, hunks };
}

/** The name in `a/NAME b/NAME`, which may contain spaces; undefined if there are two names. */
function commonPathOf(names: string): string | undefined {
  const quoted = /^("(?:[^"\\]|\\.)*") "(?:[^"\\]|\\.)*"$/.exec(names)?.[1];
  if (quoted !== undefined) return unquote(quoted).replace(/^a\//, "");
  const length = (names.length - 5) / 2;
  const path = names.slice(2, 2 + length);
  return names === `a/${path} b/${path}` ? path : undefined;
}

/** The name after `---` or `+++`; undefined for none. */
function readName(text: string, prefix: string): string | undefined {
  // `diff -u` writes the time after a tab; git a lone tab where the name has spaces.
  const name = unquote(text.replace(/\t.*$/, "").replace(/\r$/, ""));
  if (name === "/dev/null") return undefined;
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

const ESCAPES: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

/** Git quotes a name with special characters as C does. */
function unquote(text: string): string {
  if (!/^".*"$/.test(text)) return text;
  const bytes: number[] = [];
  const encoder = new TextEncoder();
  for (const [part, octal, letter] of text.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|[^\\]+/gs)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8) % 256);
    else bytes.push(...encoder.encode(letter === undefined ? part : (ESCAPES[letter] ?? letter)));
  }
  return new TextDecoder().decode(Uint8Array.from(bytes));
}
