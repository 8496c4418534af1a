import { readlinkSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { isGitRefusal, runGit } from "../../clients/index.ts";
import { AtomicError } from "../../contracts/index.ts";
import { gitFoldersOf, realPathOf } from "../../discovery/index.ts";
import { isWithin } from "../../system/index.ts";
import type { Repository, RootedRepository } from "./find-submodules.ts";

/** A setting of a repository that includes a file. */
export interface Inclusion {
  readonly key: string;
  /** The file. */
  readonly value: string;
}

/** Settings of {@link refuseChangeableSettings}. */
export interface ChangeableSettingsOptions extends RootedRepository {
  /** The git folders, see {@link listGitFolders}. */
  readonly gitFolders: readonly string[];
  /** The working tree that has this repository as a submodule. */
  readonly outerTree: string | undefined;
  readonly inclusions: readonly Inclusion[];
}

/** A repository's own files of settings, in its git folders. */
const OWN_FILES = ["config", "config.worktree"];

/** As many links as Linux follows. */
const MAX_LINKS = 40;

/**
 * Throws if git reads a repository's settings from a file that may change without approval; git reads it on every call. A
 * checkout changes the working tree but nothing in a `.git`; a commit writes its message to a file in the git folder. So a
 * repository's own settings must be in a `.git` or outside of the working tree, and the files they include outside of both.
 */
export async function refuseChangeableSettings(options: ChangeableSettingsOptions): Promise<void> {
  const workingDirectory = realPathOf(options.workingDirectory);
  const { gitFolders } = options;
  if (gitFolders.length === 0) return;
  const trees = [options.root, options.outerTree].filter((tree) => tree !== undefined).map(realPathOf);
  const named = (await Promise.all([workingDirectory, ...trees].map(gitFoldersOf))).flat();
  for (const folder of new Set([...named, ...gitFolders])) {
    const places = OWN_FILES.flatMap((name) => placesOnTheWay(join(folder, name)));
    const isOwn = (place: string): boolean => gitFolders.some((own) => OWN_FILES.includes(relative(own, place)));
    const isChangeable = (place: string): boolean =>
      trees.some((tree) => isPlaceIn(place, tree) && !relative(tree, place).split(sep).includes(".git")) ||
      (gitFolders.some((own) => isPlaceIn(place, own)) && !isOwn(place));
    if (places.some(isChangeable)) throw changeable(`the settings in ${folder}`);
  }
  const inside = [workingDirectory, ...trees, ...gitFolders];
  for (const { key, value } of options.inclusions) {
    const file = includedFile(value, options.env);
    const isInside = (place: string): boolean => inside.some((folder) => isPlaceIn(place, folder));
    // A relative path starts at the git folder and usually leads into the project.
    if (!isAbsolute(file) || placesOnTheWay(file).some(isInside)) throw changeable(`the file that "${key}" includes`);
  }
}

/** The file of an inclusion. Only an absolute result is the file that git reads. Keeps `..`, since links come first. */
export function includedFile(value: string, { HOME: home }: Readonly<Record<string, string>>): string {
  return value.startsWith("~/") && home !== undefined ? `${home}/${value.slice(2)}` : value;
}

function changeable(what: string): AtomicError {
  return new AtomicError("GIT_SETTINGS_UNKNOWN", `${what} may be changed later by agents or a checkout`);
}

/** The git folder of this working tree and that of the repository; empty without a repository. */
export async function listGitFolders({ workingDirectory, env }: Repository): Promise<readonly string[]> {
  const cwd = realPathOf(workingDirectory);
  try {
    const names = ["--git-dir", "--git-common-dir"];
    const answers = await Promise.all(names.map((name) => runGit(["rev-parse", name], { cwd, env })));
    return answers.flatMap((answer) =>
      answer === undefined ? [] : [realPathOf(resolve(cwd, answer.replace(/\r?\n$/, "")))],
    );
  } catch (error) {
    if (isGitRefusal(error)) return [];
    throw error;
  }
}

/** The real place of a file, and every link on the way. A missing file counts as no link. */
function placesOnTheWay(file: string): readonly string[] {
  const links: string[] = [];
  const open = file.split(sep);
  let place: string = sep;
  for (let name = open.shift(); name !== undefined; name = open.shift()) {
    const next = name === ".." ? dirname(place) : join(place, name);
    const target = next === place ? undefined : targetOf(next);
    if (target === undefined) {
      place = next;
      continue;
    }
    links.push(next);
    if (links.length > MAX_LINKS) throw changeable(`${file} leads through too many links, and`);
    open.unshift(...target.split(sep));
    if (isAbsolute(target)) place = sep;
  }
  return [...links, place];
}

function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined; // It is not a link, or does not exist.
  }
}

/** Ignores case, because some file systems do. */
function isPlaceIn(place: string, folder: string): boolean {
  return isWithin(place.toLowerCase(), folder.toLowerCase());
}
