import type { CodingAgentClient, RunEvent } from "../../contracts/index.ts";
import type { ClientProvider } from "../../graph/index.ts";
import type { Place } from "./places.ts";
import { Recorder } from "./recorder.ts";
import { collectRecording, RECORDING_VERSION, type Recording, type RecordingEntry } from "./recording.ts";
import { saveRecording } from "./recording-file.ts";

/** Settings of {@link recordAgent}. */
export interface RecordAgentOptions {
  /** Where agents work whose session names no folder. @default "." */
  readonly workingDirectory?: string;
  /** What else differs from run to run, such as a folder that a prompt names. */
  readonly places?: readonly Place[];
}

/** Agents whose turns are recorded. */
export interface RecordingAgent {
  /** For the `clients` of a run's services. */
  readonly clients: ClientProvider;
  /** For the `onEvent` of the run. Without it, the recording does not say how the run and its nodes ended. */
  readonly onEvent: (event: RunEvent) => void;
  /** The recording so far. */
  readonly recording: Recording;
  /** Writes the recording to a file, which `--replay`, `loadRecording` and `atomic runs compare` read. */
  save(path: string): Promise<void>;
}

/**
 * Records the turns of an agent in a run, for {@link replayAgent}.
 *
 * ```ts
 * const recorded = recordAgent(createOpenCodeClient({ workingDirectory: folder }), { workingDirectory: folder });
 * await poem.run({ prompt: "the sea" }, { services: { clients: recorded.clients }, onEvent: recorded.onEvent });
 * await recorded.save("recordings/poem.jsonl");
 * ```
 */
export function recordAgent(
  agent: CodingAgentClient | ClientProvider,
  { workingDirectory = ".", places }: RecordAgentOptions = {},
): RecordingAgent {
  const entries: RecordingEntry[] = [];
  const recorder = new Recorder({
    write: (entry) => void entries.push(entry),
    workingDirectory,
    ...(places === undefined ? {} : { places }),
  });
  const recordingNow = (): Recording => collectRecording(entries) ?? collectUnstarted(entries);
  return {
    clients: recorder.record(typeof agent === "function" ? agent : () => agent),
    onEvent: (event) => recorder.onEvent(event),
    get recording() {
      return recordingNow();
    },
    save: (path) => saveRecording(recordingNow(), path),
  };
}

/** Without the events of a run, the turns are all that is known of it. */
function collectUnstarted(entries: readonly RecordingEntry[]): Recording {
  const start = {
    type: "recording",
    version: RECORDING_VERSION,
    runId: "unknown",
    workflow: "unknown",
    at: 0,
  } as const;
  return collectRecording([start, ...entries]) ?? { start, agents: [], turns: [], contexts: [], visits: [] };
}
