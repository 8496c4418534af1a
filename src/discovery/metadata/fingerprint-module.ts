import { createHash } from "node:crypto";
import { dirname } from "node:path";
import { readBoundedBytes } from "../../system/index.ts";

/** A module with more files than this has no fingerprint. */
const MAX_FILES = 200;

/**
 * A fingerprint of the contents of a module and of all files that it imports by a relative path, directly or not. Packages
 * are left out. Undefined if a file cannot be read or there are too many. Must not throw.
 */
export async function fingerprintModule(realPath: string): Promise<string | undefined> {
  const hash = createHash("sha256");
  const queue = [realPath];
  const seen = new Set(queue);
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    const bytes = await readBoundedBytes(path).catch(() => undefined);
    if (bytes === undefined || seen.size > MAX_FILES) return undefined;
    hash.update(`${path}\n${bytes.length}\n`).update(bytes);
    for (const specifier of readRelativeImports(path, bytes.toString("utf8"))) {
      const target = resolveRelative(specifier, path);
      // That there is no such file yet is a part of the fingerprint, too.
      hash.update(`${specifier}\n${target}\n`);
      if (target === undefined || seen.has(target)) continue;
      seen.add(target);
      queue.push(target);
    }
  }
  return hash.digest("hex");
}

/** The files that a file of code imports by relative paths. Must not throw. */
export function listRelativeImports(path: string, text: string): readonly string[] {
  return readRelativeImports(path, text).flatMap((specifier) => resolveRelative(specifier, path) ?? []);
}

function readRelativeImports(path: string, text: string): readonly string[] {
  const loader = /\.([cm]?[jt]s|[jt]sx)$/.exec(path)?.[1]?.replace(/^[cm]/, "");
  if (loader === undefined) return [];
  try {
    // The cast is true: the pattern leaves these four.
    const imports = new Bun.Transpiler({
      loader: loader === "js" ? "jsx" : (loader as "ts" | "tsx" | "jsx"),
    }).scanImports(text);
    return imports.map((found) => found.path).filter((specifier) => /^\.{0,2}\//.test(specifier));
  } catch {
    // A file with a syntax error imports nothing.
    return [];
  }
}

function resolveRelative(specifier: string, importer: string): string | undefined {
  try {
    return Bun.resolveSync(specifier, dirname(importer));
  } catch {
    return undefined;
  }
}
