import { createSchemaValidator } from "../../clients/index.ts";
import { AtomicError, type DiscoveryProblem, type ToolDefinition } from "../../contracts/index.ts";
import { type LoadedTools, loadTools } from "../../discovery/index.ts";
import { getToolRegistry, type NamedServices } from "../../graph/index.ts";
import { safeLine } from "../../view/index.ts";
import { createDebugLog } from "../entities/load-entities.ts";
import type { CliEnvironment } from "../environment.ts";
import { describeLastWords } from "../loading/describe-last-words.ts";
import { WATCHDOG_MARGIN_MS, withWatchdog } from "../loading/watchdog.ts";
import { formatProblem } from "../loading/workflow-errors.ts";
import { SDK_MODULES } from "../sdk-modules.ts";
import { visibleLine } from "../visible/visible-text.ts";
import type { Workspace } from "../workspace.ts";
import { createOutputLimit, toolOutputFolder } from "./keep-output.ts";

/** How long one file may take to load. */
export const IMPORT_TIMEOUT_MS = 10_000;

/** How many files an error names. */
const MAX_NAMED = 5;

/** A tool was asked for that may be in a file of a project that is not trusted. */
export class ToolsUntrustedError extends AtomicError {
  readonly isRetryable = false;

  constructor(
    readonly toolName: string,
    readonly files: readonly string[],
  ) {
    const more = files.length > MAX_NAMED ? [`  - and ${files.length - MAX_NAMED} more`] : [];
    super(
      "PROJECT_UNTRUSTED",
      [
        `The tool "${visibleLine(toolName)}" may be one of this project's own, and you have not trusted the project yet. Its tool files run code on your machine:`,
        ...files.slice(0, MAX_NAMED).map((file) => `  - ${visibleLine(file)}`),
        ...more,
        "Look at them, then call again with --trust.",
      ].join("\n"),
    );
  }
}

/** A file of tools did not return while it was imported. */
export class ToolFileTimeoutError extends AtomicError {
  constructor(
    readonly path: string,
    readonly timeoutMs: number,
  ) {
    super(
      "TOOL_FILE_TIMEOUT",
      `The tool file ${path} did not load within ${timeoutMs} ms. Look for a loop at the top level that never ends.`,
    );
  }
}

/** Where tools come from. */
export interface OpenToolsPlace {
  readonly environment: CliEnvironment;
  readonly workspace: Workspace;
  readonly projectDirectory: string;
  /** Receives a line for each tool that is registered, resolved or missing. @default standard error, with `ATOMIC_DEBUG` */
  readonly onDebug?: ((line: string) => void) | undefined;
}

/** The tools of a call. Their files are imported when something first asks for a tool. */
export interface OpenedTools {
  load(): Promise<LoadedTools>;
  /** The definitions for agents. */
  list(): Promise<readonly ToolDefinition[]>;
  /** Finds a tool by its name. `find` throws ToolsUntrustedError. */
  readonly service: NamedServices<ToolDefinition>;
}

/**
 * Opens the tools of the project and the user for one call.
 *
 * @param tell receives one line about each broken file
 */
export function openTools(place: OpenToolsPlace, tell: (line: string) => void): OpenedTools {
  let loading: Promise<LoadedTools> | undefined;
  let loaded: LoadedTools | undefined;
  const load = async (): Promise<LoadedTools> => {
    const isFirst = loading === undefined;
    loading ??= loadFoundTools(place);
    loaded = await loading;
    if (isFirst) for (const problem of loaded.problems) tell(describeProblem(problem, "warning"));
    return loaded;
  };
  return {
    load,
    list: async () => (await load()).registry.getAll().map(({ definition }) => definition),
    service: {
      async find(name) {
        const { registry, untrusted } = await load();
        const found = registry.find(name);
        if (found === undefined && untrusted.length > 0) throw new ToolsUntrustedError(name, untrusted);
        return found;
      },
      // Names are wanted for the error about one that was looked up.
      names: () => loaded?.registry.names() ?? [],
    },
  };
}

/** The `tools` service of a run: those that its workflow's files registered, then those of the files of tools. */
export function toolsOfRun({ service }: OpenedTools): NamedServices<ToolDefinition> {
  const own = getToolRegistry();
  return {
    find: async (name) => own.find(name) ?? (await service.find(name)),
    names: () => [...new Set([...own.names(), ...service.names()])],
  };
}

/**
 * One line about a broken file of tools.
 *
 * @param label how bad it is for the call
 */
export function describeProblem(problem: DiscoveryProblem, label: "error" | "warning" = problem.severity): string {
  return safeLine(`${label}: ${formatProblem(problem)}`, Number.MAX_SAFE_INTEGER);
}

async function loadFoundTools(place: OpenToolsPlace): Promise<LoadedTools> {
  const { environment, workspace, projectDirectory, onDebug = createDebugLog(environment) } = place;
  return await loadTools({
    projectDirectory,
    homeDirectory: workspace.atomicHome,
    isTrusted: await workspace.trust.isTrusted(projectDirectory),
    sdkModules: SDK_MODULES,
    compileSchema: (schema) => createSchemaValidator(schema, { subject: "the arguments" }),
    boundOutput: createOutputLimit(toolOutputFolder(workspace.atomicHome)),
    onDebug,
    importTimeoutMs: IMPORT_TIMEOUT_MS,
    guard: (path, work) =>
      withWatchdog(work, {
        timeoutMs: IMPORT_TIMEOUT_MS + WATCHDOG_MARGIN_MS,
        lastWords: describeLastWords(new ToolFileTimeoutError(path, IMPORT_TIMEOUT_MS), environment),
      }),
  });
}
