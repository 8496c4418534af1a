import type { PermissionPolicy } from "../../contracts/index.ts";
import type { Config } from "../config/config.ts";
import { describeRuleAdvice } from "../config/describe-rule-advice.ts";
import { resolvePermissions } from "../config/resolve-permissions.ts";
import { permissionFlagsOf, type RunFlags } from "../config/run-flags.ts";
import type { ProjectPlace } from "../project-place.ts";
import type { ProjectTrust } from "../trust/project-trust.ts";
import { hookOwners } from "../trust/settings-owners.ts";
import { assertKnownAgent, DEFAULT_AGENT } from "./agent-types.ts";

/**
 * The settings and the agent of a conversation. Asks for trust in the project once, before loading anything of it.
 *
 * @throws UnknownAgentError, ConfigInvalidError
 */
export async function loadForConversation(
  place: Pick<ProjectPlace, "projectDirectory" | "loadConfig" | "reportChanges">,
  trust: ProjectTrust,
  flags: Pick<RunFlags, "agent" | "trust" | "hooks">,
): Promise<{ readonly config: Config; readonly agent: string }> {
  const { projectDirectory } = place;
  if (flags.trust) await trust.trustByOption();
  const known = await place.loadConfig(projectDirectory);
  await trust.askFor(flags.agent ?? known.agent ?? DEFAULT_AGENT, known, [
    "atomic",
    "tools",
    ...hookOwners(known, flags),
  ]);
  await place.reportChanges(projectDirectory);
  // With trust, the project's own settings apply.
  const config = await place.loadConfig(projectDirectory);
  const agent = flags.agent ?? config.agent ?? DEFAULT_AGENT;
  assertKnownAgent(agent, config);
  return { config, agent };
}

/** The policy of a conversation. Reports rules that allow more, or less, than they seem to. @throws UsageError */
export function permissionsForConversation({
  place: { atomicHome, workingDirectory },
  config,
  flags,
  tell,
}: {
  readonly place: Pick<ProjectPlace, "atomicHome" | "workingDirectory">;
  readonly config: Config;
  readonly flags: RunFlags;
  readonly tell: (message: string) => void;
}): PermissionPolicy {
  const permissions = resolvePermissions({
    configured: config.permissions,
    flags: permissionFlagsOf(flags),
    ...{ atomicHome, workingDirectory },
  });
  for (const line of describeRuleAdvice(permissions, workingDirectory)) tell(line);
  return permissions;
}
