import { resolve } from "node:path";
import {
  type AgentCapabilities,
  type AgentReply,
  AtomicError,
  type CodingAgentClient,
  type ContextUsage,
  isRecord,
  type PermissionPolicy,
  promptTextOf,
} from "../../contracts/index.ts";
import { showValue } from "../../graph/engine.ts";
import { type AgentVisit, type ClientProvider, InvalidOptionsError } from "../../graph/index.ts";
import { sleep } from "../../system/index.ts";
import { createScriptedAgent } from "../scripted-agent/create-scripted-agent.ts";
import type {
  ScriptedAction,
  ScriptedReply,
  ScriptedTurn,
  ScriptedTurnTools,
} from "../scripted-agent/scripted-turn.ts";
import { applyChanges } from "./apply-changes.ts";
import { hidePlaces, mapStrings, type Place, showPlaces, withoutChance } from "./places.ts";
import { describeQuestion } from "./record-turn.ts";
import type { RecordedCall, RecordedTurn, Recording } from "./recording.ts";
import {
  type ReplayedTurn,
  ReplayedTurnError,
  ReplayFailedError,
  ReplayMismatchError,
  ReplayTurnInterruptedError,
  ReplayTurnMissingError,
} from "./replay-errors.ts";
import { type TurnWatcher, VisitClient, type VisitTurn } from "./visit-client.ts";

/** How much longer than the recorded turn a replay waits for what aborts it, in milliseconds. */
const ABORT_GRACE_MS = 10_000;

/** Settings of {@link replayAgent}. */
export interface ReplayOptions {
  /** Where agents work whose session names no folder. @default "." */
  readonly workingDirectory?: string;
  /** What else differs from run to run; the same names as in the recording. */
  readonly places?: readonly Place[];
  /** A recorded change of a file that this policy denies is not made: the replay stops. @default nothing is denied */
  readonly permissions?: PermissionPolicy;
}

/** Agents that answer from a recording. */
export interface ReplayedAgent {
  /** For the `clients` of a run's services. */
  readonly clients: ClientProvider;
  /** Why the replay stopped: the first turn that differs, or that the recording cannot answer. Every later turn fails with it. */
  readonly mismatch: AtomicError | undefined;
  /** The recorded turns that no node has asked for, without those that were aborted. */
  readonly unusedTurns: readonly RecordedTurn[];
}

/**
 * Creates agents that answer from a recording, without a model or a network: each visit of a node gets the answers that it
 * got, and the files that the agent changed are changed again. The order of branches does not matter.
 *
 * ```ts
 * const replay = replayAgent(await loadRecording("recordings/poem.jsonl"));
 * const result = await runWorkflow(poem, { input: { prompt: "the sea" }, agent: replay });
 * result.expectCompleted();
 * ```
 *
 * @throws InvalidOptionsError for what is no recording
 */
export function replayAgent(recording: Recording, options: ReplayOptions = {}): ReplayedAgent {
  assertRecording(recording);
  return new Replay(recording, options);
}

/** @throws InvalidOptionsError that says what to write instead */
function assertRecording(given: unknown): asserts given is Recording {
  if (isRecord(given) && Array.isArray(given.turns) && Array.isArray(given.agents)) return;
  const file = typeof given === "string" ? JSON.stringify(given) : "FILE";
  const problem = `replayAgent() was given ${showValue(given)} instead of a recording`;
  throw new InvalidOptionsError("replayAgent", [`${problem}; write replayAgent(await loadRecording(${file}))`]);
}

class Replay implements ReplayedAgent, TurnWatcher {
  readonly #recording: Recording;
  readonly #options: ReplayOptions;
  readonly #clients = new Map<string, CodingAgentClient>();
  /** The turns of each visit that are left. */
  readonly #left = new Map<string, RecordedTurn[]>();
  /** How many turns of each visit began. */
  readonly #begun = new Map<string, number>();
  /** What each session of a scripted agent works for at the moment. */
  readonly #current = new Map<string, VisitTurn>();
  /** The turn that wrote each file last, as the recording orders them. */
  readonly #written = new Map<string, number>();
  readonly #contexts = new Map<string, number>();
  /** The changes of the turns so far. */
  #applied: Promise<void> = Promise.resolve();
  mismatch: AtomicError | undefined;

  constructor(recording: Recording, options: ReplayOptions) {
    this.#recording = recording;
    this.#options = options;
    for (const turn of recording.turns) {
      const turns = this.#left.get(turn.taskId) ?? [];
      this.#left.set(
        turn.taskId,
        [...turns, turn].toSorted((a, b) => a.turn - b.turn),
      );
    }
  }

  get unusedTurns(): readonly RecordedTurn[] {
    return [...this.#left.values()].flat().filter(({ isAborted }) => isAborted !== true);
  }

  readonly clients: ClientProvider = (agentType, { visit } = {}) => {
    const { agents, turns } = this.#recording;
    const ofVisit = turns.find(({ taskId }) => taskId === visit?.taskId)?.agentType;
    const client = this.#clientOf(agentType ?? ofVisit ?? agents[0]?.agentType ?? "replay");
    return visit === undefined ? client : new VisitClient(client, visit, this);
  };

  #clientOf(agentType: string): CodingAgentClient {
    const known = this.#clients.get(agentType);
    if (known !== undefined) return known;
    const info = this.#recording.agents.find((agent) => agent.agentType === agentType);
    const { workingDirectory } = this.#options;
    const client = createScriptedAgent({
      agentType,
      ...(workingDirectory === undefined ? {} : { workingDirectory }),
      ...(info === undefined ? {} : { capabilities: replayed(info.capabilities) }),
      // A replay only reports calls: whatever a recording contains, no tool runs.
      evaluatePermission: () => "deny",
      script: (turn, tools) => this.#answer(turn, tools),
    });
    this.#clients.set(agentType, client);
    return client;
  }

  async around(turn: VisitTurn, send: () => Promise<AgentReply>): Promise<AgentReply> {
    this.#current.set(turn.sessionId, turn);
    try {
      return await send();
    } finally {
      this.#current.delete(turn.sessionId);
    }
  }

  /** As it was recorded. */
  async lookAtContext({ taskId }: AgentVisit): Promise<ContextUsage> {
    const index = this.#contexts.get(taskId) ?? 0;
    this.#contexts.set(taskId, index + 1);
    const found = this.#recording.contexts.filter((context) => context.taskId === taskId)[index];
    return found ?? { usedTokens: 0, maxTokens: 0, fraction: 0 };
  }

  async #answer({ sessionId }: ScriptedTurn, tools: ScriptedTurnTools): Promise<ScriptedReply> {
    const asked = this.#current.get(sessionId);
    if (asked === undefined) throw new Error("A replay answers only the nodes of a run.");
    if (this.mismatch !== undefined) throw this.mismatch;
    const { taskId } = asked.visit;
    const turn = (this.#begun.get(taskId) ?? 0) + 1;
    this.#begun.set(taskId, turn);
    const about: ReplayedTurn = { taskId, turn, runId: this.#recording.start.runId };
    try {
      return await this.#reply(asked, about, tools);
    } catch (error) {
      tools.signal.throwIfAborted();
      // Whatever went wrong, the replay is not the recorded run: no retry of a node may hide that.
      throw this.#differ(error instanceof AtomicError ? error : new ReplayFailedError(about, { cause: error }));
    }
  }

  async #reply(asked: VisitTurn, about: ReplayedTurn, { signal }: ScriptedTurnTools): Promise<ScriptedReply> {
    const recorded = this.#take(asked, about);
    const applied = this.#applied.then(() => this.#apply(resolve(this.#folderOf(asked)), recorded));
    this.#applied = applied.catch(() => undefined);
    await applied;
    if (recorded.isAborted) await this.#waitForAbort(recorded, about, signal);
    const places = this.#placesOf(asked);
    // The cast is true: only strings change.
    return replyOf(mapStrings({ ...recorded, changes: [] }, (text) => showPlaces(text, places)) as RecordedTurn);
  }

  /**
   * What aborted the turn, such as a limit or another branch, also aborts it in the replay. Nobody presses Ctrl+C again.
   *
   * @throws the signal's reason, ReplayTurnInterruptedError
   */
  async #waitForAbort(recorded: RecordedTurn, about: ReplayedTurn, signal: AbortSignal): Promise<never> {
    const { end, visits } = this.#recording;
    const hasEnded = visits.some(({ taskId }) => taskId === recorded.taskId);
    const wasInterrupted = !hasEnded && (end === undefined || end.status === "cancelled");
    if (!wasInterrupted) await sleep(Math.max(0, recorded.durationMs) + ABORT_GRACE_MS, signal);
    throw new ReplayTurnInterruptedError(about, recorded.prompt);
  }

  /** One turn after the other. Of turns that worked in one folder at the same time, the one that ended last decides. */
  async #apply(folder: string, { changes, order }: RecordedTurn): Promise<void> {
    const latest = changes.filter(({ path }) => (this.#written.get(`${folder}\0${path}`) ?? 0) <= order);
    for (const { path } of latest) this.#written.set(`${folder}\0${path}`, order);
    const { permissions } = this.#options;
    await applyChanges(folder, latest, permissions === undefined ? {} : { permissions });
  }

  /** @throws ReplayMismatchError, ReplayTurnMissingError */
  #take(asked: VisitTurn, about: ReplayedTurn): RecordedTurn {
    const { taskId } = about;
    const places = this.#placesOf(asked);
    const hide = (text: string): string => hidePlaces(text, places);
    const prompt = hide(promptTextOf(asked.message));
    const left = this.#left.get(taskId) ?? [];
    const isSame = (turn: RecordedTurn): boolean => withoutChance(turn.prompt) === withoutChance(prompt);
    const found = left.find(isSame) ?? left[0];
    if (found === undefined) {
      const tasks = [...new Set(this.#recording.turns.map((turn) => turn.taskId))];
      throw new ReplayTurnMissingError(about, prompt, tasks);
    }
    const settings = mapStrings(describeQuestion(asked).settings, hide) as RecordedTurn["settings"]; // only strings change
    const pairs = [
      ["prompt", found.prompt, prompt],
      ["system prompt", found.settings.systemPrompt ?? "", settings.systemPrompt ?? ""],
      ["answer's schema", formatSchema(found.settings.outputSchema), formatSchema(settings.outputSchema)],
    ] as const;
    for (const [what, recorded, actual] of pairs) {
      if (withoutChance(recorded) === withoutChance(actual)) continue;
      throw new ReplayMismatchError(about, { what, recorded, actual });
    }
    this.#left.set(
      taskId,
      left.filter((turn) => turn !== found),
    );
    return found;
  }

  #differ(error: AtomicError): AtomicError {
    this.mismatch ??= error;
    return this.mismatch;
  }

  #folderOf({ config }: VisitTurn): string {
    return config.workingDirectory ?? this.#options.workingDirectory ?? ".";
  }

  #placesOf(asked: VisitTurn): readonly Place[] {
    const { places = [] } = this.#options;
    return [{ name: "<folder>", text: this.#folderOf(asked) }, ...places, { name: "<run>", text: asked.visit.runId }];
  }
}

/** What a replay does like the agent. It connects to no servers. */
function replayed(capabilities: AgentCapabilities): AgentCapabilities {
  return { ...capabilities, mcpStatus: false };
}

function formatSchema(schema: unknown): string {
  return schema === undefined ? "" : JSON.stringify(schema, undefined, 2);
}

function replyOf({ calls, reply, structured, deniedPermissions = [], error, usage }: RecordedTurn): ScriptedReply {
  const actions: readonly ScriptedAction[] = [
    ...calls.map(reportOf),
    ...deniedPermissions.map((denied): ScriptedAction => ({ type: "report-denial", denied })),
  ];
  return {
    actions,
    text: reply ?? "",
    usage,
    ...(structured === undefined ? {} : { structured }),
    ...(error === undefined ? {} : { error: new ReplayedTurnError(error) }),
  };
}

/** Named fields only: a recording may come from somebody else, and a call's own `type` would be executed. */
function reportOf({ toolName, kind, input, output, isError }: RecordedCall): ScriptedAction {
  const failed = isError === undefined ? {} : { isError };
  return { toolName, kind, input, output, ...failed, type: "report-call" };
}
