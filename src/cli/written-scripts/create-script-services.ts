import { explainCall } from "../../clients/index.ts";
import type { PermissionEffect, PermissionPolicy } from "../../contracts/index.ts";
import type { ScriptServices } from "../../graph/index.ts";
import type { Workspace } from "../workspace.ts";
import { findTaken, keepScript } from "./keep-script.ts";
import { rehearseScript } from "./rehearse-script.ts";

/** What the services of scripts need of a run. */
export interface ScriptPlace {
  readonly workspace: Pick<Workspace, "atomicHome">;
  readonly projectDirectory: string;
  readonly workingDirectory: string;
  readonly permissions: PermissionPolicy;
}

/** Checks and keeps the scripts that agents of a run write. */
export function createScriptServices({
  workspace,
  projectDirectory,
  workingDirectory,
  permissions: policy,
}: ScriptPlace): ScriptServices {
  return {
    rehearse: rehearseScript,
    async effectOf(command): Promise<PermissionEffect> {
      const request = { id: "script", sessionId: "script", kind: "shell", toolName: "shell", title: command } as const;
      return (await explainCall({ ...request, paths: [], command }, { policy, workingDirectory })).effect;
    },
    findTaken: async (name) => findTaken(projectDirectory, name),
    keep: async (name, text) => await keepScript({ projectDirectory, atomicHome: workspace.atomicHome }, name, text),
  };
}
