import { isGitRefusal, runGit } from "../../clients/index.ts";
import type { CliEnvironment } from "../environment.ts";
import { GitSettingsUnknownError, overruleRepositoryPrograms } from "../trust/repository-programs.ts";
import { untrustedEnvironment } from "../trust/untrusted-environment.ts";
import { agentEnvironment } from "./agent-environment.ts";

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
  const place = { workingDirectory, projectDirectory };
  const own = untrustedEnvironment(agentEnvironment({ kind: "git", env: environment.env }), place);
  try {
    const gitSettings = await overruleRepositoryPrograms({ workingDirectory, env: own });
    const stdout = await runGit(["status", "--porcelain", "--ignore-submodules=all"], {
      cwd: workingDirectory,
      env: untrustedEnvironment(own, { ...place, gitSettings }),
    });
    if (stdout === undefined || stdout === "") return [];
    return [
      "this repository has changes that are not committed: agents may change them, and commit them with their own.",
    ];
  } catch (error) {
    return isGitRefusal(error instanceof GitSettingsUnknownError ? error.cause : error)
      ? [
          "this folder is no git repository, or none that git accepts: what agents change here cannot be taken back with git.",
        ]
      : [];
  }
}
