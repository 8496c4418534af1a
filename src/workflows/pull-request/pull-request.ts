import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { quoteForShell } from "../../contracts/index.ts";
import { type CommandResult, type ExecutionContext, runCommand } from "../../graph/index.ts";

type CommandContext = Pick<ExecutionContext, "services" | "signal">;

/** The longest text of a pull request that GitHub takes is 65,536 characters. */
const MAX_BODY_LENGTH = 60_000;

/** Whether and where a pull request can be opened. */
export type PullRequestPlace =
  | { readonly type: "possible"; readonly branch: string; readonly isDefault: boolean }
  | { readonly type: "impossible"; readonly reason: string };

async function run(command: string, { services, signal }: CommandContext): Promise<CommandResult> {
  const { workingDirectory, shell = runCommand } = services;
  return await shell(command, { signal, ...(workingDirectory === undefined ? {} : { workingDirectory }) });
}

async function outputOf(command: string, context: CommandContext): Promise<string | undefined> {
  const { exitCode, stdout } = await run(command, context);
  return exitCode === 0 ? stdout.trim() : undefined;
}

/** Finds out whether a pull request of the current branch can be opened. */
export async function findPullRequestPlace(context: CommandContext): Promise<PullRequestPlace> {
  const impossible = (reason: string): PullRequestPlace => ({ type: "impossible", reason });
  // Git and gh run programs that the settings of a repository name.
  if ((await context.services.isProjectTrusted?.()) === false)
    return impossible("the project is not trusted. Trust it: atomic trust add");
  // Git's short names depend on tags.
  const branch = (await outputOf("git symbolic-ref --quiet HEAD", context))?.replace(/^refs\/heads\//, "");
  if (branch === undefined) return impossible("no branch of a git repository is checked out");
  if ((await outputOf("git remote get-url origin", context)) === undefined)
    return impossible('there is no remote "origin"');
  if ((await outputOf("command -v gh", context)) === undefined) return impossible("gh is not installed");
  if ((await outputOf("gh auth status", context)) === undefined)
    return impossible("gh has no account. Sign in: gh auth login");
  const head = await outputOf("git symbolic-ref --quiet refs/remotes/origin/HEAD", context);
  const isDefault = head === undefined ? ["main", "master"].includes(branch) : head === `refs/remotes/origin/${branch}`;
  return { type: "possible", branch, isDefault };
}

/** Creates a branch for the work and checks it out, or checks it out if it is there. Runs no hook. */
export async function switchToBranch(name: string, context: CommandContext): Promise<void> {
  const git = "git -c core.hooksPath=/dev/null switch --quiet";
  const { exitCode, stderr } = await run(
    `${git} ${quoteForShell(name)} 2>/dev/null || ${git} --create ${quoteForShell(name)}`,
    context,
  );
  if (exitCode !== 0) throw new Error(`The branch ${name} cannot be created: ${stderr.trim()}`);
}

/** Pushes the branch and opens a pull request, or finds the one that is open. Returns its address. */
export async function openPullRequest(
  { branch, title, body }: { readonly branch: string; readonly title: string; readonly body: string },
  context: CommandContext,
): Promise<string> {
  const pushed = await run(`git push --quiet --set-upstream origin ${quoteForShell(`refs/heads/${branch}`)}`, context);
  if (pushed.exitCode !== 0) throw new Error(`git push failed: ${pushed.stderr.trim()}`);
  // An earlier attempt may have opened it.
  const open = await outputOf(
    `gh pr view ${quoteForShell(branch)} --json url,state --jq 'select(.state == "OPEN") | .url'`,
    context,
  );
  if (open !== undefined && open !== "") return open;
  const folder = await mkdtemp(join(tmpdir(), "atomic-pr-"));
  try {
    const file = join(folder, "body.md");
    await writeFile(file, body.slice(0, MAX_BODY_LENGTH));
    const call = `gh pr create --head ${quoteForShell(branch)} --title ${quoteForShell(title)} --body-file ${quoteForShell(file)}`;
    const { exitCode, stdout, stderr } = await run(call, context);
    if (exitCode !== 0) throw new Error(`gh pr create failed: ${stderr.trim()}`);
    return stdout.trim().split("\n").at(-1) ?? "";
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
