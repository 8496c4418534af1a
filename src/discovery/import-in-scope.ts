import type { ImportScope } from "../contracts/index.ts";
import { type ImportModuleOptions, importModule } from "./import-module.ts";

/** Settings of {@link importInScope}. */
export interface ImportInScopeOptions extends ImportModuleOptions {
  /** Makes a place for what a file registers while it is imported. @default what it registers is left to itself */
  readonly createImportScope?: (() => ImportScope) | undefined;
}

/** An imported file. */
export interface ImportedFile {
  readonly exports: Record<string, unknown>;
  /** Wraps a function of the file's, so that its caller has what the file registered. */
  readonly withRegistrations: <Args extends readonly unknown[], Result>(
    call: (...args: Args) => Result,
  ) => (...args: Args) => Result;
}

/** By the exports of their files: a module is evaluated once, so only its first import registers anything. */
const SCOPES = new WeakMap<object, ImportScope>();

/** Imports a file, see {@link importModule}, and keeps what it registers apart from what other files register. */
export async function importInScope(
  realPath: string,
  { createImportScope, ...options }: ImportInScopeOptions,
): Promise<ImportedFile> {
  const work = () => importModule(realPath, options);
  const fresh = createImportScope?.();
  const exports = await (fresh === undefined ? work() : fresh.load(work));
  const scope = SCOPES.get(exports) ?? fresh;
  if (scope !== undefined) SCOPES.set(exports, scope);
  return {
    exports,
    withRegistrations:
      (call) =>
      (...args) => {
        scope?.apply();
        return call(...args);
      },
  };
}
