import type { RunResult } from "../graph/index.ts";
import { toJsonObject } from "./session-store/to-json.ts";
import type {
  SessionOwner,
  SessionSettings,
  WorkflowSession,
  WorkflowSessionStatus,
} from "./session-store/workflow-session.ts";

/** How many names `session.json` keeps of the nodes that ran. */
const MAX_NODE_HISTORY = 1_000;

/** Settings of a call that its run keeps. */
export type KeptSettings = Pick<SessionSettings, "budget"> & {
  /** Undefined takes the earlier one away; absent, it stays. */
  readonly recording?: SessionSettings["recording"] | undefined;
};

/** The session of a run that a process has taken over. Pure. */
export function takeSession(session: WorkflowSession, owner: SessionOwner, given: KeptSettings): WorkflowSession {
  const { error: _error, pauseRequestedAt: _pause, isUnstarted: _unstarted, ...kept } = session;
  const settings = keepSettings(session.settings, given);
  return { ...kept, status: "running", owner, ...(settings === undefined ? {} : { settings }) };
}

/** The settings of a session with those of a call. Pure. */
export function keepSettings(
  settings: SessionSettings | undefined,
  { budget = {}, ...given }: KeptSettings,
): SessionSettings | undefined {
  const { recording: earlier, ...others } = settings ?? {};
  const recording = "recording" in given ? given.recording : earlier;
  const kept = {
    ...others,
    ...(Object.keys(budget).length === 0 ? {} : { budget }),
    ...(recording === undefined ? {} : { recording }),
  };
  return settings === undefined && Object.keys(kept).length === 0 ? undefined : kept;
}

/** The session of a run that this process has executed. Pure. */
export function endSession(session: WorkflowSession, result: RunResult, history: readonly string[]): WorkflowSession {
  const { error: _error, ...kept } = session;
  const status: WorkflowSessionStatus = result.status === "suspended" ? "paused" : result.status;
  const outputs = toJsonObject(result.state.outputs);
  return {
    ...kept,
    status,
    nodeHistory: lastOf([...session.nodeHistory, ...history]),
    outputs,
    ...(result.errorInfo === undefined ? {} : { error: result.errorInfo }),
  };
}

/** The names of the nodes that `session.json` keeps. Pure. */
export function lastOf(nodeHistory: readonly string[]): readonly string[] {
  return nodeHistory.slice(-MAX_NODE_HISTORY);
}
