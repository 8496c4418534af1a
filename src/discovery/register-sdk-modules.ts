/**
 * The modules that a user's file can import without installing them: a name such as `@bastani/atomic/graph`, and a loader
 * of its exports.
 */
export type SdkModules = Readonly<Record<string, () => Promise<Record<string, unknown>>>>;

/** The names each registered module exports. */
export type SdkExports = ReadonlyMap<string, readonly string[]>;

/**
 * Makes modules of the running Atomic importable by name from every file that is loaded afterwards, in any folder.
 * Idempotent; the effect lasts as long as the process. Modules that were already imported do not change.
 *
 * The running Atomic's modules win over packages of the same name in the user's `node_modules`, for every importer in
 * the process: a schema of another copy of zod, or a graph of another Atomic, would fail `instanceof` checks. A package
 * that a workflow uses gets this zod, too. Other paths of a package (`zod/v3`) are not affected.
 */
export async function registerSdkModules(modules: SdkModules): Promise<SdkExports> {
  // Load everything first: once "zod" is registered, a factory that imports "zod" by name would call itself.
  const loaded = await Promise.all(
    Object.entries(modules).map(async ([name, load]) => ({ name, exports: { ...(await load()) } })),
  );
  Bun.plugin({
    name: "atomic-sdk-modules",
    setup(build) {
      for (const { name, exports } of loaded) build.module(name, () => ({ exports, loader: "object" }));
    },
  });
  return new Map(loaded.map(({ name, exports }) => [name, Object.keys(exports)]));
}
