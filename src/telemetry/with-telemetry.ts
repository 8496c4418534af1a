import {
  type AgentEvent,
  AtomicError,
  addUsage,
  type CodingAgentClient,
  NO_USAGE,
  promptTextOf,
  type Session,
  type SessionConfig,
  type Usage,
} from "../contracts/index.ts";
import type { TelemetryCollector } from "./telemetry-collector.ts";
import type { TelemetryEvent } from "./telemetry-event.ts";

type Properties = TelemetryEvent["properties"];

/**
 * The same client, whose sessions are tracked: created, resumed, destroyed, messages sent and received, tool calls, errors.
 * Of messages, only lengths are tracked, of tools their names.
 *
 * ```ts
 * const client = withTelemetry(createClaudeClient({ workingDirectory }), collector);
 * ```
 */
export function withTelemetry(client: CodingAgentClient, collector: TelemetryCollector): CodingAgentClient {
  const { agentType } = client;
  const track = trackerOf(client, collector);
  /** The sessions that were not destroyed. */
  const opened = new Set<string>();
  const open = (session: Session, eventType: "sdk.session.created" | "sdk.session.resumed", config: SessionConfig) => {
    track(eventType, session.id, { ...describeConfig(config) });
    opened.add(session.id);
    return trackSession(session, (type, properties) => {
      if (type === "sdk.session.destroyed" && !opened.delete(session.id)) return;
      track(type, session.id, properties);
    });
  };
  const failed = (error: unknown): never => {
    collector.track({ eventType: "sdk.error", properties: { agentType, ...describeError(error) } });
    throw error;
  };
  return replaceMethods(client, {
    createSession: async (config: SessionConfig = {}) =>
      open(await client.createSession(config).catch(failed), "sdk.session.created", config),
    resumeSession: async (id: string, config: SessionConfig = {}) =>
      open(await client.resumeSession(id, config).catch(failed), "sdk.session.resumed", config),
    forkSession: async (id: string, config: SessionConfig = {}) =>
      open(await client.forkSession(id, config).catch(failed), "sdk.session.created", config),
    async stop() {
      for (const id of opened) track("sdk.session.destroyed", id, {});
      opened.clear();
      await client.stop();
    },
  });
}

type Track = (eventType: TelemetryEvent["eventType"], sessionId: string, properties: Properties) => void;

/** Subscribes to the client's events. Returns a function that tracks an event of a session. */
function trackerOf(client: CodingAgentClient, collector: TelemetryCollector): Track {
  const { agentType } = client;
  const track: Track = (eventType, sessionId, properties) => {
    collector.track({ eventType, sessionId, properties: { agentType, ...properties } });
  };
  const turns = new Map<string, { readonly startedAt: number; usage: Usage; toolUses: number }>();
  const tools = new Map<string, { readonly startedAt: number; readonly toolKind: string }>();
  const read = (event: AgentEvent): void => {
    const { sessionId, at } = event;
    const turn = turns.get(sessionId);
    switch (event.type) {
      case "turn-start":
        turns.set(sessionId, { startedAt: at, usage: NO_USAGE, toolUses: 0 });
        return;
      case "usage":
        if (turn !== undefined) turn.usage = addUsage(turn.usage, event.usage);
        return;
      case "tool-start":
        if (turn !== undefined) turn.toolUses++;
        tools.set(`${sessionId}\n${event.toolId}`, { startedAt: at, toolKind: event.kind });
        return;
      case "tool-end": {
        const key = `${sessionId}\n${event.toolId}`;
        const { startedAt = at, ...tool } = tools.get(key) ?? {};
        tools.delete(key);
        const { toolName, isError } = event;
        return track("sdk.tool.executed", sessionId, { toolName, isError, durationMs: at - startedAt, ...tool });
      }
      case "error":
        return track("sdk.error", sessionId, { errorCode: event.code });
      case "turn-end": {
        turns.delete(sessionId);
        for (const key of tools.keys()) if (key.startsWith(`${sessionId}\n`)) tools.delete(key);
        const { startedAt = at, usage = NO_USAGE, toolUses = 0 } = turn ?? {};
        const { outcome } = event;
        return track("sdk.message.received", sessionId, { outcome, durationMs: at - startedAt, toolUses, ...usage });
      }
      default:
        return;
    }
  };
  client.on("*", read);
  return track;
}

function trackSession(
  session: Session,
  track: (eventType: "sdk.message.sent" | "sdk.session.destroyed", properties: Properties) => void,
): Session {
  const sent = (message: Parameters<Session["send"]>[0]): void =>
    track("sdk.message.sent", { messageLength: promptTextOf(message).length });
  return replaceMethods(session, {
    send: (...args: Parameters<Session["send"]>) => {
      sent(args[0]);
      return session.send(...args);
    },
    stream: (...args: Parameters<Session["stream"]>) => {
      sent(args[0]);
      return session.stream(...args);
    },
    async destroy() {
      track("sdk.session.destroyed", {});
      await session.destroy();
    },
  });
}

/** The same object, some of whose methods are others. The rest work on the original, private fields included. */
function replaceMethods<Target extends object>(target: Target, methods: Partial<Target>): Target {
  return new Proxy(target, {
    get(original, key) {
      if (Object.hasOwn(methods, key)) return Reflect.get(methods, key);
      const value: unknown = Reflect.get(original, key, original);
      return typeof value === "function" ? value.bind(original) : value;
    },
  });
}

function describeConfig({ model, permissionMode, reasoningEffort, systemPrompt }: SessionConfig): Properties {
  return {
    ...(model === undefined ? {} : { model }),
    ...(permissionMode === undefined ? {} : { permissionMode }),
    ...(reasoningEffort === undefined ? {} : { reasoningEffort }),
    hasSystemPrompt: systemPrompt !== undefined,
  };
}

/** Of an error its name and its code: the message may contain paths and texts. */
export function describeError(error: unknown): Properties {
  return {
    errorName: error instanceof Error ? error.name : typeof error,
    ...(error instanceof AtomicError ? { errorCode: error.code } : {}),
  };
}
