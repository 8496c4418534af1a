import path from "node:path";
import { expandBraces, type PermissionPolicy } from "../../../contracts/index.ts";
import { matchesGlob } from "./glob.ts";
import { allowsPath, isOutside, type MatchOptions, relativeTo } from "./match-rule.ts";
import { GIT_RUNS, OUTSIDE_FILES, PROTECTED_FILES, type ProtectedFile } from "./protected-files.ts";

/** A file of a request whose change requires approval, and why. */
export interface ProtectedFileMatch extends ProtectedFile {
  readonly file: string;
}

/** Settings of {@link findProtectedFile}. */
export interface FindProtectedFileOptions extends Pick<MatchOptions, "workingDirectory"> {
  /** Those of the request. @default none */
  readonly gitFolders?: readonly string[];
}

/** The reason for files that only the policy protects. Atomic adds its own folder to them. */
const BY_POLICY = "it holds settings of Atomic, or the setting protectedPaths lists it";

/**
 * The first protected file that no allowing rule names. Pure.
 *
 * A rule names a file when one of its globs matches it and spells out what makes it protected: `edit:.claude/**` or
 * `edit:package.json`, but neither `edit` nor `edit:**`. Each alternative in braces counts separately. A glob names a file
 * outside the working directory if it is absolute and spells out its first folder, or if it begins with `../`. A git
 * folder is named by its own name.
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
  /** A glob for the part that must be spelled out; absent if only the place counts. */
  readonly name?: string;
}

/** All reasons why a file is protected. */
function protectionsOf(
  file: string,
  policy: PermissionPolicy,
  { workingDirectory, gitFolders }: Required<FindProtectedFileOptions>,
): readonly Protection[] {
  const relative = relativeTo(workingDirectory, file);
  const outside = isOutside(relative);
  // Folders above the working directory do not matter for the files in it.
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

/** A git folder's name as a pattern. Its characters could be wildcards: an agent may have chosen the name. */
function named(folderName: string): Omit<Protection, "pattern"> {
  return { reason: GIT_RUNS, name: folderName.replace(/[*?{},]/g, "?") };
}

/** A folder's pattern protects everything in it. */
function isProtectedBy(pattern: string, text: string): boolean {
  const options = { kind: "path", ignoreCase: true } as const;
  return matchesGlob(pattern, text, options) || matchesGlob(`${pattern}/**`, text, options);
}

/** For a glob without braces that matches the file. */
function namesProtectedFile(glob: string, { name }: Protection): boolean {
  if (!/[*?]/.test(glob)) return true;
  if (name === undefined) return /^(?:(?:\.\.\/)+|(?:\/|[A-Za-z]:[\\/])[^*?{/]+)/.test(glob);
  // The glob is compared as text, so a wildcard spells out only a wildcard.
  return /[^*?/.]/.test(name) && isProtectedBy(`**/${name}`, glob);
}
