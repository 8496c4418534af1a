import {
  AtomicError,
  listKnownNames,
  nearestName,
  type ToolDefinition,
  type ToolEntry,
} from "../../contracts/index.ts";

const WRITE_ONE = "Write one in .atomic/tools/NAME.ts.";

/** No tool has this name. */
export class UnknownToolError extends AtomicError {
  readonly isRetryable = false;
  /** The nearest known name. */
  readonly nearest: string | undefined;

  constructor(
    readonly toolName: string,
    readonly knownNames: readonly string[],
  ) {
    const nearest = nearestName(toolName, knownNames);
    const hint = nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
    super("TOOL_UNKNOWN", `There is no tool "${toolName}".${hint} ${listKnownNames("tool", knownNames, WRITE_ONE)}`);
    this.nearest = nearest;
  }
}

/** Settings of a {@link ToolRegistry}. */
export interface ToolRegistryOptions {
  /** Receives a line for each tool that is registered, resolved or missing. */
  readonly onDebug?: ((line: string) => void) | undefined;
}

/**
 * Tools by name, with their files. Names are not case-sensitive. It is also the `tools` service of a run.
 *
 * ```ts
 * const registry = new ToolRegistry();
 * registry.register({ name: "lint", description: "Lints", definition, source: "local", filePath: "/work/.atomic/tools/lint.ts" });
 * registry.get("Lint")?.filePath; // "/work/.atomic/tools/lint.ts"
 * ```
 */
export class ToolRegistry {
  readonly #entries = new Map<string, ToolEntry>();
  readonly #debug: (line: string) => void;

  constructor({ onDebug = () => undefined }: ToolRegistryOptions = {}) {
    this.#debug = onDebug;
  }

  /** Adds a tool, or replaces the one with the same name. */
  register(entry: ToolEntry): void {
    this.#entries.set(entry.name.toLowerCase(), entry);
    this.#debug(`tool registered: ${entry.name} (${entry.source}, ${entry.filePath})`);
  }

  get(name: string): ToolEntry | undefined {
    const entry = this.#entries.get(name.trim().toLowerCase());
    this.#debug(describeLookup(name, entry));
    return entry;
  }

  /** As {@link get}. @throws UnknownToolError with the nearest name */
  require(name: string): ToolEntry {
    const entry = this.get(name);
    if (entry === undefined) throw new UnknownToolError(name, this.names());
    return entry;
  }

  has(name: string): boolean {
    return this.#entries.has(name.trim().toLowerCase());
  }

  getAll(): readonly ToolEntry[] {
    return [...this.#entries.values()];
  }

  clear(): void {
    this.#entries.clear();
  }

  /** The definition of a tool, for the nodes of a run. */
  find(name: string): ToolDefinition | undefined {
    return this.get(name)?.definition;
  }

  names(): readonly string[] {
    return this.getAll().map(({ name }) => name);
  }
}

/** The line for `onDebug` about a name that was looked up. */
export function describeLookup(name: string, entry: ToolEntry | undefined): string {
  return entry === undefined ? `tool not found: ${name}` : `tool resolved: ${entry.name} (${entry.filePath})`;
}
