import manifest from "../package.json";

/** A name under which other programs import the package. */
export interface EntryPoint {
  /** As others write it: `@bastani/atomic/graph`. */
  readonly name: string;
  /** Its source without an ending, relative to `src/`: `graph/index`. */
  readonly path: string;
}

/** The entry points in the `exports` of `package.json`, in their order. */
export function listEntryPoints(): readonly EntryPoint[] {
  return Object.entries(manifest.exports).flatMap(([key, entry]) =>
    typeof entry === "string"
      ? []
      : [{ name: `${manifest.name}${key.slice(1)}`, path: entry.bun.replace(/^\.\/src\/|\.ts$/g, "") }],
  );
}
