import {
  type AgentCapabilities,
  type AgentCapability,
  isRecord,
  recordOf,
  recordsOf,
  stringOf,
} from "../../../../contracts/index.ts";
import { CAPABILITIES } from "../../../options/capabilities.ts";
import type { AcpPreset } from "./acp-presets.ts";

/** A way to sign in that an agent names. */
export interface AcpAuthMethod {
  readonly id: string;
  readonly name: string;
  readonly description: string;
}

/** What an agent announced when it was connected. */
export interface AcpFeatures {
  readonly loadSession: boolean;
  readonly resumeSession: boolean;
  readonly forkSession: boolean;
  readonly listSessions: boolean;
  readonly deleteSession: boolean;
  readonly closeSession: boolean;
  readonly setTitle: boolean;
  readonly systemPrompt: boolean;
  readonly replaceSystemPrompt: boolean;
  readonly images: boolean;
  readonly httpMcpServers: boolean;
  readonly steering: boolean;
  readonly authMethods: readonly AcpAuthMethod[];
}

/** Reads the answer to `initialize`. Absent features are unsupported. */
export function parseFeatures(answer: unknown): AcpFeatures {
  const { agentCapabilities, authMethods, _meta: meta } = recordOf(answer);
  const capabilities = recordOf(agentCapabilities);
  const session = recordOf(capabilities.sessionCapabilities);
  const systemPrompt = recordOf(session.systemPrompt);
  return {
    loadSession: capabilities.loadSession === true,
    resumeSession: isRecord(session.resume),
    forkSession: isRecord(session.fork),
    listSessions: isRecord(session.list),
    deleteSession: isRecord(session.delete),
    closeSession: isRecord(session.close),
    setTitle: isRecord(session.title),
    systemPrompt: isRecord(session.systemPrompt),
    replaceSystemPrompt: isRecord(recordOf(systemPrompt.mode).override),
    images: recordOf(capabilities.promptCapabilities).image === true,
    httpMcpServers: recordOf(capabilities.mcpCapabilities).http === true,
    steering: recordOf(recordOf(meta).steering).supported === true,
    authMethods: recordsOf(authMethods).map((method) => ({
      id: stringOf(method.id),
      name: stringOf(method.name),
      description: stringOf(method.description),
    })),
  };
}

/** The capabilities that are known before the agent is connected. */
export function presetCapabilities(preset: AcpPreset | undefined): AgentCapabilities {
  const known: Partial<AgentCapabilities> = preset?.capabilities ?? { customEndpoint: false, userSettings: false };
  const summarize = preset?.compactCommand !== undefined;
  const planMode = preset?.gate === "every-call";
  return { ...CAPABILITIES.acp, subagents: false, summarize, planMode, ...known };
}

/** The capabilities of a connected agent: the preset's without those that the agent did not announce. Pure. */
export function narrowCapabilities(before: AgentCapabilities, features: AcpFeatures): AgentCapabilities {
  const announced: Partial<Record<AgentCapability, boolean>> = {
    resume: features.resumeSession || features.loadSession,
    fork: features.forkSession,
    listSessions: features.listSessions,
    deleteSession: features.deleteSession,
    images: features.images,
    steer: features.steering,
    appendSystemPrompt: features.systemPrompt,
    replaceSystemPrompt: features.replaceSystemPrompt,
    customTools: features.httpMcpServers,
  };
  // The cast is true: every key of the object is a capability's name.
  const names = Object.keys(before) as readonly AgentCapability[];
  // The cast is true: it has an entry for each name of `before`.
  return Object.fromEntries(
    names.map((name) => [name, before[name] && announced[name] !== false]),
  ) as AgentCapabilities;
}
