import { dirname } from "node:path";
import type { DiscoveryProblem, ImportScope } from "../contracts/index.ts";
import { readBoundedFile } from "../system/index.ts";
import { createWorkflow, type DiscoveredWorkflow } from "./create-workflow.ts";
import { describeImportError, isSyntaxErrorOf } from "./describe-import-error.ts";
import type { WorkflowFile } from "./discover-workflow-files.ts";
import { fingerprintFolder } from "./fingerprint-folder.ts";
import { importInScope } from "./import-in-scope.ts";
import { checkMinSdkVersion, parseWorkflowModule } from "./parse-workflow-module.ts";
import type { SdkExports } from "./register-sdk-modules.ts";
import { blankComments } from "./source-text.ts";
import { describeUnreadable } from "./unreadable-file.ts";

/** Settings of {@link loadWorkflow}. */
export interface LoadWorkflowOptions {
  /** The version of the running Atomic. */
  readonly sdkVersion: string;
  /** The result of `registerSdkModules()`, which the file's imports need. */
  readonly sdkExports: SdkExports;
  /** Names of the graph builder's methods, for suggestions when one is misspelled. @default none */
  readonly builderMethods?: readonly string[];
  /** How long the file may wait while it is loaded, in milliseconds. A loop that does not wait is not interrupted. @default 10_000 */
  readonly importTimeoutMs?: number;
  /** Makes a place for what the file registers while it is imported. @default what it registers is left to itself */
  readonly createImportScope?: () => ImportScope;
  readonly signal?: AbortSignal;
}

/** The result of {@link loadWorkflow}. */
export interface LoadedFile {
  /** Undefined if a problem is an error. */
  readonly workflow?: DiscoveredWorkflow;
  readonly problems: readonly DiscoveryProblem[];
  /** See `FileResult`. */
  readonly isLasting?: boolean;
}

/**
 * Imports a workflow file into this process, which runs its code, and checks its exports. Whatever is wrong with the file is
 * a problem. Throws only the signal's reason.
 *
 * Bun must run with `--no-install`: otherwise it fetches missing packages, misspelled ones included, from the registry and
 * runs them.
 */
export async function loadWorkflow(file: WorkflowFile, options: LoadWorkflowOptions): Promise<LoadedFile> {
  const { sdkVersion, sdkExports, builderMethods = [], importTimeoutMs: timeoutMs = 10_000, signal } = options;
  const { createImportScope } = options;
  const { path, realPath } = file;
  let text: string;
  try {
    text = await readBoundedFile(realPath);
  } catch (error) {
    return { problems: [describeUnreadable(path, error)] };
  }
  // A file for a newer Atomic may fail to load in this one; the version is the more useful explanation.
  const tooNew = checkMinSdkVersion(file, readMinSdkVersion(text), { text, sdkVersion });
  if (tooNew) return { problems: [tooNew], isLasting: true };
  try {
    const version = await fingerprintFolder(dirname(realPath));
    const importing = { version, timeoutMs, createImportScope, ...(signal && { signal }) };
    const { exports, withRegistrations } = await importInScope(realPath, importing);
    const parsed = parseWorkflowModule({ file, exports, text, sdkVersion });
    const workflow = parsed.workflow && createWorkflow(parsed.workflow, file, builderMethods);
    return {
      ...(workflow && { workflow: { ...workflow, create: withRegistrations(workflow.create) } }),
      problems: parsed.problems,
      ...(workflow === undefined ? { isLasting: true } : {}),
    };
  } catch (error) {
    signal?.throwIfAborted();
    const problems = await describeImportError({ error, path, realPath, sdkExports });
    return { problems, ...(problems.every((problem) => isSyntaxErrorOf(problem, path)) ? { isLasting: true } : {}) };
  }
}

/** The `minSDKVersion` in a file's text, if it is a string literal. */
function readMinSdkVersion(text: string): string | undefined {
  return /\bexport\s+const\s+minSDKVersion\s*(?::\s*string\s*)?=\s*(["'`])([^"'`]+)\1/.exec(blankComments(text))?.[2];
}
