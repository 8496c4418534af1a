import { AtomicError } from "../../contracts/index.ts";
import { safeLine } from "../../view/index.ts";
import {
  type CollectedWorktrees,
  collectWorktrees,
  type RunReportStatus,
  type WorktreeEntry,
} from "../../workflows/index.ts";
import { isWorkflowSessionId, PROTECTED_FINDINGS } from "../../workflows/program-kit.ts";
import type { CliEnvironment } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";
import { gitEnvironment } from "../git-environment.ts";
import { formatJson } from "../output/format-json.ts";
import { quoteWord } from "../output/quote-word.ts";
import { Workspace } from "../workspace.ts";

/** Options of `atomic runs gc`. */
export interface CollectRunsFlags {
  /** Names of worktrees. */
  readonly force?: readonly string[];
  readonly json?: boolean;
}

/** `atomic runs gc`: removes the worktrees of this project that no run needs and in which nothing would be lost. */
export async function collectRunsCommand(environment: CliEnvironment, flags: CollectRunsFlags): Promise<ExitCode> {
  const workspace = new Workspace(environment);
  const { projectDirectory, workingDirectory, atomicHome: home, trust } = workspace;
  const isProjectTrusted = await trust.isTrusted(projectDirectory);
  const env = await gitEnvironment({ env: environment.env, workingDirectory, projectDirectory, isProjectTrusted });
  const collected = await collectWorktrees({
    ...{ home, env },
    project: projectDirectory,
    isRunAlive: async (runId) => ["running", "suspended"].includes(await statusOf(workspace, runId)),
    isRunResumable: async (runId) => ["interrupted", "failed"].includes(await statusOf(workspace, runId)),
    ...(flags.force === undefined ? {} : { force: flags.force }),
  });
  environment.stdout.write(flags.json ? `${formatJson(collected)}\n` : describe(collected));
  const isKept = collected.kept.some(({ name }) => flags.force?.includes(name));
  return isKept ? ExitCode.failed : ExitCode.done;
}

/** Where a run stands that worktrees belong to. */
async function statusOf({ store, runs }: Workspace, runId: string): Promise<RunReportStatus | "unknown"> {
  const session = await store.load(runId).catch((error: unknown) => {
    // It was deleted, or its file is broken; a process may still work on it.
    if (error instanceof AtomicError) return;
    throw error;
  });
  if (session !== undefined) return await runs.status(session);
  return isWorkflowSessionId(runId) && (await runs.isLive(runId)) ? "running" : "unknown";
}

function describe({ removed, kept }: CollectedWorktrees): string {
  if (removed.length + kept.length === 0) return "There are no worktrees of this project.\n";
  const lines = removed.map(({ name }) => `removed  ${safeLine(name, 200)}`);
  for (const entry of kept) lines.push(...describeKept(entry));
  const removable = kept.find(({ findings }) => !findings.some(({ kind }) => PROTECTED_FINDINGS.has(kind)));
  if (removable !== undefined) {
    const name = quoteWord(safeLine(removable.name, 200));
    const what = "To remove one with everything in it (a branch that is not merged stays)";
    lines.push("", `${what}: atomic runs gc --force ${name}`);
  }
  return `${lines.join("\n")}\n`;
}

function describeKept({ name, path, findings }: WorktreeEntry): readonly string[] {
  const reasons = findings.map(({ detail }) => `         ${safeLine(detail, 400)}`);
  return [`kept     ${safeLine(name, 200)}  ${safeLine(path, Number.POSITIVE_INFINITY)}`, ...reasons];
}
