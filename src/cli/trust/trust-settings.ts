import type { ProjectSettingsOwner } from "../../discovery/index.ts";
import { visibleLine } from "../../view/index.ts";
import type { AgentsOptions } from "../agents/agents.ts";
import { type Config, settingsOf } from "../config/config.ts";
import type { ProjectTrust } from "./project-trust.ts";

/** Settings of {@link trustSettings}. */
export interface NoticeOptions {
  readonly config: Config;
  readonly trust: ProjectTrust;
  /** Further owners whose settings Atomic itself loads for this call. */
  readonly owners: readonly ProjectSettingsOwner[];
}

/**
 * Agent settings of a call that checks trust. Trust is checked and reported when each agent starts, which in a long run may
 * be hours after the run started.
 */
export function trustSettings(
  options: NoticeOptions & { readonly tell: (message: string) => void },
): Required<Pick<AgentsOptions, "beforeStart">> {
  return {
    async beforeStart(agentType) {
      const notices = await noticesBeforeStart(agentType, options);
      for (const notice of notices) options.tell(notice);
      return await options.trust.isTrusted();
    },
  };
}

/** Warnings about an agent that is about to start, one per line. @throws ProjectSettingsUntrustedError */
async function noticesBeforeStart(
  agentType: string,
  { config, trust, owners }: NoticeOptions,
): Promise<readonly string[]> {
  const leftOut = await trust.describeLeftOut(agentType, config, owners);
  const settings = settingsOf(config, agentType);
  const isUngated = settings !== undefined && "ungated" in settings && settings.ungated === true;
  return [...(leftOut === undefined ? [] : [leftOut]), ...(isUngated ? [describeUngated(agentType)] : [])];
}

function describeUngated(agentType: string): string {
  const name = visibleLine(agentType);
  return `The agent "${name}" decides about its tool calls itself (agents.${name}.ungated); Atomic's policy applies only to what it asks.`;
}
