import { join } from "node:path";
import { fingerprintFolder } from "./fingerprint-folder.ts";
import { realPathOf } from "./real-path.ts";
import { type AtomicFolders, workflowSearchPaths } from "./workflow-search-paths.ts";

/** Settings of {@link watchWorkflowFiles}. */
export interface WatchWorkflowFilesOptions extends AtomicFolders {
  /** Claude Code's own folder, which can contain workflow scripts. */
  readonly claudeConfigDirectory: string;
  /** How often the folders are looked at, in milliseconds. @default 1_000 */
  readonly intervalMs?: number;
}

/** A watch of workflow files. */
export interface WorkflowFileWatch {
  /** Ends the watch; `onChange` is not called any more. Idempotent. */
  close(): void;
}

const DEFAULT_INTERVAL_MS = 1_000;

/**
 * Watches the workflow files and scripts of a project and of the user, with the helpers below their folders. The folders need
 * not exist yet. It compares sizes and times regularly: a workflow can import helpers from any subfolder, and few files are
 * cheaper to look at than to watch. Does not keep the process alive. Later changes than the promise are reported.
 *
 * @param onChange called after each change; must not throw
 *
 * @example
 * const watch = await watchWorkflowFiles({ projectDirectory, homeDirectory, claudeConfigDirectory }, () => reload());
 * watch.close();
 */
export async function watchWorkflowFiles(
  options: WatchWorkflowFilesOptions,
  onChange: () => void,
): Promise<WorkflowFileWatch> {
  const { projectDirectory, claudeConfigDirectory, intervalMs = DEFAULT_INTERVAL_MS } = options;
  const paths = [
    ...workflowSearchPaths(options).map(({ path }) => path),
    join(projectDirectory, ".claude", "workflows"),
    join(claudeConfigDirectory, "workflows"),
  ];
  const look = async (): Promise<string> => {
    const folders = new Set(paths.map(realPathOf));
    return (await Promise.all([...folders].map(fingerprintFolder))).join(" ");
  };
  let isClosed = false;
  let last = await look();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const plan = (): void => {
    timer = setTimeout(() => void compare(), intervalMs);
    timer.unref();
  };
  const compare = async (): Promise<void> => {
    const now = await look();
    if (isClosed) return;
    if (now !== last) onChange();
    last = now;
    plan();
  };
  plan();
  return {
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
