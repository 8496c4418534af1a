import { posix } from "node:path";
import { ENTRY_ROOM } from "./layer-table.ts";

/** Where a source file belongs. */
export interface SourceLocation {
  /** The folder directly under `src/`; {@link ENTRY_ROOM} for a file directly under `src/`. */
  readonly room: string;
  /** The file's folder below the room, with slashes; undefined for a file directly in the room. */
  readonly folder: string | undefined;
  /** The name of a file directly in the room; undefined for a file in a folder. */
  readonly file: string | undefined;
  /** Whether it is the room's index.ts. */
  readonly isIndex: boolean;
}

/** The room and folder of a path below `src/`. Undefined for other paths. */
export function locateSource(path: string): SourceLocation | undefined {
  const [root, first, ...rest] = path.split("/");
  if (root !== "src" || first === undefined) return undefined;
  const file = rest.pop();
  if (file === undefined) return { room: ENTRY_ROOM, folder: undefined, file: first, isIndex: false };
  if (rest.length > 0) return { room: first, folder: rest.join("/"), file: undefined, isIndex: false };
  return { room: first, folder: undefined, file, isIndex: /^index\.tsx?$/.test(file) };
}

/** The file that a relative import means. Undefined when the specifier names a package. */
export function resolveRelativeImport(importer: string, specifier: string): string | undefined {
  return /^\.\.?(\/|$)/.test(specifier) ? posix.join(posix.dirname(importer), specifier) : undefined;
}

/**
 * Whether a file holds tests, or serves only tests because it is in a folder named `fixtures`. The layers do not bind
 * such a file.
 */
export function isTestFile(path: string): boolean {
  return /\.(test|agents|slow|soak|conformance|attack)\.tsx?$/.test(path) || path.split("/").includes("fixtures");
}
