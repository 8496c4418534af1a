import { existsSync } from "node:fs";
import { join } from "node:path";
import type { GitReader } from "../../graph/index.ts";
import type { SessionBase } from "../../workflows/index.ts";
import { createGitReader } from "../agents/create-git-reader.ts";
import type { CliEnvironment } from "../environment.ts";
import { findWorkingTree } from "./find-working-tree.ts";

/** A run does not wait longer for git: its report has no diff then. */
const TIMEOUT_MS = 5_000;

interface ReadStartOptions {
  readonly environment: Pick<CliEnvironment, "env">;
  readonly projectDirectory: string;
  readonly workingDirectory: string;
  /** @default one of its own */
  readonly git: GitReader | undefined;
}

/**
 * The commit and the branch that a run starts from, for its report. Never rejects: `undefined` where that is not known, as
 * outside of repositories.
 */
export async function readStart({ git, ...place }: ReadStartOptions): Promise<SessionBase | undefined> {
  const { projectDirectory, workingDirectory } = place;
  if (!existsSync(join(findWorkingTree(workingDirectory, projectDirectory), ".git"))) return undefined;
  const { readBase } = await import("../../workflows/program-kit.ts");
  const reader = git ?? createGitReader(place);
  return await readBase({ git: reader, workingDirectory, signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(
    () => undefined,
  );
}
