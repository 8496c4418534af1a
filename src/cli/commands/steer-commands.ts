import { type NodeCommand, RunNotExecutedError } from "../../graph/index.ts";
import { safeLine } from "../../view/index.ts";
import { pauseStateOf } from "../../workflows/run-kit.ts";
import { NumberTooLargeError, parseJson } from "../config/parse-assignment.ts";
import type { RunFlags } from "../config/run-flags.ts";
import { UsageError } from "../config/usage-error.ts";
import type { CliEnvironment } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";
import { untilInterrupted } from "../interruption.ts";
import { formatJson } from "../output/format-json.ts";
import { reachRun } from "../reach-run.ts";
import { Workspace } from "../workspace.ts";
import { continueRun } from "./resume-command.ts";
import { withKnownNodes } from "./with-known-nodes.ts";
import { withRunId } from "./with-run-id.ts";

/** The node of a run that a command targets. */
export interface NodeTarget {
  readonly run: string;
  readonly node: string;
}

/** `atomic runs skip RUN NODE`: skips a node, and the run continues. */
export async function skipNodeCommand(
  environment: CliEnvironment,
  { run, node }: NodeTarget,
  flags: RunFlags & { readonly update?: string },
): Promise<ExitCode> {
  const update = flags.update === undefined ? {} : { update: parseUpdate(flags.update) };
  return await steer(environment, run, { command: { type: "skip-node", node, ...update }, flags });
}

/** `atomic runs retry RUN NODE`: restarts a node. */
export async function retryNodeCommand(
  environment: CliEnvironment,
  { run, node }: NodeTarget,
  flags: RunFlags,
): Promise<ExitCode> {
  return await steer(environment, run, { command: { type: "retry-node", node }, flags });
}

/** `atomic runs cancel RUN NODE`: fails a node of a live run. */
export async function cancelNodeCommand(
  environment: CliEnvironment,
  { run, node }: NodeTarget,
  flags: { readonly json?: boolean },
): Promise<ExitCode> {
  const workspace = new Workspace(environment);
  const id = await workspace.store.resolveId(run);
  const cancel = async (signal: AbortSignal): Promise<ExitCode> => {
    await workspace.runs.control(id, { signal }).cancelNode(node);
    return report(environment, id, { word: "cancelled", node, flags });
  };
  return await withRunId(id, () =>
    withKnownNodes(environment, workspace, {
      named: { runId: id, node },
      send: () => untilInterrupted(environment, cancel),
    }),
  );
}

/** `atomic runs pause RUN`: pauses a live run, which starts no further steps. */
export async function pauseCommand(
  environment: CliEnvironment,
  run: string,
  flags: { readonly json?: boolean },
): Promise<ExitCode> {
  const workspace = new Workspace(environment);
  const id = await workspace.store.resolveId(run);
  const pauseRun = async (signal: AbortSignal): Promise<ExitCode> => {
    const isNew = await pause(workspace, id, signal);
    const done = isNew ? "pausing" : "paused";
    const text = isNew
      ? `pausing  run ${id}. Steps in progress finish first. Withdraw the pause, or resume the run: atomic runs resume ${id}`
      : `paused  run ${id} already. Resume it: atomic runs resume ${id}`;
    environment.stdout.write(`${flags.json ? formatJson({ type: "steered", runId: id, done }) : text}\n`);
    return ExitCode.done;
  };
  return await withRunId(id, () => untilInterrupted(environment, pauseRun));
}

/** Pauses a run; false if that has been done, and no process executes it any more. */
async function pause({ runs, store }: Workspace, id: string, signal: AbortSignal): Promise<boolean> {
  try {
    await runs.control(id, { signal }).pause();
    return true;
  } catch (error) {
    if (!(error instanceof RunNotExecutedError)) throw error;
    const session = await store.load(id);
    const status = await runs.status(session);
    if (pauseStateOf(session, status) === "paused") return false;
    if (status !== "suspended") throw error;
    const { summary } = await runs.report(id);
    const isWaiting = summary === undefined || summary.requests.length > 0 || summary.dueAt !== undefined;
    throw new UsageError(
      isWaiting
        ? `The run "${id}" waits already, for an answer or a time: there is nothing to pause. Look at it with: atomic runs show ${id}`
        : `No process executes the run "${id}": there is nothing to pause. Start it: atomic runs resume ${id}`,
    );
  }
}

/** Answers a question of a live run, whose other branches continue. */
export async function answerLiveRun(
  environment: CliEnvironment,
  id: string,
  {
    request,
    value,
    flags,
  }: { readonly request: string; readonly value: unknown; readonly flags: { readonly json?: boolean } },
): Promise<ExitCode> {
  return await untilInterrupted(environment, async (signal) => {
    await new Workspace(environment).runs.control(id, { signal }).answer(request, value);
    return report(environment, id, { word: "answered", node: request, flags });
  });
}

/** Sends a command to the process that executes the run. Without one, this process resumes the run with the command. */
async function steer(
  environment: CliEnvironment,
  run: string,
  { command, flags }: { readonly command: NodeCommand; readonly flags: RunFlags },
): Promise<ExitCode> {
  const workspace = new Workspace(environment);
  const id = await workspace.store.resolveId(run);
  const { node } = command;
  const reach = () =>
    reachRun(workspace.runs, id, {
      toLiveRun: () =>
        untilInterrupted(environment, async (signal) => {
          const control = workspace.runs.control(id, { signal });
          if (command.type === "skip-node") {
            await control.skipNode(node, command.update);
            return report(environment, id, { word: "skipped", node, flags });
          }
          await control.retryNode(node);
          return report(environment, id, { word: "begun again", node, flags });
        }),
      async resume(attempt) {
        const session = await workspace.store.load(id);
        return await continueRun({
          ...{ environment, workspace, session, flags },
          commands: [command],
          isRepeated: attempt > 1,
        });
      },
    });
  return await withRunId(id, () => withKnownNodes(environment, workspace, { named: { runId: id, node }, send: reach }));
}

function report(
  { stdout }: CliEnvironment,
  runId: string,
  { word, node, flags }: { readonly word: string; readonly node: string; readonly flags: { readonly json?: boolean } },
): ExitCode {
  const done = { type: "steered", runId, node, done: word };
  stdout.write(flags.json ? `${formatJson(done)}\n` : `${word}  ${safeLine(node, 200)}  run ${runId}\n`);
  return ExitCode.done;
}

/** @throws UsageError */
function parseUpdate(text: string): Readonly<Record<string, unknown>> {
  let update: unknown;
  try {
    update = parseJson(text);
  } catch (error) {
    if (error instanceof NumberTooLargeError) throw new UsageError(`--update is invalid: ${error.message}.`);
    throw new UsageError(`--update takes a JSON object, but this is not JSON: ${String(error)}`);
  }
  if (typeof update !== "object" || update === null || Array.isArray(update)) {
    throw new UsageError(`--update takes a JSON object of fields, for example '{"isDone":true}'.`);
  }
  // The cast is true: an object that is not a list has names and values.
  return update as Readonly<Record<string, unknown>>;
}
