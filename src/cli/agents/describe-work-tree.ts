import { isGitRefusal, runGit } from "../../clients/index.ts";
import type { CliEnvironment } from "../environment.ts";
import { gitEnvironment } from "../git-environment.ts";
import { GitSettingsUnknownError } from "../trust/repository-programs.ts";

/** Where agents will work. */
export interface DescribeWorkTreeOptions {
  readonly environment: CliEnvironment;
  readonly workingDirectory: string;
  readonly projectDirectory: string;
}

/**
 * Warnings before agents change and commit files here: there is no git repository, or it has uncommitted changes. Empty if
 * there is none, or if git fails. git runs no program of the repository.
 */
export async function describeWorkTree({
  environment,
  workingDirectory,
  projectDirectory,
}: DescribeWorkTreeOptions): Promise<readonly string[]> {
  const place = { workingDirectory, projectDirectory, isProjectTrusted: false };
  try {
    const env = await gitEnvironment({ ...place, env: environment.env });
    const stdout = await runGit(["status", "--porcelain", "--ignore-submodules=all"], { cwd: workingDirectory, env });
    if (stdout === undefined || stdout === "") return [];
    return [
      "this repository has changes that are not committed. Agents in worktrees lack them; agents in this folder may change them, and commit them with their own.",
    ];
  } catch (error) {
    return isGitRefusal(error instanceof GitSettingsUnknownError ? error.cause : error)
      ? [
          "this folder is no git repository, or none that git accepts: what agents change here cannot be taken back with git.",
        ]
      : [];
  }
}
