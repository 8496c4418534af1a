import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import {
  isSecretName,
  type PermissionEffect,
  type PermissionPolicy,
  type PermissionRequest,
  type PermissionSearch,
} from "../../contracts/index.ts";
import { namesOf } from "./files/real-names.ts";
import { evaluatePermission, isOrdinaryReading } from "./rules/evaluate-permission.ts";
import { formatPaths } from "./rules/format-paths.ts";
import { isOutside, relativeTo } from "./rules/match-rule.ts";
import { coverTool } from "./rules/tool-list.ts";

/** A search as the policy evaluates it. */
export interface ReachedSearch {
  /** The request, plus the files that it would read although the policy does not allow that. */
  readonly request: PermissionRequest;
  /** Globs of base names that a capable client must exclude from the search. Such files are not added to the request. */
  readonly exclude?: readonly string[];
  /** False when the folders contain too many files to know what the search would read. */
  readonly isComplete: boolean;
}

/** Files that a search would read but may not. */
interface SearchReach {
  /** Absolute files, as the search finds them. */
  readonly blocked: readonly string[];
  readonly isComplete: boolean;
}

/** Settings of {@link withSearchReach}. */
export interface SearchReachOptions {
  readonly policy: PermissionPolicy;
  /** The absolute folder that the policy's relative globs start from. */
  readonly workingDirectory: string;
  /** How many entries of folders are examined at most. @default 200_000 */
  readonly maxEntries?: number;
}

/** Folders read at the same time. */
const CONCURRENT_FOLDERS = 16;

/** A name that no rule mentions. */
const ANY_NAME = "\u{10ffff}";

/** The most files that are named to a person and evaluated one by one. */
const MAX_NAMED = 50;

/**
 * Checks the folders of a search for files that the policy does not allow to be read. Every file counts, including hidden
 * and ignored ones, because the agent can change what a tool skips. Links are followed only to determine their targets. In
 * a search that only lists names, only files that a rule matches and links out of the project count. Returns a request
 * that is not a search unchanged.
 */
export async function withSearchReach(request: PermissionRequest, options: SearchReachOptions): Promise<ReachedSearch> {
  const { search } = request;
  if (search === undefined || allowsEveryFile(options.policy, request)) return { request, isComplete: true };
  const { workingDirectory } = options;
  const starts = request.paths.length === 0 ? ["."] : request.paths;
  const roots = starts.map((named) => path.resolve(workingDirectory, named));
  const isListing = listsPlainNames(search);
  const effectOf = (file: string) => readingEffect({ ...request, paths: [file] }, { ...options, isListing });
  // Outside the working directory, the rule that allows the folder must allow everything in it.
  const closed = roots.filter((root) => effectOf(path.join(root, ANY_NAME, ANY_NAME)) !== "allow");
  const { blocked, isComplete } =
    closed.length > 0
      ? { blocked: closed.map((root) => path.join(root, "**")), isComplete: true }
      : await findBlocked(roots, { ...options, include: search.include, effectOf });
  if (blocked.length === 0) return { request, isComplete };
  // With more files, it would be unclear which are denied.
  const isSeen = isComplete && blocked.length <= MAX_NAMED;
  if (search.canExclude === true && closed.length === 0 && isComplete) {
    return { request, isComplete, exclude: [...new Set(blocked.map((file) => globOfName(path.basename(file))))] };
  }
  const named = blocked.slice(0, MAX_NAMED);
  const more = blocked.length > named.length ? ` and ${blocked.length - named.length} more` : "";
  const title = `${request.title} (can read ${formatPaths(named, workingDirectory)}${more})`;
  return { request: { ...request, paths: [...request.paths, ...named], title }, isComplete: isSeen };
}

async function findBlocked(
  roots: readonly string[],
  options: SearchReachOptions & {
    readonly include: string | undefined;
    readonly effectOf: (file: string) => PermissionEffect;
  },
): Promise<SearchReach> {
  const { policy, workingDirectory, maxEntries = 200_000, include, effectOf } = options;
  const isCandidate = createFilter(policy);
  const mayInclude = createIncludeFilter(include);
  const denied: string[] = [];
  const asked: string[] = [];
  const isComplete = await walk(roots, {
    maxEntries,
    async visit(file, entry) {
      if (!mayInclude(entry.name)) return;
      const isLink = entry.isSymbolicLink();
      const names = isLink ? await namesOf(file, workingDirectory) : [file];
      const suspects = isLink ? names : names.filter(isCandidate);
      const effects = suspects.map(effectOf);
      if (effects.includes("deny")) denied.push(file);
      else if (effects.includes("ask")) asked.push(file);
    },
  });
  // Denied files come first: they decide, and the list is limited.
  return { blocked: [...denied.toSorted(), ...asked.toSorted()], isComplete };
}

/** Matches the name. Tools read lists of globs in different ways, so a special character becomes any character. */
function globOfName(name: string): string {
  return name.replace(/[^\w.-]/gu, "?");
}

/** Whether every file may be read wherever it is, so that no folder needs to be searched. */
function allowsEveryFile({ rules, otherwise }: PermissionPolicy, request: PermissionRequest): boolean {
  const aboutReading = rules.filter(
    ({ tools, exceptTools, commands }) =>
      commands === undefined &&
      (tools?.includes("read") ?? true) &&
      (exceptTools === undefined || coverTool(exceptTools, request).type !== "all"),
  );
  if (aboutReading.some(({ effect }) => effect !== "allow")) return false;
  return otherwise === "allow" || aboutReading.some(({ paths }) => paths === undefined);
}

/** The effect on a file that the search finds. A name in the project is not a secret unless a rule matches the file. */
function readingEffect(
  request: PermissionRequest,
  { policy, workingDirectory, isListing }: SearchReachOptions & { readonly isListing: boolean },
): PermissionEffect {
  const { effect, rule } = evaluatePermission(policy, request, { workingDirectory });
  if (rule !== undefined) return effect;
  const isInside = () => request.paths.every((file) => !isOutside(relativeTo(workingDirectory, file)));
  return isOrdinaryReading(request, { workingDirectory }) || (isListing && isInside()) ? "allow" : effect;
}

/** Whether a search returns only names, and only of files below the folders that it starts in. */
function listsPlainNames({ listsNames = false, include = "" }: PermissionSearch): boolean {
  // Alternatives can lead elsewhere: `{src,../other}/*`.
  return listsNames && !/\.\.|[~[\\]|(?:^|[{,(|])\s*\//.test(include);
}

/** A quick check that no rule restricts most files and that their names suggest no secrets. Errs towards true. */
function createFilter({ rules }: PermissionPolicy): (file: string) => boolean {
  const globs = rules.flatMap(({ effect, tools, paths = [] }) =>
    effect !== "allow" && (tools?.includes("read") ?? true) ? paths : [],
  );
  const fragments = globs.map(longestFragment);
  return (file) => {
    if (isSecretName(path.basename(file))) return true;
    const text = file.toLowerCase();
    return fragments.some((fragment) => text.includes(fragment));
  };
}

/** A lower-case text that every match of the glob contains; empty if none is certain. */
function longestFragment(glob: string): string {
  if (glob.includes("{")) return "";
  const parts = glob
    .toLowerCase()
    .replace(/^(?:\.\/|\.\.\/)+/, "")
    .split(/[*?/]+/);
  return parts.reduce((longest, part) => (part.length > longest.length ? part : longest), "");
}

/**
 * Whether a file may be among those that a search is limited to. Only literal endings (`*.ts`, `*.{ts,tsx}`) exclude a
 * file, because tools read everything else differently.
 */
function createIncludeFilter(include: string | undefined): (name: string) => boolean {
  const last = /(?:^|\/)\*(?:\.([\w.-]+)|\.\{([\w.,-]+)\})$/.exec(include?.trim() ?? "");
  // Several globs in one text, and excluding globs, are not understood.
  if (last === null || /[!\s]|,(?![^{]*\})/.test(include?.trim() ?? "")) return () => true;
  const endings = (last[1] ?? last[2] ?? "").split(",").map((ending) => `.${ending.toLowerCase()}`);
  return (name) => endings.some((ending) => name.toLowerCase().endsWith(ending));
}

/** Visits every file and link below the folders, and roots that are files. False when there are too many. */
async function walk(
  roots: readonly string[],
  {
    maxEntries,
    visit,
  }: { readonly maxEntries: number; readonly visit: (file: string, entry: Dirent) => Promise<void> },
): Promise<boolean> {
  const folders = [...roots];
  let count = 0;
  while (folders.length > 0 && count <= maxEntries) {
    const next = folders.splice(0, CONCURRENT_FOLDERS);
    const listed = await Promise.all(next.map(async (folder) => ({ folder, entries: await list(folder) })));
    // Counted in the order of the folders, not of the disk's answers, so that the same search has the same reach.
    const counted = listed.map(({ folder, entries }) => {
      const taken = entries.slice(0, Math.max(0, maxEntries - count));
      count += entries.length;
      return { folder, entries: taken };
    });
    for (const { folder, entries } of counted)
      folders.push(...entries.filter((entry) => entry.isDirectory()).map(({ name }) => path.join(folder, name)));
    await Promise.all(
      counted.map(async ({ folder, entries }) => {
        for (const entry of entries) if (!entry.isDirectory()) await visit(path.join(folder, entry.name), entry);
      }),
    );
  }
  return count <= maxEntries;
}

/** The entries of a folder; none for a file, or for a folder that cannot be read. */
async function list(folder: string): Promise<readonly Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch(() => []);
}
