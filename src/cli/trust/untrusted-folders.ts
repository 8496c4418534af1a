import { dirname, relative, sep } from "node:path";
import { runGit } from "../../clients/setup-kit.ts";
import { type FindNestedSettingsOptions, findNestedSettings, realPathOf } from "../../discovery/trust-kit.ts";
import type { CliEnvironment } from "../environment.ts";
import type { ProjectPlace } from "../project-place.ts";
import { withoutProjectPrograms } from "./untrusted-environment.ts";

/** Settings of {@link findUntrustedFolders}. */
export interface FindUntrustedFoldersOptions extends FindNestedSettingsOptions {
  readonly environment: CliEnvironment;
  readonly workspace: Pick<ProjectPlace, "trust">;
}

/**
 * The folders that a person must trust before agents may load the project's settings: its root, and each folder down to the
 * working directory that has its own settings and is not committed to the project's git repository. Trust in a folder does
 * not cover what is unpacked in it later.
 */
export async function findUntrustedFolders(options: FindUntrustedFoldersOptions): Promise<readonly string[]> {
  const { workspace, projectDirectory } = options;
  const isRootTrusted = await workspace.trust.isTrusted(projectDirectory);
  const untrusted = isRootTrusted ? [] : [projectDirectory];
  for (const folder of await findNestedSettings(options)) {
    if (await workspace.trust.isTrusted(folder)) continue;
    if (!(await isCommitted(folder, options))) untrusted.push(folder);
  }
  return untrusted;
}

/** Whether the folder is in the last commit of the repository whose root is the project's. */
async function isCommitted(folder: string, options: FindUntrustedFoldersOptions): Promise<boolean> {
  const root = realPathOf(options.projectDirectory);
  const { PATH = "" } = withoutProjectPrograms(options.environment, options).env;
  try {
    const path = relative(root, folder).split(sep).join("/");
    const stdout = await runGit(["ls-tree", "-z", "HEAD", "--", path], {
      cwd: root,
      // No other variables: GIT_DIR would point elsewhere, and a repository above is another one.
      env: { PATH, HOME: options.environment.userHomeDirectory, GIT_CEILING_DIRECTORIES: dirname(root) },
    });
    return stdout?.startsWith("040000 tree ") === true;
  } catch {
    return false; // It is not a repository, has no commit, or git does not trust it.
  }
}
