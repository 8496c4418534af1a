import { accessSync, constants, existsSync, mkdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { messageOf, type PermissionPolicy, type RunEvent } from "../../contracts/index.ts";
import type { ClientProvider } from "../../graph/index.ts";
import type { Place, RecordedTurn, RecordingFile, ReplayedAgent } from "../../testkit/index.ts";
import type { WorkflowSession } from "../../workflows/index.ts";
import type { RunFlags } from "../config/run-flags.ts";
import { UsageError } from "../config/usage-error.ts";
import type { CliEnvironment } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";
import type { Workspace } from "../workspace.ts";

/** What a recording or a replay needs of the run. */
export interface RecordingPlan {
  readonly environment: Pick<CliEnvironment, "workingDirectory">;
  readonly workspace: Pick<Workspace, "atomicHome" | "redactor">;
  readonly flags: Pick<RunFlags, "record" | "replay">;
  readonly workingDirectory: string;
  /** What no replay changes, whatever a recording contains. */
  readonly permissions: PermissionPolicy;
  readonly projectDirectory: string;
  /** Of a run that is there already. */
  readonly session?: Pick<WorkflowSession, "sessionId">;
}

/** The part of a run that `--record` and `--replay` add. */
export interface RunRecording {
  /** The agents of the run: recorded, or those of a recording. */
  wrap(clients: ClientProvider): ClientProvider;
  onEvent(event: RunEvent): void;
  /** Called when the run has ended in this process. Warns of recorded turns that it did not need. */
  finish(isCompleted: boolean): void;
  /**
   * Returns the exit code of the call. A node may have handled the failure of a replay, so that the run completed in another
   * way than the recorded one.
   *
   * @throws why a replay is not the recorded run
   */
  check(exitCode: ExitCode): ExitCode;
}

const NOTHING: RunRecording = {
  wrap: (clients) => clients,
  onEvent: () => undefined,
  finish: () => undefined,
  check: (exitCode) => exitCode,
};

/** How many turns a warning names. */
const MAX_NAMED = 8;

/**
 * Opens what the flags of a call name.
 * @param warn prints a warning
 * @throws UsageError, RecordingInvalidError
 */
export async function openRunRecording(plan: RecordingPlan, warn: (message: string) => void): Promise<RunRecording> {
  const { record, replay } = plan.flags;
  if (record !== undefined && replay !== undefined) {
    throw new UsageError("--record and --replay exclude each other: a replay asks no agent. Leave one out.");
  }
  if (replay !== undefined) return await openReplay(plan, replay, warn);
  return record === undefined ? NOTHING : await openRecord(plan, record, warn);
}

async function openReplay(plan: RecordingPlan, name: string, warn: (message: string) => void): Promise<RunRecording> {
  const { loadRecording, replayAgent } = await import("../../testkit/index.ts");
  const recording = await loadRecording(resolve(plan.environment.workingDirectory, name));
  const { workingDirectory, permissions } = plan;
  const replay = replayAgent(recording, { workingDirectory, permissions, places: placesOf(plan) });
  return {
    wrap: () => replay.clients,
    onEvent: () => undefined,
    finish(isCompleted) {
      // An earlier process may have had the turns before a resume.
      const isWhole = isCompleted && plan.session === undefined;
      if (isWhole && replay.mismatch === undefined) warnOfUnused(replay, warn);
    },
    check(exitCode) {
      if (replay.mismatch !== undefined && exitCode === ExitCode.done) throw replay.mismatch;
      return exitCode;
    },
  };
}

function warnOfUnused({ unusedTurns }: ReplayedAgent, warn: (message: string) => void): void {
  if (unusedTurns.length === 0) return;
  const names = [...new Set(unusedTurns.map(({ taskId }) => taskId))];
  const shown = names.slice(0, MAX_NAMED).join(", ") + (names.length > MAX_NAMED ? ", …" : "");
  const count = unusedTurns.length === 1 ? "1 turn" : `${unusedTurns.length} turns`;
  warn(`The run did not need ${count} of the recording: ${shown}`);
}

async function openRecord(plan: RecordingPlan, name: string, warn: (message: string) => void): Promise<RunRecording> {
  const { Recorder, openRecordingFile } = await import("../../testkit/index.ts");
  const target = resolve(plan.environment.workingDirectory, name);
  const isFolder = name.endsWith("/") || isFolderThere(target);
  createFolder(isFolder ? target : dirname(target), name);
  const pathOf = (runId: string): string => (isFolder ? join(target, `${runId}.jsonl`) : target);
  const { session } = plan;
  const earlier =
    isFolder && session === undefined ? undefined : await readEarlier(pathOf(session?.sessionId ?? ""), plan);
  const file = new LateFile();
  const excluded: string[] = [];
  const recorder = new Recorder({
    write: (entry) => file.write(entry),
    workingDirectory: plan.workingDirectory,
    places: placesOf(plan),
    redactor: plan.workspace.redactor,
    excluded,
    ...(earlier === undefined ? {} : { earlier }),
  });
  return {
    wrap: (clients) => recorder.record(clients),
    onEvent(event) {
      if (event.type === "run-start" && !file.isOpen) {
        excluded.push(pathOf(event.runId));
        file.open(openRecordingFile(pathOf(event.runId), { onProblem: warn }));
      }
      recorder.onEvent(event);
    },
    finish: () => undefined,
    check: (exitCode) => exitCode,
  };
}

/** A recording whose path is known when the run has an id. */
class LateFile {
  #file: RecordingFile | undefined;

  get isOpen(): boolean {
    return this.#file !== undefined;
  }

  open(file: RecordingFile): void {
    this.#file = file;
  }

  write(entry: Parameters<RecordingFile["write"]>[0]): void {
    this.#file?.write(entry);
  }
}

function isFolderThere(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    // What is wrong with the place is reported when its folder is created.
    return false;
  }
}

function createFolder(folder: string, name: string): void {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
    if (statSync(folder).isDirectory()) return;
  } catch (error) {
    throw new UsageError(`The recording "${name}" cannot be written: ${messageOf(error)}. Name another place.`);
  }
  throw new UsageError(`The recording "${name}" cannot be written: "${folder}" is no folder. Name another place.`);
}

/** The turns that an earlier process recorded of the same run. @throws UsageError for the file of another run */
async function readEarlier(
  path: string,
  { flags, session }: RecordingPlan,
): Promise<readonly RecordedTurn[] | undefined> {
  if (!existsSync(path)) return undefined;
  const problem = `The file "${flags.record}" exists. Name another one for --record, or a folder, or delete it.`;
  if (session === undefined) throw new UsageError(problem);
  const { loadRecording } = await import("../../testkit/index.ts");
  const { start, turns } = await loadRecording(path);
  if (start.runId !== session.sessionId) throw new UsageError(problem);
  return turns;
}

/** What differs from run to run, besides the run's id and the folder of each agent. */
function placesOf({ workspace, projectDirectory }: RecordingPlan): readonly Place[] {
  return [
    { name: "<project>", text: projectDirectory },
    { name: "<atomic>", text: workspace.atomicHome },
  ];
}
