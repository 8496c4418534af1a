import { readdir } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import { type DiscoveryProblem, namedMessageWithCauses, nearestName } from "../contracts/index.ts";
import { readBoundedFile } from "../system/index.ts";
import { ImportTimeoutError } from "./import-module.ts";
import { listStackFrames, locateInFile } from "./locate-in-file.ts";
import type { SdkExports } from "./register-sdk-modules.ts";
import { listModuleReferences, type ModuleReference, type SourcePosition } from "./source-text.ts";

/** How many syntax errors of a file are reported. */
const MAX_SYNTAX_PROBLEMS = 5;
const SYNTAX_ERROR = "Syntax error: ";
/** How many helper files are searched for the import that fails. */
const MAX_SEARCHED_FILES = 100;

/** An import that failed. */
export interface FailedImport {
  readonly error: unknown;
  /** The path as a person would write it. */
  readonly path: string;
  /** The same path with all links followed. */
  readonly realPath: string;
  /** The modules that can be imported by name, for suggestions. */
  readonly sdkExports: SdkExports;
}

/** Describes what is wrong with a file that could not be imported, and where. Must not throw. Never returns an empty list. */
export async function describeImportError(failed: FailedImport): Promise<readonly DiscoveryProblem[]> {
  const { error } = failed;
  const compileErrors = error instanceof AggregateError ? error.errors : [error];
  const syntax = withoutFollowing(compileErrors.flatMap((each) => describeSyntaxError(each, failed)));
  if (syntax.length > 0) return syntax.slice(0, MAX_SYNTAX_PROBLEMS);
  const unresolved = parseUnresolved(error);
  if (unresolved) return [await describeUnresolved(unresolved, failed)];
  const missing = parseMissingExport(error);
  if (missing) return [await describeMissingExport(missing, failed)];
  return [describeThrown(failed)];
}

/** Whether a problem is a syntax error of this file. */
export function isSyntaxErrorOf(problem: DiscoveryProblem, path: string): boolean {
  return problem.path === path && problem.message.startsWith(SYNTAX_ERROR);
}

/**
 * Drops the problems after an error that derails the parser: they are consequences of it. A `BuildMessage` has no code, so
 * the error is recognised by its text.
 */
function withoutFollowing(problems: readonly DiscoveryProblem[]): readonly DiscoveryProblem[] {
  const lost = problems.findIndex(({ message }) => /^Syntax error: (?:Expected|Unexpected)\b/.test(message));
  return lost === -1 ? problems : problems.slice(0, lost + 1);
}

/** Bun's `BuildMessage`, read by its shape: compiled programs do not share the class. */
function describeSyntaxError(error: unknown, failed: FailedImport): readonly DiscoveryProblem[] {
  if (typeof error !== "object" || error === null || !("position" in error)) return [];
  const { position } = error;
  if (typeof position !== "object" || position === null || !("line" in position) || !("column" in position)) return [];
  const file =
    "file" in position && typeof position.file === "string" && position.file !== "" ? position.file : failed.realPath;
  const message = "message" in error ? String(error.message) : String(error);
  return [
    {
      ...inFile(file, failed),
      line: Number(position.line),
      column: Number(position.column),
      message: `${SYNTAX_ERROR}${message}.${importedBy(file, failed)}`,
      remedy: "Correct the file; the rest of it has not been looked at.",
      severity: "error",
    },
  ];
}

interface Unresolved {
  readonly specifier: string;
  readonly importer: string;
}

/** Bun's `ResolveMessage`, read by its shape. */
function parseUnresolved(error: unknown): Unresolved | undefined {
  if (typeof error !== "object" || error === null || !("specifier" in error) || !("referrer" in error))
    return undefined;
  return { specifier: String(error.specifier), importer: withoutVersion(String(error.referrer)) };
}

async function describeUnresolved(
  { specifier, importer }: Unresolved,
  failed: FailedImport,
): Promise<DiscoveryProblem> {
  if (withoutVersion(specifier) === failed.realPath) {
    const remedy = 'Rename the file or its folders: a path with a "?" or "\\" in it cannot be imported.';
    return { path: failed.path, message: "Bun does not find the file under its own path.", remedy, severity: "error" };
  }
  const text = await readBoundedFile(importer).catch(() => "");
  const reference = listModuleReferences(text).find((candidate) => candidate.specifier === specifier);
  const isFile = specifier.startsWith(".") || specifier.startsWith("/");
  return {
    ...inFile(importer, failed),
    ...positionOf(reference),
    message: `Cannot find the ${isFile ? "file" : "module"} "${specifier}".${importedBy(importer, failed)}`,
    remedy: isFile
      ? await fileRemedy(specifier, importer, failed.sdkExports)
      : moduleRemedy(specifier, importer, failed.sdkExports),
    severity: "error",
  };
}

async function fileRemedy(specifier: string, importer: string, sdkExports: SdkExports): Promise<string> {
  const folder = dirname(join(dirname(importer), specifier));
  const names = await readdir(folder).catch(() => []);
  const nearest = nearestName(basename(specifier), names);
  if (nearest === undefined) {
    // The design documents import Atomic's own modules by their paths, as in "../graph" and "../graph/subagent-bridge".
    const words = new Set(specifier.split("/"));
    const module = [...sdkExports.keys()].find((key) => words.has(key.slice(key.lastIndexOf("/") + 1)));
    const advice = module === undefined ? "" : ` To use Atomic, import from "${module}".`;
    return `Correct the path, or create the file.${advice}`;
  }
  return `Did you mean "${specifier.slice(0, specifier.lastIndexOf("/") + 1)}${nearest}"? Correct the path, or create the file.`;
}

function moduleRemedy(specifier: string, importer: string, sdkExports: SdkExports): string {
  const nearest = nearestName(specifier, sdkExports.keys());
  const suggestion = nearest === undefined ? "" : `Did you mean "${nearest}"? `;
  const known = `Without installing anything these can be imported: ${[...sdkExports.keys()].join(", ")}.`;
  if (specifier === "@opencode-ai/plugin") return `Import tool from "@bastani/atomic/plugin" instead. ${known}`;
  if (/^(?:@bastani\/atomic|@atomic|zod)(?:$|\/)/.test(specifier)) return `${suggestion}${known}`;
  const packageName = specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
  return `${suggestion}Install it for the file (bun add ${packageName}, in ${dirname(importer)} or a folder above it), or remove the import. ${known}`;
}

interface MissingExport {
  readonly name: string;
  readonly module: string;
}

/** Bun throws a `SyntaxError` with nothing but its text. */
function parseMissingExport(error: unknown): MissingExport | undefined {
  if (!(error instanceof Error)) return undefined;
  const match =
    /^Export named '(?<name>.+)' not found in module '(?<module>.+)'\.?$/.exec(error.message) ??
    /^Missing '(?<name>default)' export in module '(?<module>.+)'\.?$/.exec(error.message) ??
    /^export '(?<name>.+)' not found in '(?<module>.+)'\.?$/.exec(error.message) ??
    /^module '(?<module>.+?)' does not have an export named '(?<name>.+?)'/.exec(error.message);
  const { name, module } = match?.groups ?? {};
  return name === undefined || module === undefined ? undefined : { name, module: withoutVersion(module) };
}

async function describeMissingExport(missing: MissingExport, failed: FailedImport): Promise<DiscoveryProblem> {
  const found = await locateImportOf(missing, failed.realPath);
  const names = failed.sdkExports.get(missing.module) ?? (await listExports(missing.module));
  const what = missing.name === "default" ? "no default export" : `no export "${missing.name}"`;
  const importer = found?.path ?? failed.realPath;
  return {
    ...inFile(importer, failed),
    ...positionOf(found),
    message: `"${missing.module}" has ${what}.${importedBy(importer, failed)}`,
    remedy: exportRemedy(missing, names, failed.sdkExports),
    severity: "error",
  };
}

function exportRemedy(missing: MissingExport, names: readonly string[], sdkExports: SdkExports): string {
  const elsewhere = findElsewhere(missing, sdkExports);
  if (elsewhere !== undefined) return `Import it from "${elsewhere}".`;
  const nearest = nearestName(missing.name, names);
  if (nearest !== undefined) return `Did you mean "${nearest}"?`;
  const listed = names.length > 0 && names.length <= 12 ? `It exports: ${names.join(", ")}. ` : "";
  return `${listed}Correct the import.`;
}

/** The other module of Atomic that exports a name. */
function findElsewhere({ name, module }: MissingExport, sdkExports: SdkExports): string | undefined {
  if (name === "default" || !sdkExports.has(module)) return undefined;
  return [...sdkExports].find(([, names]) => names.includes(name))?.[0];
}

/** Follows the relative imports from a file to the one with the missing import. */
async function locateImportOf(
  missing: MissingExport,
  start: string,
): Promise<(SourcePosition & { readonly path: string }) | undefined> {
  const queue = [start];
  const seen = new Set(queue);
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    const text = await readBoundedFile(path).catch(() => "");
    for (const reference of listModuleReferences(text)) {
      const target = resolveReference(reference, path);
      const name = reference.names.find((candidate) => candidate.name === missing.name);
      if (name && leadsTo(reference, target, missing.module)) return { path, line: name.line, column: name.column };
      if (
        !reference.specifier.startsWith(".") ||
        target === undefined ||
        seen.has(target) ||
        seen.size >= MAX_SEARCHED_FILES
      )
        continue;
      seen.add(target);
      queue.push(target);
    }
  }
  return undefined;
}

/** The file of a reference. Packages are recognised by name only: Bun would query the registry for a missing one. */
function resolveReference({ specifier }: ModuleReference, importer: string): string | undefined {
  if (!specifier.startsWith(".")) return undefined;
  try {
    return Bun.resolveSync(specifier, dirname(importer));
  } catch {
    return undefined;
  }
}

function leadsTo({ specifier }: ModuleReference, target: string | undefined, module: string): boolean {
  return specifier === module || target === module || module.includes(`/node_modules/${specifier}/`);
}

async function listExports(path: string): Promise<readonly string[]> {
  try {
    return new Bun.Transpiler({ loader: "ts" }).scan(await readBoundedFile(path)).exports;
  } catch {
    return [];
  }
}

function describeThrown(failed: FailedImport): DiscoveryProblem {
  const { error, path, realPath } = failed;
  if (error instanceof ImportTimeoutError) {
    const remedy =
      'Move slow work into a node, or into the exported function; look for a top-level "await" that never ends.';
    const message = `Loading did not finish within ${error.timeoutMs} ms.`;
    return { path, message, remedy, severity: "error", isTimeout: true };
  }
  const own = locateInFile(error, realPath);
  const helper = listStackFrames(error).find((frame) => frame.path.startsWith(`${dirname(realPath)}${sep}`));
  const file = own || !helper ? realPath : helper.path;
  return {
    ...inFile(file, failed),
    ...positionOf(own ?? helper),
    message: `Loading it ${describeValue(error)}${importedBy(file, failed)}`,
    remedy: "Correct the file; code outside its functions runs whenever Atomic loads the file.",
    severity: "error",
  };
}

function describeValue(thrown: unknown): string {
  if (typeof thrown === "string") return `threw ${JSON.stringify(thrown)}`;
  const text = namedMessageWithCauses(thrown);
  return text.startsWith("threw ") ? text : `threw ${text}`;
}

/** The path to show: the imported file's as a person would write it, a helper's real path. */
function inFile(file: string, { path, realPath }: FailedImport): { readonly path: string } {
  return { path: file === realPath ? path : file };
}

function importedBy(file: string, { path, realPath }: FailedImport): string {
  return file === realPath ? "" : ` (imported by ${path})`;
}

function positionOf(position: SourcePosition | undefined): SourcePosition | undefined {
  return position && { line: position.line, column: position.column };
}

function withoutVersion(path: string): string {
  return path.replace(/\?v=\w+$/, "");
}
