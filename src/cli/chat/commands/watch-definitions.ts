import { join } from "node:path";
import { watchEntities, watchWorkflowFiles } from "../../../discovery/index.ts";
import { entityPlaces } from "../../entities/load-entities.ts";
import type { CliEnvironment } from "../../environment.ts";
import type { Workspace } from "../../workspace.ts";

/** Where definitions are, and who wants to know that they changed. */
export interface WatchDefinitionsOptions {
  readonly environment: CliEnvironment;
  readonly workspace: Workspace;
  readonly onChange: () => void;
}

/** A watch of files. */
export interface DefinitionWatch {
  /** Resolves when the watch has begun, or cannot begin. Later changes are reported. */
  readonly begun: Promise<void>;
  /** Also before the watch has begun. */
  readonly stop: () => void;
}

/** Watches the files of commands, skills, agents and workflows. */
export function watchDefinitions({ environment, workspace, onChange }: WatchDefinitionsOptions): DefinitionWatch {
  const watches: { close(): void }[] = [];
  let isStopped = false;
  const start = async (open: () => Promise<{ close(): void }>): Promise<void> => {
    const watch = await open();
    if (isStopped) watch.close();
    else watches.push(watch);
  };
  const entities = start(async () => {
    const places = await entityPlaces(environment, workspace, { onDebug: () => undefined });
    return await watchEntities(places, onChange);
  });
  const workflows = start(async () => {
    const { projectDirectory, atomicHome: homeDirectory } = workspace;
    const { CLAUDE_CONFIG_DIR: claude = "" } = environment.env;
    const claudeConfigDirectory = claude === "" ? join(environment.userHomeDirectory, ".claude") : claude;
    return await watchWorkflowFiles({ projectDirectory, homeDirectory, claudeConfigDirectory }, onChange);
  });
  // Without a watch, the commands stay as they are.
  const begun = Promise.allSettled([entities, workflows]).then(() => undefined);
  const stop = (): void => {
    isStopped = true;
    for (const watch of watches) watch.close();
  };
  return { begun, stop };
}
