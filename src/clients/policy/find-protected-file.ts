import path from "node:path";
import type { PermissionPolicy } from "../../contracts/index.ts";
import { matchesGlob } from "./glob.ts";
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

/** The reason of files that only the settings protect. */
const BY_SETTINGS = "the setting protectedPaths lists it";

/**
 * The first of the files that is protected and that no allowing rule names. Pure.
 *
 * A rule names a file when one of its globs matches it and spells out what makes it protected: `edit:.claude/**` or
 * `edit:package.json`, but neither `edit` nor `edit:**`. A file outside of the working directory is named by a glob that is
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
    const matching = globs.filter((glob) => allowsPath(glob, file, { workingDirectory }));
    const match = protectionsOf(file, policy, { workingDirectory, gitFolders }).find(
      (protection) => !matching.some((glob) => namesProtectedFile(glob, protection)),
    );
    if (match !== undefined) return { file, pattern: match.pattern, reason: match.reason };
  }
  return undefined;
}

/** One reason why a file is protected. */
interface Protection extends ProtectedFile {
  /** What a glob has to spell out. @default what the pattern spells out */
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
  const own = (policy.protectedPaths ?? []).map((pattern) => ({ pattern, reason: BY_SETTINGS }));
  const found = gitFolders
    .filter((folder) => !isOutside(relativeTo(folder, path.resolve(workingDirectory, file))))
    .map(
      (folder): Protection => ({
        pattern: relativeTo(workingDirectory, folder),
        reason: GIT_RUNS,
        name: path.basename(folder),
      }),
    );
  const listed = [...[...PROTECTED_FILES, ...own].filter(({ pattern }) => isProtectedBy(pattern, text)), ...found];
  return outside ? [...listed, OUTSIDE_FILES] : listed;
}

/** A folder's pattern protects all that is in it. */
function isProtectedBy(pattern: string, text: string): boolean {
  const options = { kind: "path", ignoreCase: true } as const;
  return matchesGlob(pattern, text, options) || matchesGlob(`${pattern}/**`, text, options);
}

/** For a glob that matches the file. */
function namesProtectedFile(glob: string, protection: Protection): boolean {
  if (!/[*?{]/.test(glob)) return true;
  if (protection === OUTSIDE_FILES) return /^(?:(?:\.\.\/)+|(?:\/|[A-Za-z]:[\\/])[^*?{/]+)/.test(glob);
  const named = protection.name ?? protection.pattern.replace(/^\*\*\//, "");
  // `*.code-workspace` is named by what is left without its wildcards.
  const literal = named.replace(/^\*+|\*+$/g, "");
  const edges = named === literal ? "[/{},]" : "";
  const escaped = literal.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(edges === "" ? escaped : `(?:^|${edges})${escaped}(?:$|${edges})`, "i").test(glob);
}
