import type { GitReader } from "../../graph/index.ts";

/** The branch of a working tree. */
export interface GitBranch {
  readonly name: string;
  readonly changedFiles: number;
}

/** The branch in the output of `git status --porcelain --branch`. */
export function parseBranch(status: string): GitBranch | undefined {
  const [head = "", ...changed] = status.split("\n").filter((line) => line !== "");
  if (!head.startsWith("## ")) return undefined;
  const [upstreamless = ""] = head.slice(3).split("...");
  const name = upstreamless.replace(/^(?:No commits yet|Initial commit) on /, "").replace(/ \[.*\]$/, "");
  return { name: name === "HEAD (no branch)" ? "detached" : name, changedFiles: changed.length };
}

/** How long git may take: the line that shows the branch is not worth more, in milliseconds. */
const TIMEOUT_MS = 5_000;

/** The branch of a folder. Undefined outside of a repository, and where git cannot read it in time. */
export async function readBranch(git: GitReader, workingDirectory: string): Promise<GitBranch | undefined> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const outcome = await git(["status", "--porcelain", "--branch"], { workingDirectory, signal });
    return outcome.type === "done" ? parseBranch(outcome.stdout) : undefined;
  } catch {
    // The programs of the repository cannot be determined, or it is too large.
    return undefined;
  }
}
