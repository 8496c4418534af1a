import { type OpenedSandbox, openSandbox } from "../../sandbox/open-sandbox.ts";
import type { SandboxNeeds } from "../../sandbox/plan-sandbox.ts";
import { AGENT_TYPE } from "./claude-errors.ts";
import { buildEnvironment, type ClaudeOptions } from "./claude-options.ts";

/**
 * Opens a sandbox for a process of Claude Code, if the options have one.
 * @throws SandboxUnavailableError, SandboxInvalidError
 */
export function openClaudeSandbox(
  options: ClaudeOptions,
  process: Pick<SandboxNeeds, "program" | "workingDirectory">,
): Promise<OpenedSandbox | undefined> {
  return openSandbox(options, { ...process, agentType: AGENT_TYPE, env: buildEnvironment(options) });
}
