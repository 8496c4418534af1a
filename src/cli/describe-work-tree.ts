import { runGit } from "../clients/index.ts";
import { agentEnvironment } from "./agent-environment.ts";
import type { CliEnvironment } from "./environment.ts";
import { overruleRepositoryPrograms } from "./trust/repository-programs.ts";
import { untrustedEnvironment } from "./trust/untrusted-environment.ts";

/** Where agents are about to work. */
export interface DescribeWorkTreeOptions {
  readonly environment: CliEnvironment;
  readonly workingDirectory: string;
  readonly projectDirectory: string;
}

/**
 * What a person wants to know before agents change and commit files here: that there is no git, or that changes of their
 * own would be among the agents'. Empty where all is well, or nobody can tell. git runs no program of the repository's.
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
      // Its complaint is read below, so it has to be in English.
      env: { ...untrustedEnvironment(own, { ...place, gitSettings }), LC_ALL: "C" },
    });
    if (stdout === undefined) return [];
    const count = stdout.split("\n").filter((line) => line !== "").length;
    if (count === 0) return [];
    const changes = count === 1 ? "1 file has" : `${count} files have`;
    return [`${changes} changes that are not committed: agents may change them, and commit them with their own.`];
  } catch (error) {
    const isNoRepository = error instanceof Error && error.message.includes("not a git repository");
    return isNoRepository
      ? ["this folder is no git repository: what agents change here cannot be taken back with git."]
      : [];
  }
}
