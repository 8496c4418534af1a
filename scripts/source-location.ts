import { posix } from "node:path";
import { ENTRY_ROOM } from "./layer-table.ts";

/** Where a source file belongs. */
export interface SourceLocation {
  /** The folder directly under `src/`; {@link ENTRY_ROOM} for a file directly under `src/`. */
  readonly room: string;
  /** The folder directly under the room, when the file is in one. */
  readonly folder: string | undefined;
  /** Whether it is the room's index.ts. */
  readonly isIndex: boolean;
}

/** Tells the room and folder of a path below `src/`. Undefined for a path outside. */
export function locateSource(path: string): SourceLocation | undefined {
  const [root, first, second, third] = path.split("/");
  if (root !== "src" || first === undefined) return undefined;
  if (second === undefined) return { room: ENTRY_ROOM, folder: undefined, isIndex: false };
  return {
    room: first,
    folder: third === undefined ? undefined : second,
    isIndex: third === undefined && /^index\.tsx?$/.test(second),
  };
}

/** The file that a relative import means. Undefined when the specifier names a package. */
export function resolveRelativeImport(importer: string, specifier: string): string | undefined {
  return /^\.\.?(\/|$)/.test(specifier) ? posix.join(posix.dirname(importer), specifier) : undefined;
}

/**
 * Whether a file holds tests, or serves only tests because it is in a folder named `fixtures`. The layers do not bind
 * such a file, and its functions may be long.
 */
export function isTestFile(path: string): boolean {
  return /\.(test|agents|soak|conformance|attack)\.tsx?$/.test(path) || path.split("/").includes("fixtures");
}
