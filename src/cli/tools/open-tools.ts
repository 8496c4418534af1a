import { createSchemaValidator } from "../../clients/index.ts";
import {
  AtomicError,
  type DiscoveryProblem,
  isBuiltInTool,
  type ToolDefinition,
  type ToolEntry,
} from "../../contracts/index.ts";
import { type LoadedTools, ToolFiles } from "../../discovery/index.ts";
import { getToolRegistry, type NamedServices } from "../../graph/index.ts";
import { safeLine, visibleLine } from "../../view/index.ts";
import { createDebugLog } from "../entities/load-entities.ts";
import type { CliEnvironment } from "../environment.ts";
import { describeLastWords } from "../loading/describe-last-words.ts";
import { WATCHDOG_MARGIN_MS, withWatchdog } from "../loading/watchdog.ts";
import { formatProblem } from "../loading/workflow-errors.ts";
import { isError } from "../loading/workflow-loader.ts";
import { SDK_MODULES } from "../sdk-modules.ts";
import type { Workspace } from "../workspace.ts";
import { createImportCheck, IMPORT_TIMEOUT_MS } from "./check-in-processes.ts";
import { createOutputLimit, toolOutputFolder } from "./keep-output.ts";

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

/** The file of the requested tool is broken. */
export class ToolBrokenError extends AtomicError {
  readonly isRetryable = false;

  constructor(
    readonly toolName: string,
    readonly problems: readonly DiscoveryProblem[],
  ) {
    const lines = problems.map((problem) => safeLine(formatProblem(problem), Number.MAX_SAFE_INTEGER));
    super("TOOL_BROKEN", [`The tool "${visibleLine(toolName)}" cannot be loaded.`, ...lines].join("\n"));
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
  /** All of them. Says nothing about broken files. */
  load(): Promise<LoadedTools>;
  /** A tool by its name; imports only files that can define it. @throws ToolBrokenError, ToolsUntrustedError */
  find(name: string): Promise<ToolEntry | undefined>;
  /** The definitions for agents. */
  list(): Promise<readonly ToolDefinition[]>;
  /**
   * As `find`, but finds none in a file that is not trusted where an agent has a tool of that name; `names` has all tools once
   * a name was missing.
   */
  readonly service: NamedServices<ToolDefinition>;
}

/**
 * Opens the tools of the project and the user for one call.
 *
 * @param tell receives one line about each broken file, of those that were needed
 */
export function openTools(place: OpenToolsPlace, tell: (line: string) => void): OpenedTools {
  const told = new Set<string>();
  const tellOnce = (problems: readonly DiscoveryProblem[]): void => {
    for (const line of problems.map((problem) => describeProblem(problem, "warning"))) {
      if (!told.has(line)) tell(line);
      told.add(line);
    }
  };
  let opening: Promise<ToolFiles> | undefined;
  const open = (): Promise<ToolFiles> => {
    opening ??= openToolFiles(place);
    return opening;
  };
  let knownNames: readonly string[] = [];
  const load = async (): Promise<LoadedTools> => await (await open()).load();
  const find = async (name: string): Promise<ToolEntry | undefined> => {
    const { entry, problems, untrusted } = await (await open()).find(name);
    if (entry === undefined) {
      const errors = problems.filter(isError);
      if (errors.length > 0) throw new ToolBrokenError(name, errors);
      if (untrusted.length > 0) throw new ToolsUntrustedError(name, untrusted);
      // Names are wanted for the error about one that was looked up.
      knownNames = (await load()).registry.names();
    }
    tellOnce(problems);
    return entry;
  };
  return {
    load,
    find,
    async list() {
      const { registry, problems } = await load();
      tellOnce(problems);
      return registry.getAll().map(({ definition }) => definition);
    },
    service: {
      async find(name) {
        const entry = await find(name).catch((error: unknown) => {
          // A name of an agent's own tool in a step's list means that one. A file that nobody trusts must not prevent it.
          if (!(error instanceof ToolsUntrustedError && isBuiltInTool(name))) throw error;
        });
        return entry === undefined ? undefined : entry.definition;
      },
      names: () => knownNames,
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

async function openToolFiles(place: OpenToolsPlace): Promise<ToolFiles> {
  const { environment, workspace, projectDirectory, onDebug = createDebugLog(environment) } = place;
  return new ToolFiles({
    projectDirectory,
    homeDirectory: workspace.atomicHome,
    isTrusted: await workspace.trust.isTrusted(projectDirectory),
    sdkModules: SDK_MODULES,
    compileSchema: (schema) => createSchemaValidator(schema, { subject: "the arguments" }),
    boundOutput: createOutputLimit(toolOutputFolder(workspace.atomicHome), workspace.redactor),
    onDebug,
    importTimeoutMs: IMPORT_TIMEOUT_MS,
    check: createImportCheck(environment, workspace),
    // Code may return in the process that checks it, and not here.
    guard: (path, work) =>
      withWatchdog(work, {
        timeoutMs: IMPORT_TIMEOUT_MS + WATCHDOG_MARGIN_MS,
        lastWords: describeLastWords(new ToolFileTimeoutError(path, IMPORT_TIMEOUT_MS), environment),
      }),
  });
}
