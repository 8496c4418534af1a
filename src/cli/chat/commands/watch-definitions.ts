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

/** Watches the files of commands, skills and agents. Returns a function that stops, also before the watch has begun. */
export function watchDefinitions({ environment, workspace, onChange }: WatchDefinitionsOptions): () => void {
  let watcher: EntityWatcher | undefined;
  let isStopped = false;
  const start = async (): Promise<void> => {
    const places = await entityPlaces(environment, workspace, { onDebug: () => undefined });
    const started = await watchEntities(places, onChange);
    if (isStopped) started.close();
    else watcher = started;
  };
  // Without a watch, the commands stay as they are.
  start().catch(() => undefined);
  return () => {
    isStopped = true;
    watcher?.close();
  };
}
