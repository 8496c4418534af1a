import { accessSync, constants, existsSync, mkdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { messageOf, type PermissionPolicy, type RunEvent } from "../../contracts/index.ts";
import type { ClientProvider } from "../../graph/index.ts";
import type { Place, RecordedTurn, Recording, RecordingFile, ReplayedAgent } from "../../testkit/index.ts";
import type { SessionRecording, WorkflowSession } from "../../workflows/index.ts";
import type { RunFlags } from "../config/run-flags.ts";
import { UsageError } from "../config/usage-error.ts";
import type { CliEnvironment } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";
import type { Workspace } from "../workspace.ts";

/** What a recording or a replay needs of the run. */
export interface RecordingPlan {
  readonly environment: Pick<CliEnvironment, "workingDirectory">;
  readonly workspace: Pick<Workspace, "atomicHome" | "redactor">;
  readonly flags: Pick<RunFlags, "record" | "replay" | "agent">;
  readonly workingDirectory: string;
  /** What no replay changes, whatever a recording contains. */
  readonly permissions: PermissionPolicy;
  readonly projectDirectory: string;
  /** Of a run that is there already. */
  readonly session?: Pick<WorkflowSession, "sessionId" | "settings" | "hasBegun">;
}

/** The part of a run that `--record` and `--replay` add, for all its processes. */
export interface RunRecording {
  /** What the session keeps for later processes. */
  readonly kept: SessionRecording | undefined;
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
  kept: undefined,
  wrap: (clients) => clients,
  onEvent: () => undefined,
  finish: () => undefined,
  check: (exitCode) => exitCode,
};

/** How many turns a warning names. */
const MAX_NAMED = 8;

/**
 * Opens what the flags of a call name, or else what its run was started with.
 * @param warn prints a warning
 * @throws UsageError, RecordingInvalidError
 */
export async function openRunRecording(plan: RecordingPlan, warn: (message: string) => void): Promise<RunRecording> {
  const { record, replay, agent } = plan.flags;
  if (record !== undefined && replay !== undefined) {
    throw new UsageError("--record and --replay exclude each other: a replay asks no agent. Leave one out.");
  }
  if (replay !== undefined && agent !== undefined) {
    throw new UsageError("--replay and --agent exclude each other: a replay asks no agent. Leave one out.");
  }
  const pathOf = (name: string): string => resolve(plan.environment.workingDirectory, name);
  if (replay !== undefined) return await openReplay(plan, await loadReplay(pathOf(replay)), warn);
  if (record !== undefined) {
    const path = pathOf(record);
    const isFolder = record.endsWith("/") || isFolderThere(path);
    return await openRecord(plan, { name: record, path: isFolder ? join(path, "/") : path }, warn);
  }
  const earlier = plan.session?.settings?.recording;
  if (earlier?.type === "record") return await continueRecord(plan, earlier.path, warn);
  // An agent that the call names works in place of the recording.
  return earlier === undefined || agent !== undefined ? NOTHING : await continueReplay(plan, earlier.path, warn);
}

interface LoadedReplay {
  readonly path: string;
  readonly recording: Recording;
}

/** @throws RecordingInvalidError */
async function loadReplay(path: string): Promise<LoadedReplay> {
  const { loadRecording } = await import("../../testkit/index.ts");
  return { path, recording: await loadRecording(path) };
}

/** @throws UsageError: an agent must not work in place of the recording */
async function continueReplay(
  plan: RecordingPlan,
  path: string,
  warn: (message: string) => void,
): Promise<RunRecording> {
  const { RecordingInvalidError } = await import("../../testkit/index.ts");
  const loaded = await loadReplay(path).catch((error: unknown) => {
    if (!(error instanceof RecordingInvalidError)) throw error;
    const resume = `atomic runs resume ${plan.session?.sessionId ?? "RUN"}`;
    throw new UsageError(
      `The run is a replay of "${path}", which cannot be read: ${error.problem}. No agent was called. Restore the file, name another one (${resume} --replay FILE), or continue with an agent: ${resume} --agent NAME`,
    );
  });
  return await openReplay(plan, loaded, warn);
}

async function openReplay(
  plan: RecordingPlan,
  { path, recording }: LoadedReplay,
  warn: (message: string) => void,
): Promise<RunRecording> {
  const { replayAgent } = await import("../../testkit/index.ts");
  const { workingDirectory, permissions } = plan;
  const replay = replayAgent(recording, { workingDirectory, permissions, places: placesOf(plan) });
  return {
    kept: { type: "replay", path },
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

/** What a person called the recording, and its whole path; that of a folder ends with a slash. */
interface RecordTarget {
  readonly name: string;
  readonly path: string;
}

function fileOf({ path }: RecordTarget, runId: string): string {
  return path.endsWith("/") ? join(path, `${runId}.jsonl`) : path;
}

/** Continues the file of an earlier process. One that is not as it was left must not stop the run. */
async function continueRecord(
  plan: RecordingPlan,
  path: string,
  warn: (message: string) => void,
): Promise<RunRecording> {
  const target = { name: path, path };
  const file = fileOf(target, plan.session?.sessionId ?? "");
  const { RecordingInvalidError } = await import("../../testkit/index.ts");
  try {
    if (plan.session?.hasBegun !== true || existsSync(file)) return await openRecord(plan, target, warn);
    warn(`The recording "${file}" is gone. The rest of the run is not recorded.`);
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof RecordingInvalidError)) throw error;
    const problem = error instanceof RecordingInvalidError ? `: ${error.problem}` : "";
    warn(`The recording "${file}" is not as the run left it${problem}. The rest of the run is not recorded.`);
  }
  return { ...NOTHING, kept: { type: "record", path } };
}

async function openRecord(
  plan: RecordingPlan,
  target: RecordTarget,
  warn: (message: string) => void,
): Promise<RunRecording> {
  const { Recorder, openRecordingFile } = await import("../../testkit/index.ts");
  const { name, path } = target;
  const isFolder = path.endsWith("/");
  createFolder(isFolder ? path : dirname(path), name);
  const pathOf = (runId: string): string => fileOf(target, runId);
  const { session } = plan;
  const earlier =
    isFolder && session === undefined ? undefined : await readEarlier(pathOf(session?.sessionId ?? ""), plan, name);
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
    kept: { type: "record", path },
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
  { session }: RecordingPlan,
  name: string,
): Promise<readonly RecordedTurn[] | undefined> {
  if (!existsSync(path)) return undefined;
  const problem = `The file "${name}" exists. Name another one for --record, or a folder, or delete it.`;
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
