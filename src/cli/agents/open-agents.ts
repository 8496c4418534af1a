import { preloadSdk } from "../../clients/index.ts";
import type { PermissionPolicy } from "../../contracts/index.ts";
import type { Config } from "../config/config.ts";
import { describeRuleAdvice } from "../config/describe-rule-advice.ts";
import { resolvePermissions } from "../config/resolve-permissions.ts";
import { resolveSandboxSetting } from "../config/resolve-sandbox-setting.ts";
import { permissionFlagsOf, type RunFlags } from "../config/run-flags.ts";
import type { CliEnvironment } from "../environment.ts";
import { vendorDirectoryOf } from "../install/install-agent.ts";
import { openTools } from "../tools/open-tools.ts";
import type { ProjectTrust } from "../trust/project-trust.ts";
import { trustSettings } from "../trust/trust-settings.ts";
import type { Workspace } from "../workspace.ts";
import { assertKnownAgent, DEFAULT_AGENT, isVendor } from "./agent-types.ts";
import { type Agents, createAgents } from "./agents.ts";

/** What the agents of a conversation depend on. */
export interface OpenAgentsOptions {
  readonly environment: CliEnvironment;
  readonly workspace: Workspace;
  readonly trust: ProjectTrust;
  readonly flags: Pick<RunFlags, "sandbox">;
  readonly config: Config;
  readonly agent: string;
  /** Receives warnings, such as about files of the project that are not loaded. */
  readonly tell: (message: string) => void;
}

/** The agents of a conversation with a person, without a workflow: with the tools of the project and the user. */
export function openAgents({ environment, workspace, trust, flags, config, agent, tell }: OpenAgentsOptions): Agents {
  const { projectDirectory } = workspace;
  const tools = openTools({ environment, workspace, projectDirectory }, tell);
  return createAgents({
    config,
    defaultAgent: agent,
    workingDirectory: workspace.workingDirectory,
    projectDirectory,
    atomicHome: workspace.atomicHome,
    env: environment.env,
    sandbox: resolveSandboxSetting({ config, flags, environment }),
    recovery: { fallbackModels: config.models?.fallback ?? [] },
    offeredTools: { load: tools.list, tell },
    ...trustSettings({ config, trust, owners: ["atomic", "tools"], tell }),
  });
}

/**
 * The settings and the agent of a conversation. Asks for trust in the project once, before loading anything of it.
 *
 * @throws UnknownAgentError, ConfigInvalidError
 */
export async function loadForConversation(
  workspace: Workspace,
  trust: ProjectTrust,
  flags: Pick<RunFlags, "agent" | "trust">,
): Promise<{ readonly config: Config; readonly agent: string }> {
  const { projectDirectory } = workspace;
  if (flags.trust) await trust.trust();
  const known = await workspace.loadConfig(projectDirectory);
  await trust.askFor(flags.agent ?? known.agent ?? DEFAULT_AGENT, known, ["atomic", "tools"]);
  await workspace.reportChanges(projectDirectory);
  // With trust, the project's own settings apply.
  const config = await workspace.loadConfig(projectDirectory);
  const agent = flags.agent ?? config.agent ?? DEFAULT_AGENT;
  assertKnownAgent(agent, config);
  if (isVendor(agent)) preloadSdk(agent, { vendorDirectory: vendorDirectoryOf(workspace.atomicHome, agent) });
  return { config, agent };
}

/** The policy of a conversation. Reports rules that allow more, or less, than they seem to. @throws UsageError */
export function permissionsForConversation({
  workspace: { atomicHome, workingDirectory },
  config,
  flags,
  tell,
}: {
  readonly workspace: Workspace;
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
