import type { WorkflowMetadata } from "../contracts/index.ts";
import type { MigrateState } from "../graph/index.ts";

/** The options that tell the engine about versions of a workflow's state. */
export function versioningOf({
  metadata: { stateVersion },
  migrateState,
}: {
  readonly metadata: WorkflowMetadata;
  readonly migrateState?: MigrateState;
}) {
  return {
    ...(stateVersion === undefined ? {} : { stateVersion }),
    ...(migrateState === undefined ? {} : { migrateState }),
  };
}
