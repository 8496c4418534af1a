import { nearestName } from "../../contracts/index.ts";
import type { GitOutcome, GitReader } from "../../graph/index.ts";
import { ChangesUnreadableError, NoWorkTreeError, ReviewGitMissingError, UnknownBaseError } from "./review-errors.ts";

/** A folder of a repository, and how to ask git about it. */
export interface GitPlace {
  readonly git: GitReader;
  readonly workingDirectory: string;
  readonly signal: AbortSignal;
}

/** What a review compares the working tree with. */
export interface ReviewBase {
  /** The name that was given or found; empty for the last commit, or where there is none. */
  readonly name: string;
  /** The id of the commit, or of the empty tree in a repository without commits. */
  readonly commit: string;
  /** The folder below the root of the working tree, with a slash at its end; empty in the root. */
  readonly folder: string;
}

/** Branches that others start from, the likeliest first. `@{upstream}` is the branch that the current one tracks. */
const MAIN_BRANCHES = [
  "refs/remotes/origin/HEAD",
  "refs/remotes/origin/main",
  "refs/remotes/origin/master",
  "refs/heads/main",
  "refs/heads/master",
  "@{upstream}",
];

/**
 * The commit at which the current branch left `base`. Without a base it is where it left the main branch; on the main
 * branch itself, its last commit.
 *
 * @throws NoWorkTreeError, UnknownBaseError, ReviewGitMissingError, ChangesUnreadableError
 */
export async function resolveReviewBase(base: string, place: GitPlace): Promise<ReviewBase> {
  const inside = await runGit(["rev-parse", "--is-inside-work-tree", "--show-prefix"], place);
  const [isInside, folder = ""] = inside.type === "done" ? inside.stdout.split("\n") : [];
  if (inside.type !== "done" || isInside !== "true") {
    const detail = inside.type === "failed" ? inside.message : "a bare repository, or the folder .git";
    throw new NoWorkTreeError(place.workingDirectory, detail);
  }
  const head = await commitOf("HEAD", place);
  if (base !== "") {
    const wanted = await commitOf(base, place);
    if (wanted === undefined) throw new UnknownBaseError(base, nearestName(base, await branchNames(place)));
    return { name: base, commit: await mergeBase(wanted, head, place), folder };
  }
  if (head === undefined) return { name: "", commit: await emptyTree(place), folder };
  for (const name of MAIN_BRANCHES) {
    const commit = await commitOf(name, place);
    if (commit === undefined) continue;
    const common = await mergeBase(commit, head, place);
    return { name: common === head ? "" : shortName(name), commit: common, folder };
  }
  return { name: "", commit: head, folder };
}

function shortName(name: string): string {
  return name.replace(/^refs\/(?:heads|remotes)\//, "");
}

async function commitOf(name: string, place: GitPlace): Promise<string | undefined> {
  // What starts with a dash is an option.
  const outcome = await runGit(["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`], place);
  return outcome.type === "done" ? outcome.stdout.trim() : undefined;
}

async function branchNames(place: GitPlace): Promise<readonly string[]> {
  const outcome = await runGit(["for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/remotes"], place);
  return outcome.type === "done" ? outcome.stdout.split("\n").filter((name) => name !== "") : [];
}

/** The commit itself where the histories have none in common, as in a shallow clone. */
async function mergeBase(commit: string, head: string | undefined, place: GitPlace): Promise<string> {
  if (head === undefined) return commit;
  const outcome = await runGit(["merge-base", commit, head], place);
  return outcome.type === "done" ? outcome.stdout.trim() : commit;
}

async function emptyTree(place: GitPlace): Promise<string> {
  return (await readGit(["hash-object", "-t", "tree", "/dev/null"], place)).trim();
}

/** The output of a git command that has to succeed. @throws ChangesUnreadableError, ReviewGitMissingError */
export async function readGit(args: readonly string[], place: GitPlace): Promise<string> {
  const outcome = await runGit(args, place);
  if (outcome.type === "done") return outcome.stdout;
  throw new ChangesUnreadableError(outcome.type === "failed" ? outcome.message : "its output is too long");
}

/** Reads the commits themselves, not what stands in for them: `git replace` can make a change look empty. @throws ReviewGitMissingError */
export async function runGit(
  args: readonly string[],
  { git, ...options }: GitPlace & { readonly maxBytes?: number },
): Promise<Exclude<GitOutcome, { readonly type: "missing" }>> {
  const outcome = await git(["--no-replace-objects", ...args], options);
  if (outcome.type === "missing") throw new ReviewGitMissingError();
  return outcome;
}
