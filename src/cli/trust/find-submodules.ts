import { existsSync } from "node:fs";
import { join } from "node:path";
import { isGitRefusal, runGit } from "../../clients/index.ts";
import { AtomicError } from "../../contracts/index.ts";

/** A repository, and the environment that git runs in there. */
export interface Repository {
  readonly workingDirectory: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A repository, and the top of its working tree: undefined without a repository or a working tree. */
export interface RootedRepository extends Repository {
  readonly root: string | undefined;
}

/** Settings of {@link findSubmodules}. */
export interface FindSubmodulesOptions extends RootedRepository {
  /** Limit, including nested submodules. @default 1_000 */
  readonly maxSubmodules?: number;
}

/** Enough for a list of a million files. */
const MAX_LIST_BYTES = 268_435_456;

/** Variables that point git to the outer repository. Git removes them for a submodule as well. */
const OUTER = ["GIT_COMMON_DIR", "GIT_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX", "GIT_WORK_TREE"];

/**
 * The submodules that git enters by itself, nested ones included: every folder that the index lists as one and that is a
 * repository, whether `.gitmodules` names it or not. Throws if git cannot list them, or if there are too many.
 */
export async function* findSubmodules(options: FindSubmodulesOptions): AsyncGenerator<RootedRepository> {
  const { maxSubmodules = 1_000 } = options;
  const open: RootedRepository[] = [options];
  const known = new Set<string>();
  const inner = Object.entries(options.env).filter(([name]) => !OUTER.includes(name));
  const env = Object.fromEntries(inner);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const found = (await listSubmodules(next)).filter((folder) => !known.has(folder));
    for (const folder of found) known.add(folder);
    if (known.size > maxSubmodules) {
      const count = maxSubmodules.toLocaleString("en-US");
      throw new AtomicError("GIT_SETTINGS_UNKNOWN", `it has more than ${count} submodules`);
    }
    for (const folder of found) {
      const submodule = await withRoot({ workingDirectory: folder, env });
      open.push(submodule);
      yield submodule;
    }
  }
}

async function listSubmodules({ root, env }: RootedRepository): Promise<readonly string[]> {
  if (root === undefined) return [];
  const args = ["ls-files", "--stage", "-z"];
  const list = (await runGit(args, { cwd: root, env, maxBytes: MAX_LIST_BYTES, timeoutMs: 30_000 })) ?? "";
  // Each entry is: mode, object, stage, tab, path.
  const links = list.split("\0").filter((line) => line.startsWith("160000 "));
  return links
    .map((line) => join(root, line.slice(line.indexOf("\t") + 1)))
    .filter((path) => existsSync(join(path, ".git")));
}

/** Finds the top of the working tree. */
export async function withRoot(repository: Repository): Promise<RootedRepository> {
  const { workingDirectory, env } = repository;
  try {
    const root = await runGit(["rev-parse", "--show-toplevel"], { cwd: workingDirectory, env });
    return { ...repository, root: root?.replace(/\r?\n$/, "") };
  } catch (error) {
    if (isGitRefusal(error)) return { ...repository, root: undefined };
    throw error;
  }
}
