import { type DiscoveryProblem, messageOf } from "../../../contracts/index.ts";
import type { EntityRegistry } from "../../../discovery/index.ts";
import type { HostCommand } from "../../../tui/index.ts";
import { HintProvider } from "../../../workflows/run-kit.ts";
import type { ExpandPlace } from "../../entities/expand-entity.ts";
import { loadEntities } from "../../entities/load-entities.ts";
import type { CliEnvironment } from "../../environment.ts";
import { formatProblem } from "../../loading/workflow-errors.ts";
import { formatLeftOut } from "../../trust/project-trust.ts";
import type { Workspace } from "../../workspace.ts";
import { entityCommands } from "./entity-commands.ts";
import { uniqueCommands } from "./unique-commands.ts";
import { type ChatWorkflow, type StartRun, workflowCommands } from "./workflow-commands.ts";

/** So many problems are shown. */
const MAX_SHOWN_PROBLEMS = 5;

/** What slash commands are made of. */
export interface HostCommandSources {
  readonly environment: CliEnvironment;
  readonly workspace: Workspace;
  /** Where prompts are expanded, and what commands in them may do. */
  readonly place: ExpandPlace;
  readonly hasUserSettings: (agentType: string) => boolean;
  readonly startRun: StartRun;
  /** Receives a line about each file that cannot be used. */
  readonly tell: (line: string) => void;
}

/**
 * The commands, skills, workflows and agents of the project and the user as slash commands. Of one name, the first kind is used,
 * and nothing of a project that is not trusted precedes anything else. Executes no file that is not trusted; a broken file is
 * a line for the person.
 *
 * @throws the signal's reason
 */
export async function loadHostCommands(
  sources: HostCommandSources,
  signal: AbortSignal,
): Promise<readonly HostCommand[]> {
  const [found, workflows] = await Promise.all([loadDefinitions(sources), loadWorkflows(sources, signal)]);
  signal.throwIfAborted();
  const hints = new HintProvider({ entities: found, workflows: workflows.map(({ metadata }) => metadata) });
  const { place, hasUserSettings, startRun } = sources;
  const options = { registry: found, place, hasUserSettings, hintOf: (name: string) => hints.getCommandHint(name) };
  const all = [
    ...entityCommands("command", options),
    ...entityCommands("skill", options),
    ...workflowCommands(workflows, startRun),
    ...entityCommands("agent", options),
  ];
  const isUntrusted = ({ source = "" }: HostCommand): boolean => source.endsWith("not trusted");
  return uniqueCommands([...all.filter((command) => !isUntrusted(command)), ...all.filter(isUntrusted)]);
}

async function loadDefinitions({ environment, workspace, tell }: HostCommandSources): Promise<EntityRegistry> {
  const { registry, problems } = await loadEntities(environment, workspace, { onDebug: () => undefined });
  tellProblems(problems, tell);
  return registry;
}

/** None where their list cannot be read. */
async function loadWorkflows(
  { workspace, tell }: HostCommandSources,
  signal: AbortSignal,
): Promise<readonly ChatWorkflow[]> {
  try {
    const { projectDirectory } = workspace;
    const { registry, problems, untrusted, claudeScripts } = await workspace.loadProject(projectDirectory, signal);
    tellProblems(problems, tell);
    if (untrusted.length > 0) tell(formatLeftOut(untrusted));
    const isTrusted = await workspace.trust.isTrusted(projectDirectory);
    const scripts = claudeScripts.filter(({ source }) => isTrusted || source === "global");
    return [
      ...registry.workflows,
      ...scripts.map(({ name, description, source }) => ({
        metadata: { name, description, source, aliases: [] },
        isScript: true,
      })),
    ];
  } catch (error) {
    signal.throwIfAborted();
    tell(`The workflows cannot be listed: ${messageOf(error)}`);
    return [];
  }
}

function tellProblems(problems: readonly DiscoveryProblem[], tell: (line: string) => void): void {
  const errors = problems.filter(({ severity }) => severity === "error");
  for (const problem of errors.slice(0, MAX_SHOWN_PROBLEMS)) tell(formatProblem(problem));
  const left = errors.length - MAX_SHOWN_PROBLEMS;
  if (left > 0) tell(`${left} more files cannot be used. See all of them: atomic doctor`);
}
