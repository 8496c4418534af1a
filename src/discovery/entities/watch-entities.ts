import { watch } from "node:fs";
import { basename, join, sep } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { type DiscoverEntitiesOptions, type DiscoveredEntities, discoverEntities } from "./discover-entities.ts";
import { ENTITY_TYPES } from "./entity.ts";
import { listEntityPlaces } from "./entity-places.ts";
import { listFoldersToWatch, type WatchedNames } from "./list-folders-to-watch.ts";

/** Settings of {@link watchEntities}. */
export interface WatchEntitiesOptions extends DiscoverEntitiesOptions {
  /** How long nothing may change before the files are read, in milliseconds. @default 100 */
  readonly debounceMs?: number;
  /** How often the files are read if the system cannot watch one of the folders, in milliseconds. @default 2_000 */
  readonly pollIntervalMs?: number;
  /** Watches one folder, without the folders in it. Throws if that is impossible. @default the system's watch */
  readonly watchFolder?: WatchFolder;
}

/** Calls the listener with the name of each entry that changes, if the system knows it. */
export type WatchFolder = (folder: string, listener: (name: string | null) => void) => FolderWatcher;

/** A watch of one folder. */
export interface FolderWatcher {
  on(event: "error", listener: (error: Error) => void): void;
  close(): void;
}

/** Definitions that are up to date. */
export interface EntityWatcher {
  /** What was found last. */
  readonly current: DiscoveredEntities;
  /** Stops watching; `onChange` is not called any more. Idempotent. */
  close(): void;
}

/**
 * Finds all definitions, and finds them again when a file is added, changed or removed, also in folders that do not exist
 * yet. Does not keep the process alive. Must not throw: a folder that the system cannot watch is read regularly instead.
 *
 * @param onChange receives what was found, if it differs from before; must not throw
 *
 * @example
 * const watcher = await watchEntities({ projectDirectory, homeDirectory }, ({ registry }) => show(registry.allAgents()));
 * watcher.close();
 */
export async function watchEntities(
  options: WatchEntitiesOptions,
  onChange: (found: DiscoveredEntities) => void,
): Promise<EntityWatcher> {
  const folders = new FolderWatch(options);
  // What changes while the files are read for the first time is an event already.
  await folders.sync();
  const watcher = new RefreshingEntities(options, { folders, onChange, current: await discoverEntities(options) });
  watcher.start();
  return watcher;
}

/** How often the list of folders is made again if folders appear while it is made. */
const MAX_SYNC_ROUNDS = 5;

const DEFAULT_DEBOUNCE_MS = 100;
const DEFAULT_POLL_INTERVAL_MS = 2_000;

class RefreshingEntities implements EntityWatcher {
  readonly #options: WatchEntitiesOptions;
  readonly #folders: FolderWatch;
  readonly #onChange: (found: DiscoveredEntities) => void;
  #current: DiscoveredEntities;
  #debounce: ReturnType<typeof setTimeout> | undefined;
  #poll: ReturnType<typeof setInterval> | undefined;
  #isReading = false;
  /** Whether something changed while the files were read. */
  #isOutdated = false;
  #isClosed = false;

  constructor(
    options: WatchEntitiesOptions,
    parts: {
      readonly folders: FolderWatch;
      readonly onChange: (found: DiscoveredEntities) => void;
      readonly current: DiscoveredEntities;
    },
  ) {
    this.#options = options;
    this.#folders = parts.folders;
    this.#onChange = parts.onChange;
    this.#current = parts.current;
  }

  get current(): DiscoveredEntities {
    return this.#current;
  }

  start(): void {
    this.#folders.listen(() => this.#schedule());
    this.#pollIfNeeded();
  }

  close(): void {
    this.#isClosed = true;
    this.#folders.close();
    clearTimeout(this.#debounce);
    clearInterval(this.#poll);
  }

  #schedule(): void {
    if (this.#isClosed) return;
    clearTimeout(this.#debounce);
    this.#debounce = setTimeout(() => void this.#refresh(), this.#options.debounceMs ?? DEFAULT_DEBOUNCE_MS);
    this.#debounce.unref();
  }

  async #refresh(): Promise<void> {
    if (this.#isReading) {
      this.#isOutdated = true;
      return;
    }
    this.#isReading = true;
    await this.#folders.sync();
    const found = await discoverEntities(this.#options);
    this.#isReading = false;
    if (this.#isClosed) return;
    this.#pollIfNeeded();
    if (this.#isOutdated) this.#schedule();
    this.#isOutdated = false;
    if (isSame(found, this.#current)) return;
    this.#current = found;
    this.#onChange(found);
  }

  #pollIfNeeded(): void {
    const { pollIntervalMs = DEFAULT_POLL_INTERVAL_MS } = this.#options;
    if (this.#folders.isComplete) {
      clearInterval(this.#poll);
      this.#poll = undefined;
    } else if (this.#poll === undefined) {
      this.#poll = setInterval(() => void this.#refresh(), pollIntervalMs);
      this.#poll.unref();
    }
  }
}

function isSame(left: DiscoveredEntities, right: DiscoveredEntities): boolean {
  const contents = ({ registry, problems }: DiscoveredEntities): unknown => [
    ENTITY_TYPES.map((type) => registry.entries(type)),
    problems,
  ];
  return isDeepStrictEqual(contents(left), contents(right));
}

const watchBySystem: WatchFolder = (folder, listener) =>
  watch(folder, { persistent: false }, (_, name) => listener(name));

/** One watch of the system for each folder whose changes matter. */
class FolderWatch {
  readonly #options: WatchEntitiesOptions;
  readonly #watches = new Map<string, FolderWatcher>();
  #names: ReadonlyMap<string, WatchedNames> = new Map();
  /** Folders whose watch could not start, or failed; the latter are not retried. */
  #unwatchable: ReadonlySet<string> = new Set();
  readonly #failed = new Set<string>();
  #hasChanged = false;
  #listener: (() => void) | undefined;
  #isClosed = false;

  constructor(options: WatchEntitiesOptions) {
    this.#options = options;
  }

  /** Whether the system watches all folders. */
  get isComplete(): boolean {
    return this.#unwatchable.size === 0;
  }

  /** Calls the listener at each change, at once if there was one already. */
  listen(listener: () => void): void {
    this.#listener = listener;
    if (this.#hasChanged) listener();
  }

  /** Watches the folders that exist now, and no others. */
  async sync(): Promise<void> {
    for (let round = 0; round < MAX_SYNC_ROUNDS; round++) {
      const names = await listFoldersToWatch(await listEntityPlaces(this.#options), this.#options);
      if (this.#isClosed) return;
      this.#names = names;
      for (const [folder, watcher] of this.#watches) if (!names.has(folder)) this.#unwatch(folder, watcher);
      for (const folder of this.#failed) if (!names.has(folder)) this.#failed.delete(folder);
      const added = [...names.keys()].filter((folder) => !this.#watches.has(folder) && !this.#failed.has(folder));
      const unwatchable = added.filter((folder) => !this.#watch(folder));
      this.#unwatchable = new Set([...unwatchable, ...this.#failed]);
      // A folder that was made before the watch of its parent began is not an event.
      if (added.length === unwatchable.length) return;
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const [folder, watcher] of this.#watches) this.#unwatch(folder, watcher);
  }

  /** False if the system cannot watch the folder: it has too many watches, or the folder has just been removed. */
  #watch(folder: string): boolean {
    try {
      const { watchFolder = watchBySystem } = this.#options;
      const watcher = watchFolder(folder, (name) => this.#onEvent(folder, name));
      watcher.on("error", () => {
        this.#unwatch(folder, watcher);
        this.#failed.add(folder);
        this.#tell();
      });
      this.#watches.set(folder, watcher);
      return true;
    } catch {
      // Which folders these are decides whether all are read regularly.
      return false;
    }
  }

  #unwatch(folder: string, watcher: FolderWatcher): void {
    watcher.close();
    if (this.#watches.get(folder) === watcher) this.#watches.delete(folder);
  }

  #onEvent(folder: string, name: string | null): void {
    if (this.#isClosed) return;
    const wanted = this.#names.get(folder);
    if (name !== null && wanted !== undefined && wanted !== "all" && !wanted.has(name)) return;
    // A watch stays with a folder that is removed or renamed, and another one may take its place.
    const place = name === null || name === basename(folder) ? folder : join(folder, name);
    for (const [path, watcher] of this.#watches) {
      if (path === place || path.startsWith(place + sep)) this.#unwatch(path, watcher);
    }
    this.#tell();
  }

  #tell(): void {
    this.#hasChanged = true;
    this.#listener?.();
  }
}
