import { agentEnvironment } from "./agents/agent-environment.ts";
import { overruleRepositoryPrograms } from "./trust/repository-programs.ts";
import { untrustedEnvironment } from "./trust/untrusted-environment.ts";

/** Where git works, and for whom. */
export interface GitEnvironmentOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
  readonly projectDirectory: string;
  readonly isProjectTrusted: boolean;
}

/**
 * The environment for a git that Atomic itself starts: the user's. In a project that is not trusted, git runs no program that
 * the repository names.
 *
 * @throws GitSettingsUnknownError for a repository that is not trusted and whose settings cannot be listed
 */
export async function gitEnvironment({
  env,
  isProjectTrusted,
  ...place
}: GitEnvironmentOptions): Promise<Readonly<Record<string, string>>> {
  const own = agentEnvironment({ kind: "git", env });
  if (isProjectTrusted) return own;
  const safe = untrustedEnvironment(own, place);
  const gitSettings = await overruleRepositoryPrograms({ workingDirectory: place.workingDirectory, env: safe });
  return untrustedEnvironment(own, { ...place, gitSettings });
}
