import { preloadSdk } from "../../clients/index.ts";
import type { Config } from "../config/config.ts";
import { resolveSandboxSetting } from "../config/resolve-sandbox-setting.ts";
import type { RunFlags } from "../config/run-flags.ts";
import type { CliEnvironment } from "../environment.ts";
import { openHooks } from "../hooks/open-hooks.ts";
import { vendorDirectoryOf } from "../install/install-agent.ts";
import type { CallTelemetry } from "../telemetry/open-telemetry.ts";
import { openTools } from "../tools/open-tools.ts";
import type { ProjectTrust } from "../trust/project-trust.ts";
import { hookOwners } from "../trust/settings-owners.ts";
import { trustSettings } from "../trust/trust-settings.ts";
import type { Workspace } from "../workspace.ts";
import { isVendor } from "./agent-types.ts";
import { type Agents, createAgents } from "./agents.ts";

/** What the agents of a conversation depend on. */
export interface OpenAgentsOptions {
  readonly environment: CliEnvironment;
  readonly workspace: Workspace;
  readonly trust: ProjectTrust;
  readonly flags: Pick<RunFlags, "sandbox" | "hooks">;
  readonly config: Config;
  readonly agent: string;
  /** Receives warnings, such as about files of the project that are not loaded. */
  readonly tell: (message: string) => void;
  /** Tracks the sessions. @default nothing is tracked */
  readonly telemetry?: Pick<CallTelemetry, "wrap">;
}

/** The agents of a conversation with a person, without a workflow: with the tools of the project and the user. */
export function openAgents(options: OpenAgentsOptions): Agents {
  const { environment, workspace, trust, flags, config, agent, telemetry } = options;
  const tell = (message: string): void => options.tell(workspace.redactor.text(message));
  const { projectDirectory, workingDirectory, atomicHome } = workspace;
  if (isVendor(agent)) preloadSdk(agent, { vendorDirectory: vendorDirectoryOf(atomicHome, agent) });
  const tools = openTools({ environment, workspace, projectDirectory }, tell);
  const agents = createAgents({
    config,
    defaultAgent: agent,
    workingDirectory,
    projectDirectory,
    atomicHome,
    env: environment.env,
    sandbox: resolveSandboxSetting({ config, flags, environment }),
    recovery: { fallbackModels: config.models?.fallback ?? [] },
    offeredTools: { load: tools.list, tell },
    hooks: openHooks({ environment, config, flags, projectDirectory, workingDirectory, tell }),
    ...trustSettings({ config, trust, owners: ["atomic", "tools", ...hookOwners(config, flags)], tell }),
  });
  return telemetry === undefined ? agents : { ...agents, provider: telemetry.wrap(agents.provider) };
}
