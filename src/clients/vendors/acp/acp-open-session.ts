import {
  AgentTurnError,
  type JsonObject,
  type ReasoningEffort,
  recordOf,
  recordsOf,
  type SessionInfo,
  type SystemPrompt,
  stringOf,
  type UnknownRecord,
  UnknownSessionError,
} from "../../../contracts/index.ts";
import { missingCapability } from "../../options/capabilities.ts";
import type { AcpConnection } from "./acp-connection.ts";
import type { AcpOwnSession } from "./acp-own-session.ts";
import {
  type AcpSetting,
  type AcpSettings,
  readSettings,
  requestFor,
  resolveAcpEffort,
  resolveAcpModel,
} from "./acp-settings.ts";

/** What a session is opened with, every time. */
export interface AcpSessionSetup {
  readonly agentType: string;
  readonly workingDirectory: string;
  /** In ACP's form. */
  readonly mcpServers: readonly JsonObject[];
  readonly systemPrompt?: SystemPrompt;
  /** What the agent's process prepares for this session, every time it is opened. */
  readonly own: AcpOwnSession;
  /** The model to select. Opening fails if the agent does not offer it. */
  readonly model?: string;
  /** The model to select if the agent offers it. It may have been set already when the agent was started. */
  readonly defaultModel?: string;
  readonly reasoningEffort?: ReasoningEffort;
  /** The mode to set. Opening fails if the agent does not offer it. */
  readonly mode?: string;
  /** The mode to set if the agent offers it. */
  readonly defaultMode?: string;
  readonly title?: string;
  /** How long the agent may take for each step, in milliseconds. */
  readonly timeoutMs: number;
}

/** A session that an agent has open. */
export interface AcpOpenedSession {
  readonly id: string;
  readonly settings: AcpSettings;
}

/** Starts a conversation. @throws CapabilityMissingError, NotSignedInError, AgentTurnError */
export async function openNewSession(connection: AcpConnection, setup: AcpSessionSetup): Promise<AcpOpenedSession> {
  const params = { cwd: setup.workingDirectory, ...(await openingParams(connection, setup)) };
  const answer = await connection.request("session/new", params, { timeoutMs: setup.timeoutMs });
  const opened = await applySetup(connection, setup, { id: stringOf(answer.sessionId), answer });
  const { title, timeoutMs } = setup;
  if (title !== undefined && connection.features.setTitle) {
    await connection.request("session/set_title", { sessionId: opened.id, title }, { timeoutMs });
  }
  return opened;
}

/** Reopens a conversation, without replaying its history where the agent supports that. @throws UnknownSessionError */
export async function reopenSession(
  connection: AcpConnection,
  setup: AcpSessionSetup,
  sessionId: string,
): Promise<AcpOpenedSession> {
  const { features } = connection;
  if (!features.resumeSession && !features.loadSession) throw missingCapability(setup.agentType, "resume");
  const method = features.resumeSession ? "session/resume" : "session/load";
  const params = { sessionId, cwd: setup.workingDirectory, ...(await openingParams(connection, setup)) };
  const answer = await requestKnown(connection, { method, params, sessionId, setup });
  return applySetup(connection, setup, { id: sessionId, answer });
}

/** Copies a conversation. @throws CapabilityMissingError, UnknownSessionError */
export async function openFork(
  connection: AcpConnection,
  setup: AcpSessionSetup,
  sessionId: string,
): Promise<AcpOpenedSession> {
  if (!connection.features.forkSession) throw missingCapability(setup.agentType, "fork");
  const params = { sessionId, cwd: setup.workingDirectory, ...(await openingParams(connection, setup)) };
  const answer = await requestKnown(connection, { method: "session/fork", params, sessionId, setup });
  return applySetup(connection, setup, { id: stringOf(answer.sessionId), answer });
}

/** The conversations an agent keeps, the latest first. */
export async function loadSessions(
  connection: AcpConnection,
  options: { readonly workingDirectory?: string; readonly timeoutMs: number },
): Promise<readonly SessionInfo[]> {
  const { workingDirectory, timeoutMs } = options;
  const found: SessionInfo[] = [];
  const seen = new Set<string>();
  for (let cursor = ""; !seen.has(cursor); ) {
    seen.add(cursor);
    const params = {
      ...(workingDirectory === undefined ? {} : { cwd: workingDirectory }),
      ...(cursor === "" ? {} : { cursor }),
    };
    const answer = await connection.request("session/list", params, { timeoutMs });
    found.push(...recordsOf(answer.sessions).map(toSessionInfo));
    cursor = stringOf(answer.nextCursor);
    if (cursor === "") break;
  }
  return found.toSorted((left, right) => (right.updatedAt ?? 0) - (left.updatedAt ?? 0));
}

/** A request that opens a session. */
async function openingParams(connection: AcpConnection, setup: AcpSessionSetup): Promise<JsonObject> {
  const { mcpServers, systemPrompt, own, agentType } = setup;
  const { features } = connection;
  if (!features.httpMcpServers && mcpServers.some((server) => server.type === "http")) {
    throw missingCapability(agentType, "customTools");
  }
  const meta = await own.open(connection);
  return {
    mcpServers,
    ...(meta === undefined ? {} : { _meta: meta }),
    ...(systemPrompt === undefined ? {} : { systemPrompt: toSystemPrompt(systemPrompt, { features, agentType }) }),
  };
}

function toSystemPrompt(
  prompt: SystemPrompt,
  { features, agentType }: Pick<AcpConnection, "features"> & Pick<AcpSessionSetup, "agentType">,
): JsonObject {
  const { mode, text } = typeof prompt === "string" ? { mode: "append" as const, text: prompt } : prompt;
  if (!features.systemPrompt) {
    throw missingCapability(agentType, mode === "append" ? "appendSystemPrompt" : "replaceSystemPrompt");
  }
  if (mode === "replace" && !features.replaceSystemPrompt) throw missingCapability(agentType, "replaceSystemPrompt");
  return { mode: mode === "append" ? "append" : "override", content: [{ type: "text", text }] };
}

/** Some agents report an unknown session with an error of their own: then their list of sessions decides. */
async function requestKnown(
  connection: AcpConnection,
  details: {
    readonly method: string;
    readonly params: JsonObject;
    readonly sessionId: string;
    readonly setup: AcpSessionSetup;
  },
): Promise<UnknownRecord> {
  const { method, params, sessionId, setup } = details;
  const { agentType, timeoutMs } = setup;
  try {
    return await connection.request(method, params, { sessionId, timeoutMs });
  } catch (error) {
    if (!(error instanceof AgentTurnError) || !connection.features.listSessions) throw error;
    const sessions = await loadSessions(connection, { timeoutMs });
    if (sessions.some(({ id }) => id === sessionId)) throw error;
    throw new UnknownSessionError(agentType, sessionId, { cause: error });
  }
}

/** Selects mode, model and effort, in this order: the efforts depend on the model. */
async function applySetup(
  connection: AcpConnection,
  setup: AcpSessionSetup,
  { id, answer }: { readonly id: string; readonly answer: UnknownRecord },
): Promise<AcpOpenedSession> {
  let settings = readSettings(answer);
  const choose = async (kind: keyof AcpSettings, setting: AcpSetting | undefined, value: string | undefined) => {
    const request = setting === undefined || value === undefined ? undefined : requestFor(kind, setting, value);
    if (request === undefined) return;
    const params = { sessionId: id, ...request.params };
    const changed = await connection.request(request.method, params, { sessionId: id, timeoutMs: setup.timeoutMs });
    const current = settings[kind];
    if (current !== undefined && value !== undefined)
      settings = { ...settings, [kind]: { ...current, current: value } };
    settings = readSettings(changed, settings);
  };
  await choose("mode", settings.mode, chosenMode(settings, setup));
  await choose("model", settings.model, chosenModel(settings, setup));
  const { reasoningEffort, agentType } = setup;
  if (reasoningEffort !== undefined) {
    const effort = resolveAcpEffort(settings.effort, reasoningEffort);
    if (effort === undefined) throw missingCapability(agentType, "reasoningEffort");
    await choose("effort", settings.effort, effort);
  }
  return { id, settings };
}

function chosenMode(
  { mode: setting }: AcpSettings,
  { mode, defaultMode, agentType }: AcpSessionSetup,
): string | undefined {
  const isOffered = (value: string | undefined) => setting?.choices.some((choice) => choice.value === value) ?? false;
  if (mode === undefined) return isOffered(defaultMode) ? defaultMode : undefined;
  if (isOffered(mode)) return mode;
  const offer = setting?.choices.map(({ value }) => value).join(", ") ?? "none";
  throw new AgentTurnError(agentType, `it has no mode "${mode}". Its modes: ${offer}.`, { isRetryable: false });
}

function chosenModel(
  { model: setting }: AcpSettings,
  { model, defaultModel, agentType }: AcpSessionSetup,
): string | undefined {
  // The agent was started with this model. It needs no selection, and may not be among the offered ones.
  if (model !== undefined && (model !== defaultModel || setting !== undefined)) {
    return resolveAcpModel(setting, model, agentType);
  }
  if (defaultModel === undefined || setting === undefined) return undefined;
  try {
    return resolveAcpModel(setting, defaultModel, agentType);
  } catch {
    return undefined; // The agent was started with this model.
  }
}

function toSessionInfo(raw: UnknownRecord): SessionInfo {
  const id = stringOf(raw.sessionId);
  const updatedAt = Date.parse(stringOf(raw.updatedAt));
  const workingDirectory = stringOf(recordOf(raw).cwd);
  return {
    id,
    title: stringOf(raw.title) || id,
    ...(workingDirectory === "" ? {} : { workingDirectory }),
    ...(Number.isNaN(updatedAt) ? {} : { updatedAt }),
  };
}
