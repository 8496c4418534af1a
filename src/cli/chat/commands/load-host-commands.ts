import type { EntityRegistry } from "../../../discovery/index.ts";
import type { HostCommand } from "../../../tui/index.ts";
import { HintProvider } from "../../../workflows/run-kit.ts";
import type { ExpandPlace } from "../../entities/expand-entity.ts";
import { loadEntities } from "../../entities/load-entities.ts";
import type { CliEnvironment } from "../../environment.ts";
import type { Workspace } from "../../workspace.ts";
import { entityCommands } from "./entity-commands.ts";
import { uniqueCommands } from "./unique-commands.ts";
import { type ChatWorkflow, type StartRun, workflowCommands } from "./workflow-commands.ts";
import { tellProblems, type WorkflowList } from "./workflow-list.ts";

/** What slash commands are made of. */
export interface HostCommandSources {
  readonly environment: CliEnvironment;
  readonly workspace: Workspace;
  /** Where prompts are expanded, and what commands in them may do. */
  readonly place: ExpandPlace;
  readonly hasUserSettings: (agentType: string) => boolean;
  readonly startRun: StartRun;
  readonly workflows: WorkflowList;
  /** Receives a line about each file that cannot be used. */
  readonly tell: (line: string) => void;
}

/**
 * The commands, skills, workflows and agents of the project and the user as slash commands. Of one name, the first kind is used,
 * and nothing of a project that is not trusted precedes anything else. Executes no file that is not trusted; a broken file is
 * a line for the person.
 *
 * @param onPart receives the commands so far, where the check of workflow files takes a while
 * @throws the signal's reason
 */
export async function loadHostCommands(
  sources: HostCommandSources,
  signal: AbortSignal,
  onPart: (commands: readonly HostCommand[]) => void = () => undefined,
): Promise<readonly HostCommand[]> {
  const loading = loadDefinitions(sources);
  let isComplete = false;
  const showPart = async (known: readonly ChatWorkflow[]): Promise<void> => {
    const found = await loading;
    if (!isComplete && !signal.aborted) onPart(commandsOf(sources, found, known));
  };
  const [found, workflows] = await Promise.all([
    loading,
    // What fails here fails below, too.
    sources.workflows.load(signal, (known) => void showPart(known).catch(() => undefined)),
  ]);
  signal.throwIfAborted();
  isComplete = true;
  return commandsOf(sources, found, workflows);
}

function commandsOf(
  { place, hasUserSettings, startRun }: HostCommandSources,
  found: EntityRegistry,
  workflows: readonly ChatWorkflow[],
): readonly HostCommand[] {
  const hints = new HintProvider({ entities: found, workflows: workflows.map(({ metadata }) => metadata) });
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
