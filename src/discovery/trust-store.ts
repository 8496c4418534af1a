import { mkdir, realpath, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AtomicError, type DiscoveryProblem, isText, messageOf } from "../contracts/index.ts";
import {
  FileLockTimeoutError,
  FileUnusableError,
  readBoundedFile,
  replaceFile,
  withFileLock,
} from "../system/index.ts";
import { CoveredFiles, type Fingerprints, fingerprintsOf, listChangedFiles } from "./covered-files.ts";
import { type FileHashes, hashTrustedFiles } from "./hash-trusted-files.ts";

/** Lists of older versions have the files of all projects. */
const MAX_LIST_BYTES = 16_777_216;

/** A project whose files may run code. */
export interface TrustedProject {
  /** With all links followed. */
  readonly path: string;
  /** ISO 8601. */
  readonly trustedAt: string;
  /** In entries of older versions: the files that trust covers, which {@link CoveredFiles} has now. */
  readonly covered?: FileHashes;
}

/** Why a folder is too wide, and what to do. */
export interface ProjectTooWideOptions {
  /** @default the folder cannot be trusted, because it holds the whole file system */
  readonly problem?: string;
  /** @default change to the folder of a project */
  readonly remedy?: string;
}

/** A folder that contains other projects, such as the root of the file system, cannot be one. */
export class ProjectTooWideError extends AtomicError {
  constructor(
    readonly projectDirectory: string,
    {
      problem = "cannot be trusted: it holds the whole file system",
      remedy = "Change to the folder of a project, and call again there.",
    }: ProjectTooWideOptions = {},
  ) {
    super("PROJECT_TOO_WIDE", `The folder ${projectDirectory} ${problem}. ${remedy}`);
  }
}

/** The list of trusted projects could not be saved. */
export class TrustNotSavedError extends AtomicError {
  constructor(
    readonly path: string,
    options: { readonly cause: unknown },
  ) {
    const what = `The list of trusted projects, ${path}, cannot be written: ${messageOf(options.cause)}.`;
    super("TRUST_NOT_SAVED", `${what} ${remedyForUnsaved(options.cause)}`, options);
  }
}

/** What to try if a file of the user's Atomic folder could not be changed. */
export function remedyForUnsaved(cause: unknown): string {
  return cause instanceof FileLockTimeoutError
    ? "Wait for that process, or end it, then try again."
    : "Make its folder writable, or set ATOMIC_HOME to another one.";
}

/** Stores the projects that the user trusts. Trust applies to the folder itself, not to the folders in it. */
export interface TrustStore {
  /** Also false when the project does not exist or the stored list is broken. */
  isTrusted(projectDirectory: string): Promise<boolean>;
  /**
   * Trusts a project, with its files as they are now. A broken file is renamed to `trusted-projects.json.broken`.
   * @throws ProjectTooWideError, TrustNotSavedError
   */
  trust(projectDirectory: string): Promise<void>;
  /**
   * The files covered by the trust in a project that have changed since it was trusted, or since the last call: each change is
   * returned once. Must not throw: where the list cannot be saved, a change is returned again.
   */
  takeChangedFiles(projectDirectory: string): Promise<readonly string[]>;
  /** Removes a project. Returns whether it was trusted. */
  revoke(projectDirectory: string): Promise<boolean>;
  /** All trusted projects. A broken file is a problem and counts as empty. */
  load(): Promise<{ readonly projects: readonly TrustedProject[]; readonly problems: readonly DiscoveryProblem[] }>;
}

/** Settings of {@link createTrustStore}. */
export interface TrustStoreOptions {
  /** The user's own Atomic folder, for example `~/.atomic`. */
  readonly homeDirectory: string;
  /** @default the parent of `homeDirectory` */
  readonly userHomeDirectory?: string;
  /** Milliseconds since 1970. @default Date.now */
  readonly clock?: () => number;
}

/**
 * Stores trusted projects in `trusted-projects.json` in the user's Atomic folder, and the hashes of their files in the
 * folder `trusted-projects`. Only one process at a time changes them, under the lock `trusted-projects.json.lock`.
 */
export function createTrustStore({
  homeDirectory,
  userHomeDirectory = dirname(homeDirectory),
  clock = Date.now,
}: TrustStoreOptions): TrustStore {
  const path = join(homeDirectory, "trusted-projects.json");
  const load: TrustStore["load"] = () => loadTrustedProjects(path);
  const hash = (projectDirectory: string): Promise<FileHashes> =>
    hashTrustedFiles({ projectDirectory, userHomeDirectory });
  const files = new CoveredFiles(join(homeDirectory, "trusted-projects"));
  const update = (change: ChangeProjects): Promise<ProjectList> => updateTrustedProjects(path, { change, files });
  const loadCovered = async ({ path: project, covered }: TrustedProject): Promise<Fingerprints | undefined> =>
    (await files.load(project)) ?? (covered && fingerprintsOf(covered));

  return {
    load,
    async isTrusted(projectDirectory) {
      const project = await realpath(projectDirectory).catch(() => undefined);
      return (
        project !== undefined && !isRoot(project) && (await load()).projects.some((known) => known.path === project)
      );
    },
    async trust(projectDirectory) {
      const project = await realpath(projectDirectory);
      if (isRoot(project)) throw new ProjectTooWideError(project);
      const covered = fingerprintsOf(await hash(project));
      const isSame = async (known: TrustedProject | undefined): Promise<boolean> =>
        known !== undefined && Bun.deepEquals(await loadCovered(known), covered);
      // Nothing is locked where nothing changes: the folder may be read-only.
      if (await isSame(findEntry((await load()).projects, project))) return;
      await update(async (projects) => {
        const known = findEntry(projects, project);
        if (await isSame(known)) return;
        await files.save(project, covered);
        return replaceProject(projects, {
          path: project,
          trustedAt: known?.trustedAt ?? new Date(clock()).toISOString(),
        });
      });
    },
    async takeChangedFiles(projectDirectory) {
      const project = await realpath(projectDirectory).catch(() => projectDirectory);
      const known = findEntry((await load()).projects, project);
      if (known === undefined) return [];
      const now = await hash(project);
      const before = await loadCovered(known);
      const changed = before === undefined ? [] : listChangedFiles(before, now);
      if (before === undefined || changed.length > 0) {
        // Trust that was revoked meanwhile stays revoked. If this fails, the next call reports the change again.
        await update(async (projects) => {
          if (findEntry(projects, project) === undefined) return;
          await files.save(project, fingerprintsOf(now));
          return replaceProject(projects, { path: known.path, trustedAt: known.trustedAt });
        }).catch(() => undefined);
      }
      return changed;
    },
    async revoke(projectDirectory) {
      // A removed folder is still stored under its path.
      const project = await realpath(projectDirectory).catch(() => projectDirectory);
      // Without trust, nothing is to be locked or created.
      if (findEntry((await load()).projects, project) === undefined) return false;
      const changed = await update(async (projects) => {
        if (findEntry(projects, project) === undefined) return;
        await files.remove(project);
        return projects.filter((known) => known.path !== project);
      });
      return changed !== undefined;
    },
  };
}

/** The changed list; undefined for no change. */
type ProjectList = readonly TrustedProject[] | undefined;
type ChangeProjects = (known: readonly TrustedProject[]) => Promise<ProjectList>;

/** Changes the list as it is now, and returns it. A broken file is renamed. @throws TrustNotSavedError */
async function updateTrustedProjects(
  path: string,
  { change, files }: { readonly change: ChangeProjects; readonly files: CoveredFiles },
): Promise<ProjectList> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    return await withFileLock(`${path}.lock`, async () => {
      const { projects: known, problems } = await loadTrustedProjects(path);
      const changed = await change(known);
      if (changed === undefined) return;
      const projects = await Promise.all(changed.map((project) => moveCovered(project, files)));
      if (problems.length > 0) await rename(path, `${path}.broken`);
      await replaceFile(path, `${JSON.stringify({ version: 1, projects }, undefined, 2)}\n`);
      return projects;
    });
  } catch (cause) {
    throw new TrustNotSavedError(path, { cause });
  }
}

/** Moves the hashes in an entry of an older version to a file of their own. */
async function moveCovered({ covered, ...project }: TrustedProject, files: CoveredFiles): Promise<TrustedProject> {
  if (covered !== undefined) await files.save(project.path, fingerprintsOf(covered));
  return project;
}

function findEntry(projects: readonly TrustedProject[], path: string): TrustedProject | undefined {
  return projects.find((known) => known.path === path);
}

/** The list with another entry for a project, or with it added. */
function replaceProject(projects: readonly TrustedProject[], project: TrustedProject): readonly TrustedProject[] {
  const isKnown = projects.some(({ path }) => path === project.path);
  return isKnown ? projects.map((other) => (other.path === project.path ? project : other)) : [...projects, project];
}

function isRoot(folder: string): boolean {
  return dirname(folder) === folder;
}

async function loadTrustedProjects(path: string): ReturnType<TrustStore["load"]> {
  try {
    const projects = parseTrustedProjects(JSON.parse(await readBoundedFile(path, MAX_LIST_BYTES)));
    if (projects !== undefined) return { projects, problems: [] };
    return { projects: [], problems: [broken(path, "It does not have the expected shape")] };
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return { projects: [], problems: [] };
    const detail = error instanceof FileUnusableError ? `It ${error.reason}` : messageOf(error);
    return { projects: [], problems: [broken(path, detail)] };
  }
}

/** One invalid entry invalidates the file: trust must not be guessed. */
function parseTrustedProjects(value: unknown): readonly TrustedProject[] | undefined {
  if (typeof value !== "object" || value === null || !("projects" in value) || !Array.isArray(value.projects))
    return undefined;
  const entries: readonly unknown[] = value.projects;
  return entries.every(isTrustedProject) ? entries : undefined;
}

function isTrustedProject(entry: unknown): entry is TrustedProject {
  if (typeof entry !== "object" || entry === null || !("path" in entry) || !("trustedAt" in entry)) return false;
  const { covered = {} } = "covered" in entry ? entry : {};
  const isHashes = typeof covered === "object" && covered !== null && Object.values(covered).every(isText);
  return isText(entry.path) && isText(entry.trustedAt) && isHashes;
}

function broken(path: string, detail: string): DiscoveryProblem {
  return {
    path,
    message: `The list of trusted projects cannot be used: ${detail}. No project counts as trusted.`,
    remedy: "Correct or remove the file, then trust your projects again.",
    severity: "warning",
  };
}
