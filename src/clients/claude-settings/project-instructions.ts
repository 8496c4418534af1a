import { lstat, readFile } from "node:fs/promises";
import path from "node:path";

/** What of a folder Claude Code would read; `AGENTS.md` only where there is no other. */
const FILES = ["CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"];
const FALLBACK = "AGENTS.md";

/** A longer file is left out. */
const MAX_BYTES = 262_144;

/**
 * The plain instructions of a project and of the folders above it, for Claude Code that does not read the project's
 * settings itself. Files that they import with `@` are not among them: the agent may read those as any other. Empty when
 * there are none. Never rejects.
 */
export async function loadProjectInstructions(folder: string): Promise<string> {
  const folders = [folder];
  for (let at = folder; path.dirname(at) !== at; at = path.dirname(at)) folders.unshift(path.dirname(at));
  const texts = await Promise.all(folders.map(readFolder));
  const found = texts.flat();
  if (found.length === 0) return "";
  return ["Follow the instructions of the project that you work in.", ...found].join("\n\n");
}

async function readFolder(folder: string): Promise<readonly string[]> {
  const read = (names: readonly string[]) =>
    Promise.all(names.map((name) => readInstructions(path.join(folder, name))));
  const found = (await read(FILES)).flat();
  return found.length > 0 ? found : (await read([FALLBACK])).flat();
}

/** A link is not followed: it could lead to a file that may not be read. */
async function readInstructions(file: string): Promise<readonly string[]> {
  try {
    const [folder, entry] = await Promise.all([lstat(path.dirname(file)), lstat(file)]);
    if (folder.isSymbolicLink() || !entry.isFile() || entry.size > MAX_BYTES) return [];
    return [`Contents of ${file}:\n\n${await readFile(file, "utf8")}`];
  } catch {
    return []; // There is no such file, or nobody may read it.
  }
}
