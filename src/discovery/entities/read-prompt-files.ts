import { normalize } from "node:path";

/** A file that a prompt names. */
export interface PromptFile {
  /** As the prompt names it. */
  readonly path: string;
  readonly realPath: string;
}

/** The files that a prompt may name. */
export interface PromptFiles {
  /** The real path of a file that the prompt names as `@path`; nothing where there is none for prompts. */
  readonly locateFile: (path: string) => Promise<string | undefined>;
  /** The text of a file; nothing if it has none. */
  readonly readFile: (file: PromptFile) => Promise<string | undefined>;
}

/** How many files are appended to a prompt. */
const MAX_FILES = 100;

/** How many characters they have together. */
const MAX_TEXT_LENGTH = 1_048_576;

/** How many paths are looked up. */
const MAX_PATHS = 1000;

/** How many paths a note about others names. */
const MAX_SHOWN = 10;

/** The files of a prompt, each once under its first path, and a note about those that were too many. */
export async function readPromptFiles(paths: Iterable<string>, { locateFile, readFile }: PromptFiles): Promise<string> {
  const named = firstSpellings(paths);
  const seen = new Set<string>();
  const blocks: string[] = [];
  const omitted: string[] = [];
  let length = 0;
  for (const path of named.slice(0, MAX_PATHS)) {
    const realPath = await locateFile(path);
    if (realPath === undefined || seen.has(realPath)) continue;
    seen.add(realPath);
    // After one that is too long, shorter ones would come out of order.
    const isFull = blocks.length === MAX_FILES || omitted.length > 0;
    const text = isFull ? "" : await readFile({ path, realPath });
    if (text === undefined) continue;
    if (isFull || length + text.length > MAX_TEXT_LENGTH) {
      omitted.push(path);
      continue;
    }
    length += text.length;
    blocks.push(`\n\n<file path=${JSON.stringify(path)}>\n${text}\n</file>`);
  }
  return blocks.join("") + describeOmitted(omitted, named.length);
}

function firstSpellings(paths: Iterable<string>): readonly string[] {
  const byPath = new Map<string, string>();
  for (const path of paths) if (!byPath.has(normalize(path))) byPath.set(normalize(path), path);
  return [...byPath.values()];
}

function describeOmitted(omitted: readonly string[], pathCount: number): string {
  const shown = omitted.slice(0, MAX_SHOWN).map((path) => JSON.stringify(path));
  if (omitted.length > MAX_SHOWN) shown.push(`${omitted.length - MAX_SHOWN} more`);
  const limit = `A prompt takes at most ${MAX_FILES} files with ${MAX_TEXT_LENGTH} characters`;
  const files = shown.length === 0 ? "" : `\n\n(${limit}. Not included: ${shown.join(", ")})`;
  const names = `Only the first ${MAX_PATHS} of ${pathCount} paths were looked up`;
  return pathCount > MAX_PATHS ? `${files}\n\n(${names})` : files;
}
