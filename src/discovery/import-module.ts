import { createRequire } from "node:module";
import { dirname, sep } from "node:path";
import { AtomicError } from "../contracts/index.ts";

/** Settings of {@link importModule}. */
export interface ImportModuleOptions {
  /** Tells states of the file and its helpers apart; letters and digits, see `fingerprintFolder`. */
  readonly version: string;
  /** Give up waiting for top-level `await` after this long, in milliseconds. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** A file is still busy with its own top-level `await`. */
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
 * Imports a file and gives its exports. Under another version than before, the file and the helpers in and below its
 * folder are read anew; helpers elsewhere keep their first state until the process ends, and so does a helper that
 * lacked an export or threw when it was first imported (Bun keeps such a module where nothing can remove it).
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

/** Makes Bun read helper modules anew. Entries of this same version stay: sibling workflows share their helpers. */
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
