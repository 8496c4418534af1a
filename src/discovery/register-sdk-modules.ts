/**
 * The modules a user's file can import without having them installed: a name such as `@bastani/atomic/graph`, and
 * how to get what it exports.
 */
export type SdkModules = Readonly<Record<string, () => Promise<Record<string, unknown>>>>;

/** The names each registered module exports. */
export type SdkExports = ReadonlyMap<string, readonly string[]>;

/**
 * Makes modules of the running Atomic importable by name from every file that is loaded afterwards, wherever it
 * lies. Idempotent; the effect lasts as long as the process. Modules that files imported already stay as they are.
 *
 * The running Atomic's modules win over packages of the same name in the user's `node_modules`, for every importer in
 * the process: a schema made by another copy of zod, or a graph of another Atomic, would fail checks by instance. It
 * follows that a package a workflow uses gets this zod too. Other paths of a package (`zod/v3`) are not affected.
 */
export async function registerSdkModules(modules: SdkModules): Promise<SdkExports> {
  // Everything is loaded first: a factory that imports "zod" by name would, once "zod" is registered, call itself.
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
