import type { PermissionEffect } from "../../contracts/index.ts";

/** What a rehearsal of a script came to. */
export interface ScriptRehearsal {
  /** How many agents it called, at most. */
  readonly agentCount: number;
  /** Why it would not work. */
  readonly problem?: string;
}

/** Settings of a rehearsal. */
export interface RehearseOptions {
  /** How many agents the script may call. */
  readonly maxAgents: number;
  readonly signal: AbortSignal;
}

/** What a run can do with workflow scripts that its agents write. */
export interface ScriptServices {
  /**
   * Runs a script with answers that are made up: no agent, command or workflow is started. Must end a script that does not
   * end by itself.
   *
   * @param script its text is the body of a function, as for `compileScript()`
   */
  rehearse(
    script: { readonly path: string; readonly text: string },
    options: RehearseOptions,
  ): Promise<ScriptRehearsal>;
  /** What the run's policy says of a command. */
  effectOf(command: string): PermissionEffect | Promise<PermissionEffect>;
  /** What has this name already, for example a path. Undefined for a free name. */
  findTaken(name: string): Promise<string | undefined>;
  /** Keeps a script among the project's workflows. Never overwrites a file. Returns its path, as people write it. */
  keep(name: string, text: string): Promise<string>;
}
