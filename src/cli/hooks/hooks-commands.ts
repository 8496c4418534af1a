import type { UserHook } from "../../contracts/index.ts";
import { readHookFiles } from "../../discovery/index.ts";
import { formatTable, safeLine, visibleLine } from "../../view/index.ts";
import { assertKnownAgent, DEFAULT_AGENT } from "../agents/agent-types.ts";
import type { CliEnvironment } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";
import { formatJson } from "../output/format-json.ts";
import { printProblems } from "../output/problem-printer.ts";
import { tableColumns } from "../output/terminal.ts";
import { ProjectTrust } from "../trust/project-trust.ts";
import { Workspace } from "../workspace.ts";
import { hookFoldersOf } from "./open-hooks.ts";
import { type HookState, hooksSettingOf, stateOf } from "./select-hooks.ts";

/** Options of `atomic hooks list`. */
export interface HooksFlags {
  readonly agent?: string;
  readonly trust?: boolean;
  readonly json?: boolean;
  /** False for `--no-hooks`. */
  readonly hooks?: boolean;
}

const MAX_COMMAND_COLUMNS = 60;

/** `atomic hooks list`: the hooks of the user and the project, which of them run with an agent, and why the others do not. */
export async function listHooksCommand(environment: CliEnvironment, flags: HooksFlags): Promise<ExitCode> {
  const { stdout } = environment;
  const workspace = new Workspace(environment);
  const { projectDirectory, workingDirectory } = workspace;
  const trust = new ProjectTrust({ environment, workspace, projectDirectory, workingDirectory, isJson: true });
  if (flags.trust === true) await trust.trustByOption();
  const config = await workspace.loadConfig(projectDirectory);
  const agentType = flags.agent ?? config.agent ?? DEFAULT_AGENT;
  assertKnownAgent(agentType, config);
  const setting = hooksSettingOf(config, flags);
  const isProjectTrusted = await trust.isTrusted();
  const { hooks, problems } = await readHookFiles(hookFoldersOf({ environment, projectDirectory }));
  const options = { agentType, config, setting, isProjectTrusted, workingDirectory };
  const listed = hooks.map((hook) => ({ ...hook, state: stateOf(hook, options) }));
  if (flags.json === true) {
    stdout.write(`${formatJson({ agent: agentType, setting, hooks: listed, problems })}\n`);
    return ExitCode.done;
  }
  if (listed.length === 0) stdout.write("No hooks were found here. See docs/hooks.md for the files that are read.\n");
  else {
    const rows = listed.map((hook) => rowOf(hook, agentType));
    const columns = tableColumns(stdout);
    stdout.write(`${formatTable(["EVENT", "MATCHER", "RUNS", "COMMAND", "FILE"], rows, { columns })}\n`);
  }
  printProblems(environment, problems, "atomic hooks list --json");
  return ExitCode.done;
}

function rowOf(hook: UserHook & { readonly state: HookState }, agentType: string): readonly string[] {
  const state = describeState(hook.state, agentType);
  if (hook.type === "plugin") return ["(plugin)", "", state, "", visibleLine(hook.filePath)];
  const { event, matcher = "", command, args = [], filePath, line } = hook;
  const whole = safeLine([command, ...args].join(" "), MAX_COMMAND_COLUMNS);
  return [event, visibleLine(matcher), state, whole, visibleLine(`${filePath}:${line}`)];
}

function describeState(state: HookState, agentType: string): string {
  switch (state) {
    case "runs":
      return "yes";
    case "off":
      return "no: hooks are off";
    case "untrusted":
      return "no: the project is not trusted";
    case "by-agent":
      return `by ${visibleLine(agentType)} itself`;
    case "without-settings":
      return `no: ${visibleLine(agentType)} is set up without your settings`;
  }
}
