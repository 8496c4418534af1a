import { existsSync } from "node:fs";
import { join } from "node:path";
import { isGitRefusal, runGit } from "../../clients/index.ts";
import { AtomicError } from "../../contracts/index.ts";

/** A repository, and the environment that git runs in there. */
export interface Repository {
  readonly workingDirectory: string;
  readonly env: Readonly<Record<string, string>>;
}

/** So many submodules of one repository are looked into, those of submodules among them. */
const MAX_SUBMODULES = 1_000;

/** As long as a list of a million files. */
const MAX_LIST_BYTES = 268_435_456;

/** What tells git where the outer repository is; git itself takes it away for a submodule. */
const OUTER = ["GIT_COMMON_DIR", "GIT_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX", "GIT_WORK_TREE"];

/**
 * The submodules that git enters by itself: every folder that the index has as one and that is a repository, whether
 * `.gitmodules` names it or not, and those in it. Throws what keeps git from listing them, and when there are too many.
 */
export async function* findSubmodules(repository: Repository): AsyncGenerator<Repository> {
  const open = [repository];
  const known = new Set<string>();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const workingDirectory of await listSubmodules(next)) {
      if (known.has(workingDirectory)) continue;
      known.add(workingDirectory);
      if (known.size > MAX_SUBMODULES) {
        const count = MAX_SUBMODULES.toLocaleString("en-US");
        throw new AtomicError("GIT_SETTINGS_UNKNOWN", `it has more than ${count} submodules`);
      }
      const inner = Object.entries(repository.env).filter(([name]) => !OUTER.includes(name));
      const submodule = { workingDirectory, env: Object.fromEntries(inner) };
      open.push(submodule);
      yield submodule;
    }
  }
}

async function listSubmodules({ workingDirectory, env }: Repository): Promise<readonly string[]> {
  const root = await findRoot({ workingDirectory, env });
  if (root === undefined) return [];
  const args = ["ls-files", "--stage", "-z"];
  const list = (await runGit(args, { cwd: root, env, maxBytes: MAX_LIST_BYTES, timeoutMs: 30_000 })) ?? "";
  // Mode, object, stage, a tab and the path.
  const links = list.split("\0").filter((line) => line.startsWith("160000 "));
  return links
    .map((line) => join(root, line.slice(line.indexOf("\t") + 1)))
    .filter((path) => existsSync(join(path, ".git")));
}

/** The top of the working tree; none where there is no repository, or one without a working tree. */
async function findRoot({ workingDirectory, env }: Repository): Promise<string | undefined> {
  try {
    const root = await runGit(["rev-parse", "--show-toplevel"], { cwd: workingDirectory, env });
    return root?.replace(/\r?\n$/, "");
  } catch (error) {
    if (isGitRefusal(error)) return undefined;
    throw error;
  }
}
