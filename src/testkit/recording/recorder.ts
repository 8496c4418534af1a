import {
  type AgentReply,
  type ContextUsage,
  endsVisit,
  noRedaction,
  type Redactor,
  type RunEvent,
} from "../../contracts/index.ts";
import type { AgentVisit, ClientProvider } from "../../graph/index.ts";
import { type FolderState, readChanges, readFolderState } from "./file-change.ts";
import { hidePlaces, mapStrings, type Place } from "./places.ts";
import { describeFailure, describeQuestion, describeReply, followTurn } from "./record-turn.ts";
import { nodeOfTask, RECORDING_VERSION, type RecordedTurn, type RecordingEntry } from "./recording.ts";
import { type TurnWatcher, VisitClient, type VisitTurn } from "./visit-client.ts";

/** Settings of a {@link Recorder}. */
export interface RecorderOptions {
  /** Receives each entry when it is complete, in order. */
  readonly write: (entry: RecordingEntry) => void;
  /** Where agents work whose session names no folder. */
  readonly workingDirectory: string;
  /** What else differs from run to run; see {@link Place}. */
  readonly places?: readonly Place[];
  /** Takes secrets out of what is recorded. @default nothing is redacted */
  readonly redactor?: Redactor;
  /** Files that are not recorded, with their whole paths. */
  readonly excluded?: readonly string[];
  /** The last orders and turns of an earlier process's part of the recording. @default none */
  readonly earlier?: readonly RecordedTurn[];
}

/** The beginning of a turn. */
interface TurnStart {
  readonly turn: number;
  readonly folder: string;
  readonly before: FolderState;
  readonly startedAt: number;
}

/** Records the agents' turns of a run, and the ends of its nodes. */
export class Recorder implements TurnWatcher {
  readonly #options: RecorderOptions;
  readonly #redactor: Redactor;
  readonly #agents = new Set<string>();
  readonly #turns = new Map<string, number>();
  readonly #attempts = new Map<string, number>();
  #order = 0;
  #runId: string | undefined;
  #hasStarted: boolean;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#redactor = options.redactor ?? noRedaction;
    const { earlier } = options;
    this.#hasStarted = earlier !== undefined;
    for (const { taskId, turn, order } of earlier ?? []) {
      this.#turns.set(taskId, Math.max(turn, this.#turns.get(taskId) ?? 0));
      this.#order = Math.max(order, this.#order);
    }
  }

  /** The same agents, recorded. */
  record(clients: ClientProvider): ClientProvider {
    return async (agentType, wish = {}) => {
      const client = await clients(agentType, wish);
      return wish.visit === undefined ? client : new VisitClient(client, wish.visit, this);
    };
  }

  /** Records the run's beginning and end, and the ends of its nodes. */
  onEvent(event: RunEvent): void {
    if (event.type === "run-start") this.#start(event);
    if (event.type === "run-end") {
      const { at, status, usage, usageByAgent, error } = event;
      const rest = { ...(usageByAgent && { usageByAgent }), ...(error && { error }) };
      this.#write({ type: "end", at, status, usage, ...rest });
    }
    if (event.type === "node-start") this.#attempts.set(event.taskId, event.attempt);
    if (endsVisit(event)) this.#endVisit(event);
  }

  async around(turn: VisitTurn, send: () => Promise<AgentReply>): Promise<AgentReply> {
    const start = await this.#begin(turn);
    const following = followTurn(turn);
    try {
      const reply = await send();
      await this.#finish(turn, start, { ...following.stop(), ...describeReply(reply), usage: reply.usage });
      return reply;
    } catch (thrown) {
      await this.#finish(turn, start, { ...following.stop(), ...describeFailure(thrown, turn.options) });
      throw thrown;
    }
  }

  async lookAtContext({ taskId }: AgentVisit, read: () => Promise<ContextUsage>): Promise<ContextUsage> {
    const usage = await read();
    const { usedTokens, maxTokens, fraction } = usage;
    this.#write({ type: "context", taskId, usedTokens, maxTokens, fraction });
    return usage;
  }

  async #begin({ client, visit, config }: VisitTurn): Promise<TurnStart> {
    const { agentType, capabilities, hasFreeContextUsage = false } = client;
    if (!this.#agents.has(agentType)) {
      this.#agents.add(agentType);
      this.#write({ type: "agent", agentType, capabilities, hasFreeContextUsage });
    }
    const turn = (this.#turns.get(visit.taskId) ?? 0) + 1;
    this.#turns.set(visit.taskId, turn);
    const folder = config.workingDirectory ?? this.#options.workingDirectory;
    return { turn, folder, before: await readFolderState(folder, this.#options.excluded), startedAt: Date.now() };
  }

  async #finish(
    { client, visit, config, message, options }: VisitTurn,
    { turn, folder, before, startedAt }: TurnStart,
    outcome: Pick<RecordedTurn, "calls" | "usage"> & Partial<RecordedTurn>,
  ): Promise<void> {
    const endedAt = Date.now();
    const order = ++this.#order;
    const changes = await readChanges(folder, before, this.#options.excluded);
    const entry: RecordedTurn = {
      type: "turn",
      taskId: visit.taskId,
      turn,
      order,
      agentType: client.agentType,
      folder,
      ...describeQuestion({ message, config, options }),
      ...outcome,
      startedAt,
      durationMs: endedAt - startedAt,
      changes: [],
    };
    // Files are redacted, but not changed otherwise: a path in a file is what the agent wrote.
    this.#write({ ...this.#hide(entry, folder), changes: this.#redactor.value(changes) });
  }

  #hide(entry: RecordedTurn, folder: string): RecordedTurn {
    const { places = [] } = this.#options;
    const run = this.#runId === undefined ? [] : [{ name: "<run>", text: this.#runId }];
    const all = [{ name: "<folder>", text: folder }, ...places, ...run];
    // The cast is true: only strings change, and those that mean something to a reader contain no place.
    return mapStrings(this.#redactor.value(entry), (text) => hidePlaces(text, all)) as RecordedTurn;
  }

  #start({ runId, workflow, at }: Extract<RunEvent, { type: "run-start" }>): void {
    this.#runId = runId;
    if (this.#hasStarted) return;
    this.#hasStarted = true;
    this.#options.write({ type: "recording", version: RECORDING_VERSION, runId, workflow, at });
  }

  #endVisit(event: Parameters<typeof endsVisit>[0] & { readonly taskId: string }): void {
    const { taskId } = event;
    const about = {
      type: "visit",
      taskId,
      nodeId: nodeOfTask(taskId),
      attempts: this.#attempts.get(taskId) ?? 1,
    } as const;
    if (event.type === "node-error") this.#write({ ...about, status: "failed", error: event.error.message });
    if (event.type === "node-dropped") this.#write({ ...about, status: "dropped" });
    if (event.type === "node-end") {
      const { durationMs, usage, isPassed, isSkipped } = event;
      const checked = isPassed === undefined ? {} : { isPassed };
      this.#write({ ...about, status: isSkipped ? "skipped" : "completed", durationMs, usage, ...checked });
    }
  }

  #write(entry: RecordingEntry): void {
    this.#options.write(entry);
  }
}
