import { type GitPlace, runGit } from "./review/git-repository.ts";
import type { FileChange } from "./review/parse-diff.ts";
import { readChanges } from "./review/read-changes.ts";
import { type LeftOut, reasonToLeaveOut } from "./review/split-changes.ts";
import type { SessionBase } from "./session-store/workflow-session.ts";

/** So many commits are listed. */
const MAX_COMMITS = 500;
/** How much of a diff is read, in characters. */
const MAX_DIFF_LENGTH = 16_777_216;

/** What differs between the start of a run and now. */
export interface RunChanges {
  readonly files: readonly FileChange[];
  /** Files whose content is not shown: binary and generated files, and those whose names suggest secrets. */
  readonly leftOut: readonly LeftOut[];
  /** Commits since the start, newest first. */
  readonly commits: readonly { readonly id: string; readonly subject: string }[];
}

/** The commit and the branch that a folder is at; `undefined` where there is no repository, no commit, or no git. */
export async function readBase({ git, ...place }: GitPlace): Promise<SessionBase | undefined> {
  const outcome = await git(["rev-parse", "HEAD", "--symbolic-full-name", "HEAD"], place);
  if (outcome.type !== "done") return undefined;
  const [commit = "", name = ""] = outcome.stdout.split("\n");
  const branch = /^refs\/heads\/(.+)$/.exec(name)?.[1];
  return { commit, ...(branch === undefined ? {} : { branch }) };
}

/**
 * What differs between the commit that a run started from and the working tree, in and below the working directory.
 *
 * @returns why it is not known, if it is not
 * @throws ReviewGitMissingError, ChangesUnreadableError
 */
export async function readRunChanges(
  { commit }: Pick<SessionBase, "commit">,
  place: GitPlace,
): Promise<RunChanges | string> {
  // What starts with a dash is an option.
  if (!/^[0-9a-f]{40,64}$/.test(commit)) return "the session names no commit";
  const found = await runGit(["cat-file", "-e", `${commit}^{commit}`], place);
  if (found.type !== "done") return `the commit ${commit.slice(0, 12)} that it started from is not in the repository`;
  const { files, leftOut } = await readChanges({ commit }, place, { maxDiffLength: MAX_DIFF_LENGTH, maxParts: 1 });
  const shown: FileChange[] = [];
  const hidden: LeftOut[] = [...leftOut];
  for (const file of files) {
    const reason = reasonToLeaveOut(file);
    if (reason === undefined) shown.push(file);
    else hidden.push({ path: file.path, reason });
  }
  return { files: shown, leftOut: hidden, commits: await readCommits(commit, place) };
}

async function readCommits(commit: string, place: GitPlace): Promise<RunChanges["commits"]> {
  const range = ["--no-show-signature", "--format=%H %s", `--max-count=${MAX_COMMITS}`, `${commit}..HEAD`, "--"];
  const outcome = await runGit(["log", ...range], place);
  if (outcome.type !== "done") return [];
  return outcome.stdout.split("\n").flatMap((line) => {
    const space = line.indexOf(" ");
    return space < 0 ? [] : [{ id: line.slice(0, space), subject: line.slice(space + 1) }];
  });
}
