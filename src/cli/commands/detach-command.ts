import { safeText } from "../../view/index.ts";
import type { CliEnvironment } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";
import { errorIn } from "../output/error-in.ts";
import { formatJson } from "../output/format-json.ts";
import { type DetachedRun, detachRun } from "./detach-run.ts";

/** Options of a command that can leave its run to a process of its own. */
export interface DetachFlags {
  readonly detach?: boolean;
  readonly json?: boolean;
}

/** The call that is detached. */
export interface DetachedCommand {
  /** The run that the call continues, as the user named it. Absent for a call that begins one. */
  readonly run?: string | undefined;
  /** The arguments of the process. @default those of this call, without `--detach` and `--json` */
  readonly args?: readonly string[];
  readonly isJson: boolean;
}

/**
 * Has a process of its own, without a terminal, do what this call would do, and returns when the run has begun there. What
 * prevents the run from beginning is printed here, with its exit code.
 */
export async function detachCommand(
  environment: CliEnvironment,
  { run, args = withoutDetach(environment.args), isJson }: DetachedCommand,
): Promise<ExitCode> {
  const detached = await detachRun(environment, { run, args });
  if (detached.type === "detached") return tellDetached(environment, detached, isJson);
  if (isJson) {
    const error = { type: "error", runId: detached.runId ?? null, ...errorIn(detached.output) };
    environment.stdout.write(`${formatJson(error)}\n`);
  } else environment.stderr.write(safeText(detached.output));
  return detached.exitCode;
}

/** The process prints what a person reads in its log, not JSON. What follows `--` belongs to the user. */
function withoutDetach(args: readonly string[]): readonly string[] {
  const end = args.indexOf("--");
  const options = end < 0 ? args : args.slice(0, end);
  const isOwn = (arg: string): boolean => arg === "--detach" || arg === "--json";
  return [...options.filter((arg) => !isOwn(arg)), ...(end < 0 ? [] : args.slice(end))];
}

function tellDetached(
  { stdout }: CliEnvironment,
  { runId, workflowName, pid, log }: DetachedRun,
  isJson: boolean,
): ExitCode {
  if (isJson) stdout.write(`${formatJson({ type: "detached", runId, pid, log })}\n`);
  else {
    const lines = [
      `detached  ${safeText(workflowName)}  run ${runId}`,
      `Watch it: atomic runs watch ${runId}`,
      `Cancel it: atomic runs cancel ${runId}`,
      `Output: ${safeText(log)}`,
    ];
    stdout.write(`${lines.join("\n")}\n`);
  }
  return ExitCode.done;
}
