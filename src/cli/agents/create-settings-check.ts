import { AgentTurnError, CapabilityMissingError, type SessionConfig } from "../../contracts/index.ts";
import type { ClientProvider, NodeUse } from "../../graph/index.ts";
import { isVendor } from "./agent-types.ts";

/** What an agent is to be set to. */
type Wanted = Pick<Extract<NodeUse, { readonly kind: "settings" }>, "model" | "effort">;

/** Settings of {@link createSettingsCheck}. */
export interface SettingsCheckOptions {
  /** The agent of the run, and its model. */
  readonly agent: string;
  readonly model: string | undefined;
  readonly clients: ClientProvider;
}

/**
 * Says why the run's agent cannot be set to something; undefined if it can. An agent over ACP says what it can be set to
 * only in a session, so one is opened and ended, without a message, once for each combination. Agents with a client of their
 * own have these settings for every model that knows them.
 */
export function createSettingsCheck({
  agent,
  model: modelOfRun,
  clients,
}: SettingsCheckOptions): (wanted: Wanted) => Promise<string | undefined> {
  const known = new Map<string, Promise<string | undefined>>();
  return async ({ model = modelOfRun, effort }) => {
    if (isVendor(agent) || agent === "scripted") return;
    const config: SessionConfig = {
      ...(model === undefined ? {} : { model }),
      ...(effort === undefined ? {} : { reasoningEffort: effort }),
    };
    const key = JSON.stringify(config);
    const finding = known.get(key) ?? tryToOpen(() => clients(agent), config);
    known.set(key, finding);
    return await finding;
  };
}

async function tryToOpen(
  connect: () => ReturnType<ClientProvider>,
  config: SessionConfig,
): Promise<string | undefined> {
  try {
    const session = await (await connect()).createSession(config);
    await session.destroy();
    return;
  } catch (error) {
    if (error instanceof CapabilityMissingError && config.reasoningEffort !== undefined)
      return `The agent "${error.agentType}" has no setting for the effort.`;
    if (error instanceof AgentTurnError && config.model !== undefined && !error.isRetryable) return error.message;
    // An agent that does not start, or needs a login, fails the step that needs it, with the same error.
    return;
  }
}
