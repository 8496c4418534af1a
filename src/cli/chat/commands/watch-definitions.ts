import { type EntityWatcher, watchEntities } from "../../../discovery/index.ts";
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

/** Watches the files of commands, skills and agents. */
export function watchDefinitions({ environment, workspace, onChange }: WatchDefinitionsOptions): DefinitionWatch {
  let watcher: EntityWatcher | undefined;
  let isStopped = false;
  const start = async (): Promise<void> => {
    const places = await entityPlaces(environment, workspace, { onDebug: () => undefined });
    const started = await watchEntities(places, onChange);
    if (isStopped) started.close();
    else watcher = started;
  };
  // Without a watch, the commands stay as they are.
  const begun = start().catch(() => undefined);
  const stop = (): void => {
    isStopped = true;
    watcher?.close();
  };
  return { begun, stop };
}
