import path from "node:path";
import { type PermissionSearch, stringOf, type ToolKind, type UnknownRecord } from "../../../contracts/index.ts";

/** What Claude Code resolves the paths of a call against. Both folders are absolute. */
export interface ClaudePlace {
  /** Its working directory at the call; an earlier command may have changed it with `cd`. */
  readonly folder: string;
  /** What `~` means to it. */
  readonly homeFolder: string;
}

/** Names that lead each process elsewhere, so Atomic cannot know where they lead Claude Code. */
const OWN_PROCESS = /^\/(?:proc\/(?:self|thread-self)|dev\/(?:fd|stdin|stdout|stderr))(?:\/|$)/;

/** Whether a path's target depends on the process that uses it. Pure. */
export function dependsOnProcess(file: string): boolean {
  return OWN_PROCESS.test(file);
}

/** The files of a call. */
export interface NamedPaths {
  /** Absolute. For a search, the folders that it starts in. */
  readonly paths: readonly string[];
  readonly search?: PermissionSearch;
}

/** A path as Claude Code reads it: trimmed, with `~` expanded, resolved against its working directory. Pure. */
export function resolveClaudePath(named: string, { folder, homeFolder }: ClaudePlace): string {
  const trimmed = named.trim();
  if (trimmed === "~") return homeFolder;
  if (trimmed.startsWith("~/")) return path.resolve(homeFolder, `./${trimmed.slice(2)}`).normalize("NFC");
  return path.resolve(folder, trimmed).normalize("NFC");
}

/** The absolute files a call names. Pure. */
export function namedPaths(
  vendorName: string,
  call: { readonly input: UnknownRecord; readonly kind: ToolKind; readonly place: ClaudePlace },
): NamedPaths {
  const { input, kind, place } = call;
  if (kind !== "read" && kind !== "edit") return { paths: [] };
  const resolve = (named: string) => resolveClaudePath(named, place);
  if (vendorName === "Grep") {
    const include = stringOf(input.glob);
    const folders = [input.path, input.file_path].map(stringOf).filter(Boolean);
    return {
      paths: unique((folders.length === 0 ? ["."] : folders).map(resolve)),
      search: { ...(include === "" ? {} : { include }), canExclude: true },
    };
  }
  if (vendorName === "Glob") {
    const pattern = stringOf(input.pattern);
    const folder = resolve(stringOf(input.path));
    const start = resolveClaudePath(fixedPartOf(pattern), { ...place, folder });
    return {
      paths: unique([folder, start]),
      search: { ...(pattern === "" ? {} : { include: pattern }), listsNames: true },
    };
  }
  const named = [input.file_path, input.notebook_path, input.filePath, input.path].map(stringOf).filter(Boolean);
  return { paths: unique(named.map(resolve)) };
}

/**
 * The input of a search that excludes files of these names, whatever it includes: in ripgrep, which Claude Code uses, the
 * last glob that matches a file wins. Pure.
 */
export function excludeFromSearch(input: UnknownRecord, names: readonly string[]): Record<string, unknown> {
  // Claude Code splits globs at white space and commas.
  const globs = names.map((name) => `!${name.replace(/[\s,{}]/g, "?")}`);
  return { ...input, glob: [stringOf(input.glob), ...globs].filter(Boolean).join(" ") };
}

/** The folder above the first wildcard: a pattern such as `/etc/*` or `../*` leaves the folder that it starts in. */
function fixedPartOf(pattern: string): string {
  const wildcard = pattern.search(/[*?[{]/);
  if (wildcard < 0) return pattern;
  return pattern.slice(0, pattern.lastIndexOf("/", wildcard) + 1);
}

function unique(paths: readonly string[]): readonly string[] {
  return [...new Set(paths)];
}
