import { isListOf, isRecord, isText } from "../../contracts/index.ts";

/** Starts the program for OpenCode's plugins in a compiled Atomic, see `commandOfFile()`. */
export const PLUGIN_PROGRAM = "--run-plugins";

/** The first line that the program reads. */
export interface PluginStart {
  /** The paths of the modules. */
  readonly plugins: readonly string[];
  readonly directory: string;
  readonly worktree: string;
}

/** Whether a value is what `PluginHost` sends first. */
export function isPluginStart(value: unknown): value is PluginStart {
  if (!isRecord(value)) return false;
  const { plugins, directory, worktree } = value;
  return isListOf(plugins, isText) && [directory, worktree].every(isText);
}
