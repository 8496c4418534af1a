import { statSync } from "node:fs";
import path from "node:path";
import { SandboxInvalidError } from "../../contracts/index.ts";
import { isWithin } from "../../system/index.ts";
import { isGitRefusal, runGit } from "../process/run-git.ts";
import { type Guards, pathsBetween } from "./git-places.ts";

/** Settings of {@link findIncludedFiles}. */
export interface FindIncludedFilesOptions {
  readonly env: Readonly<Record<string, string>>;
  /** The folders that the agent can write to. */
  readonly writeRoots: readonly string[];
}

/** A setting `include.path` or `includeIf.….path`. */
const INCLUDE = "^include(if\\..*)?\\.path$";

/** More included files than people have; each needs a process to read it. */
const MAX_FILES = 100;

/**
 * The files with settings that a repository's settings or the user's include, directly or through each other. All
 * conditions count as met: a branch's name, for example, changes.
 * @throws SandboxInvalidError if there are too many, or git cannot read the settings
 */
export async function findIncludedFiles(root: string, { env, writeRoots }: FindIncludedFilesOptions): Promise<Guards> {
  const files = new Set<string>();
  const open: (string | undefined)[] = [undefined];
  while (open.length > 0) {
    for (const file of await readIncludes(root, { env, from: open.pop() })) {
      if (files.has(file)) continue;
      files.add(file);
      if (files.size > MAX_FILES) {
        const problem = `the git settings of "${root}" include more than ${MAX_FILES} files. Include fewer, or remove the repository if you do not know it.`;
        throw new SandboxInvalidError("workingDirectory", problem);
      }
      // Reading anything else, such as a pipe, could block.
      if (statSync(file, { throwIfNoEntry: false })?.isFile() === true) open.push(file);
    }
  }
  const writable = [...files].filter((file) => writeRoots.some((folder) => isWithin(file, folder)));
  return { guarded: writable, placeholders: writable.flatMap((file) => placeholdersFor(file, writeRoots)) };
}

/** An empty file, and the folders around it. */
function placeholdersFor(file: string, writeRoots: readonly string[]): Guards["placeholders"] {
  const root = writeRoots.find((folder) => isWithin(file, folder)) ?? path.dirname(file);
  return pathsBetween(root, file).map((name) => (name === file ? { path: file, text: "" } : { path: name }));
}

/** The absolute paths that one file includes, or the settings of a repository and the user. */
async function readIncludes(
  root: string,
  { env, from }: { readonly env: Readonly<Record<string, string>>; readonly from: string | undefined },
): Promise<readonly string[]> {
  const source = from === undefined ? [] : ["--file", from];
  const query = ["--null", "--show-origin", "--type=path", "--no-includes", "--get-regexp", INCLUDE];
  try {
    const fields = ((await runGit(["config", ...source, ...query], { cwd: root, env })) ?? "").split("\0");
    // Each setting is an origin, "file:…", and a name and a value in two lines.
    return fields.flatMap((origin, index) => {
      const setting = fields[index + 1];
      if (index % 2 === 1 || setting === undefined || !origin.startsWith("file:")) return [];
      const folder = path.dirname(path.resolve(root, origin.slice("file:".length)));
      return [path.resolve(folder, setting.slice(setting.indexOf("\n") + 1))];
    });
  } catch (cause) {
    // There is no such setting, or git rejects the settings and does not work at all.
    if (isGitRefusal(cause)) return [];
    throw new SandboxInvalidError("workingDirectory", `git does not name the settings of "${root}". Try again.`);
  }
}
