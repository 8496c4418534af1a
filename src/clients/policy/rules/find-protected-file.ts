import path from "node:path";
import type { PermissionPolicy } from "../../../contracts/index.ts";
import { expandBraces, matchesGlob } from "./glob.ts";
import { allowsPath, isOutside, type MatchOptions, relativeTo } from "./match-rule.ts";
import { GIT_RUNS, OUTSIDE_FILES, PROTECTED_FILES, type ProtectedFile } from "./protected-files.ts";

/** A file of a request whose change requires approval, and why. */
export interface ProtectedFileMatch extends ProtectedFile {
  readonly file: string;
}

/** Settings of {@link findProtectedFile}. */
export interface FindProtectedFileOptions extends Pick<MatchOptions, "workingDirectory"> {
  /** The request's. @default none */
  readonly gitFolders?: readonly string[];
}

/** The reason of files that only the policy protects, to which Atomic adds its own folder. */
const BY_POLICY = "it holds settings of Atomic, or the setting protectedPaths lists it";

/**
 * The first of the files that is protected and that no allowing rule names. Pure.
 *
 * A rule names a file when one of its globs matches it and spells out what makes it protected: `edit:.claude/**` or
 * `edit:package.json`, but neither `edit` nor `edit:**`. Alternatives in braces count each for itself. A file outside of the working directory is named by a glob that is
 * absolute and whose first folder is spelled out, or that begins with `../`. A git folder is named by its own name.
 */
export function findProtectedFile(
  files: readonly string[],
  policy: PermissionPolicy,
  { workingDirectory, gitFolders = [] }: FindProtectedFileOptions,
): ProtectedFileMatch | undefined {
  const allowing = policy.rules.filter(
    ({ effect, tools }) => effect === "allow" && (tools === undefined || tools.includes("edit")),
  );
  const globs = allowing.flatMap(({ paths = [] }) => paths);
  for (const file of files) {
    const isMatching = (glob: string): boolean => allowsPath(glob, file, { workingDirectory });
    const matching = globs.filter(isMatching).flatMap(expandBraces).filter(isMatching);
    const match = protectionsOf(file, policy, { workingDirectory, gitFolders }).find(
      (protection) => !matching.some((glob) => namesProtectedFile(glob, protection)),
    );
    if (match !== undefined) return { file, pattern: match.pattern, reason: match.reason };
  }
  return undefined;
}

/** One reason why a file is protected. */
interface Protection extends ProtectedFile {
  /** A glob of what has to be spelled out; absent where only the place counts. */
  readonly name?: string;
}

/** Everything for which a file is protected. */
function protectionsOf(
  file: string,
  policy: PermissionPolicy,
  { workingDirectory, gitFolders }: Required<FindProtectedFileOptions>,
): readonly Protection[] {
  const relative = relativeTo(workingDirectory, file);
  const outside = isOutside(relative);
  // What lies above the working directory says nothing about the files in it.
  const text = outside ? path.resolve(workingDirectory, file).split(path.sep).join("/").replace(/^\//, "") : relative;
  const own = (policy.protectedPaths ?? []).map((pattern) => ({ pattern, reason: BY_POLICY }));
  const listed = [...PROTECTED_FILES, ...own].flatMap((protection) =>
    expandBraces(protection.pattern)
      .filter((glob) => isProtectedBy(glob, text))
      .map((glob): Protection => ({ ...protection, name: glob.replace(/^\*\*\/|\/\*+$/g, "") })),
  );
  const found = gitFolders
    .filter((folder) => !isOutside(relativeTo(folder, path.resolve(workingDirectory, file))))
    .map((folder): Protection => ({ pattern: relativeTo(workingDirectory, folder), ...named(path.basename(folder)) }));
  return [...listed, ...found, ...(outside ? [OUTSIDE_FILES] : [])];
}

/** A git folder by its name, whose characters could be read as wildcards: an agent may have made it. */
function named(folderName: string): Omit<Protection, "pattern"> {
  return { reason: GIT_RUNS, name: folderName.replace(/[*?{},]/g, "?") };
}

/** A folder's pattern protects all that is in it. */
function isProtectedBy(pattern: string, text: string): boolean {
  const options = { kind: "path", ignoreCase: true } as const;
  return matchesGlob(pattern, text, options) || matchesGlob(`${pattern}/**`, text, options);
}

/** For a glob without braces that matches the file. */
function namesProtectedFile(glob: string, { name }: Protection): boolean {
  if (!/[*?]/.test(glob)) return true;
  if (name === undefined) return /^(?:(?:\.\.\/)+|(?:\/|[A-Za-z]:[\\/])[^*?{/]+)/.test(glob);
  // What is in the glob is compared as text, so a wildcard spells out nothing but a wildcard.
  return /[^*?/.]/.test(name) && isProtectedBy(`**/${name}`, glob);
}
