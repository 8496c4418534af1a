import { createRequire } from "node:module";
import { dirname, sep } from "node:path";
import { AtomicError } from "../contracts/index.ts";

/** Settings of {@link importModule}. */
export interface ImportModuleOptions {
  /** Identifies the state of the file and its helpers. Letters and digits, see `fingerprintFolder`. */
  readonly version: string;
  /** Give up waiting for top-level `await` after this long, in milliseconds. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** A file's top-level `await` did not finish in time. */
export class ImportTimeoutError extends AtomicError {
  constructor(
    readonly path: string,
    readonly timeoutMs: number,
  ) {
    super(
      "IMPORT_TIMEOUT",
      `Loading did not finish within ${timeoutMs} ms. Move slow work into a node, or into the function.`,
    );
  }
}

/**
 * Imports a file and returns its exports. A new version reloads the file and the helpers in and below its folder. Helpers
 * elsewhere keep their first state until the process ends, and so does a helper that lacked an export or threw on its
 * first import (Bun's cache cannot drop such a module).
 *
 * @throws whatever the import throws, an ImportTimeoutError, or the signal's reason.
 */
export async function importModule(realPath: string, options: ImportModuleOptions): Promise<Record<string, unknown>> {
  const { version, signal } = options;
  signal?.throwIfAborted();
  const specifier = `${realPath}?v=${version}`;
  const { cache } = createRequire(import.meta.url);
  if (!(specifier in cache)) forgetHelpers(cache, dirname(realPath), version);
  return waitFor(import(specifier), realPath, options);
}

/** Makes Bun reload helper modules. Entries of the same version stay: sibling workflows share their helpers. */
function forgetHelpers(cache: NodeJS.Dict<unknown>, folder: string, version: string): void {
  const own = Object.keys(cache).filter(
    (key) => key.startsWith(folder + sep) && !key.includes(`${sep}node_modules${sep}`),
  );
  if (own.some((key) => key.endsWith(`?v=${version}`))) return;
  for (const key of own) delete cache[key];
}

async function waitFor<T>(work: Promise<T>, path: string, { timeoutMs, signal }: ImportModuleOptions): Promise<T> {
  const { promise: givenUp, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new ImportTimeoutError(path, timeoutMs)), timeoutMs);
  const onAbort = (): void => reject(signal?.reason);
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work, givenUp]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}
