import { stat } from "node:fs/promises";
import { dirname, relative, resolve, sep } from "node:path";
import { messageOf } from "../../contracts/index.ts";
import { replaceFile } from "../../system/index.ts";
import { safeJson, safeText } from "../../view/index.ts";
import { DEFAULT_REVIEWERS, formatReview, type ReviewFormat, type ReviewReport } from "../../workflows/index.ts";
import { REVIEW_FORMATS, resolveReviewBase, resolveReviewers, THRESHOLDS } from "../../workflows/program-kit.ts";
import { createGitReader } from "../agents/create-git-reader.ts";
import { parseChoice } from "../config/input-kind.ts";
import { listOf } from "../config/list-of.ts";
import type { RunFlags } from "../config/run-flags.ts";
import { UsageError } from "../config/usage-error.ts";
import type { CliEnvironment } from "../environment.ts";
import type { ExitCode } from "../exit-code.ts";
import type { PresentOutput } from "../run-plan.ts";
import { OutputError } from "../unusable-place.ts";
import { Workspace } from "../workspace.ts";
import { continueRun } from "./resume-command.ts";
import { runWorkflowCommand } from "./run-command.ts";

const OVERRIDDEN = 'This is the built-in review. There is another workflow named "review" here: atomic run review';

/** Options of `atomic review`. */
interface ReviewFlags extends RunFlags {
  readonly reviewers?: string;
  readonly agents?: string;
  readonly severity?: string;
  readonly format?: string;
  readonly output?: string;
  readonly fix?: boolean;
  readonly resume?: string;
}

/** `atomic review [BASE]`: the built-in review, also where `atomic run review` is a workflow of the project. */
export async function reviewCommand(
  environment: CliEnvironment,
  base: string | undefined,
  flags: ReviewFlags,
): Promise<ExitCode> {
  const presentOutput = await createPresenter(environment, flags);
  if (flags.resume !== undefined) return await resumeReview(environment, { base, flags, presentOutput });
  const severity = choiceOf(flags.severity ?? "high", THRESHOLDS, "--severity");
  const agents = listOf(flags.agents, "--agents");
  const reviewers = flags.reviewers === undefined ? DEFAULT_REVIEWERS : listOf(flags.reviewers, "--reviewers");
  const [problem] = resolveReviewers(reviewers, agents).problems;
  if (problem !== undefined) throw new UsageError(problem);
  if (base?.trim() === "") throw new UsageError("The base is empty. Name a branch, or leave it out.");
  const workspace = new Workspace(environment);
  const { workingDirectory, projectDirectory } = workspace;
  // Found out before a run begins, with the git of the run: it determines the repository's programs once.
  const git = createGitReader({ environment, projectDirectory });
  await resolveReviewBase(base ?? "", { git, workingDirectory, signal: new AbortController().signal });
  const { isOverridden } = await workspace.findBuiltIn("review", projectDirectory);
  if (isOverridden && !flags.json) environment.stderr.write(`note: ${OVERRIDDEN}\n`);
  const input = [
    `severity=${severity}`,
    ...(base === undefined ? [] : [`base=${base}`]),
    ...(flags.fix ? ["fix=yes"] : []),
  ];
  const config = [
    `reviewers=${JSON.stringify(reviewers)}`,
    `agents=${JSON.stringify(agents)}`,
    // An earlier call may have written it.
    ...(flags.output === undefined
      ? []
      : [`except=${JSON.stringify([pathIn(environment, workingDirectory, flags.output)])}`]),
  ];
  const agent = flags.agent ?? agents[0];
  return await runWorkflowCommand(environment, {
    name: "review",
    prompt: undefined,
    flags: { ...flags, input, config, ...(agent === undefined ? {} : { agent }) },
    isBuiltIn: true,
    presentOutput,
    git,
  });
}

/** A file as git names it in a folder. */
function pathIn(environment: CliEnvironment, folder: string, name: string): string {
  return relative(folder, resolve(environment.workingDirectory, name)).split(sep).join("/");
}

async function resumeReview(
  environment: CliEnvironment,
  {
    base,
    flags,
    presentOutput,
  }: { readonly base: string | undefined; readonly flags: ReviewFlags; readonly presentOutput: PresentOutput },
): Promise<ExitCode> {
  const { reviewers, agents, severity, fix } = flags;
  if ([base, reviewers, agents, severity, fix].some((value) => value !== undefined)) {
    throw new UsageError(
      "--resume continues a review as it was started. Leave out the base, --reviewers, --agents, --severity and --fix.",
    );
  }
  const workspace = new Workspace(environment);
  const session = await workspace.store.load(await workspace.store.resolveId(flags.resume ?? ""));
  if (session.workflowName !== "review" || session.settings?.isBuiltIn !== true) {
    throw new UsageError(
      `The run ${session.sessionId} is none of atomic review. Resume it: atomic runs resume ${session.sessionId}`,
    );
  }
  return await continueRun({ environment, workspace, session, flags, presentOutput });
}

/** Prints the report, or writes it to a file. @throws UsageError for options that cannot be right */
async function createPresenter(environment: CliEnvironment, flags: ReviewFlags): Promise<PresentOutput> {
  const { output, json = false } = flags;
  const format = choiceOf(flags.format ?? "text", REVIEW_FORMATS, "--format");
  const path = output === undefined ? undefined : resolve(environment.workingDirectory, output);
  if (json && flags.format !== undefined && path === undefined) {
    throw new UsageError(
      "--json prints events, so --format applies only to a file. Add --output FILE, or leave out --json.",
    );
  }
  if (path !== undefined) await assertFolderOf(path, output ?? "");
  return async (value) => {
    // The cast is true: the built-in review has this output.
    const report = value as ReviewReport;
    const text = `${toSafe(formatReview(report, format), format)}\n`;
    if (path !== undefined) await writeReport(path, text);
    else if (!json) environment.stdout.write(text);
  };
}

function toSafe(text: string, format: ReviewFormat): string {
  return format === "json" || format === "sarif" ? safeJson(text) : safeText(text);
}

async function assertFolderOf(path: string, name: string): Promise<void> {
  const about = await stat(dirname(path)).catch(() => undefined);
  if (about?.isDirectory() !== true) throw new UsageError(`--output ${name}: there is no folder ${dirname(path)}.`);
  const target = await stat(path).catch(() => undefined);
  if (target?.isDirectory()) throw new UsageError(`--output ${name} is a folder. Name a file.`);
}

async function writeReport(path: string, text: string): Promise<void> {
  try {
    await replaceFile(path, text, { mode: 0o644 });
  } catch (error) {
    throw new OutputError(path, messageOf(error), { cause: error });
  }
}

function choiceOf<Name extends string>(text: string, names: readonly Name[], option: string): Name {
  const parsed = parseChoice(text.trim().toLowerCase(), option, names);
  if ("problem" in parsed) throw new UsageError(parsed.problem);
  return parsed.value;
}
