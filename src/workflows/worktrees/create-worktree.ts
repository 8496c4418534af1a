import { existsSync } from "node:fs";
import { lstat, mkdir, realpath, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { runCommand } from "../../graph/index.ts";
import { finishRemoval } from "./finish-removal.ts";
import { Git, type GitOptions, withoutElsewhere } from "./git.ts";
import { includeFiles } from "./include-files.ts";
import { removeIndexLock } from "./index-lock.ts";
import { reservePorts, worktreeEnvironment } from "./port-registry.ts";
import { isWorktreeOf, type Repository, readCommit, readRepository, refOf } from "./repository.ts";
import { checkOutSubmodules } from "./submodules.ts";
import { withRepositoryLock, withWorktreeLock } from "./with-lock.ts";
import {
  RepositoryUnusableError,
  TargetBranchMissingError,
  WorktreeDamagedError,
  WorktreeNameTakenError,
  WorktreeSetupError,
} from "./worktree-errors.ts";
import { digestIgnored, listForPeople, listUncommitted } from "./worktree-files.ts";
import { worktreeNames, worktreesFolder } from "./worktree-names.ts";
import { findRecord, saveRecord, type WorktreeRecord } from "./worktree-record.ts";

/** A working tree of its own for one task of a run, on a branch of its own. */
export interface Worktree {
  /** The top of the checkout. */
  readonly path: string;
  /** The project's folder in the checkout: where the worker starts. Equals `path` unless the project is a subfolder. */
  readonly workingDirectory: string;
  /** For example `atomic/RUN/TASK`. */
  readonly branch: string;
  /** The commit that the branch started at. */
  readonly baseCommit: string;
  /** The branch of the project, which the work goes back to; missing if the project had a detached head. */
  readonly targetBranch?: string;
  /** Consecutive TCP ports that no other worktree has. */
  readonly ports: readonly number[];
  /**
   * Variables for the worker and its commands, besides their usual ones: `ATOMIC_WORKTREE` (the path), `PORT` and
   * `ATOMIC_PORT` (the first port), `ATOMIC_PORT_1` to `ATOMIC_PORT_9` (the others).
   */
  readonly environment: Readonly<Record<string, string>>;
  /** What the worktree lacks, for people: uncommitted changes of the project, empty submodules, files left out. */
  readonly warnings: readonly string[];
  /** The folder of Atomic. */
  readonly home: string;
  /** The file in which Atomic keeps what it knows of the worktree; next to the worktree. */
  readonly recordFile: string;
}

/** Settings of {@link createWorktree}. */
export interface CreateWorktreeOptions extends GitOptions {
  /** The project's folder. It may be a subfolder of a repository, and itself in a worktree. */
  readonly project: string;
  /** The folder of Atomic, for example `~/.atomic`. It has the list of all reserved ports. */
  readonly home: string;
  /** The folder that holds the worktrees. @default `HOME/worktrees/PROJECT-HASH` */
  readonly folder?: string;
  /** Any text. */
  readonly runId: string;
  /** Any text. */
  readonly taskId: string;
  /** A command line for `sh` that prepares the worktree, for example `npm ci`. @default none */
  readonly setupCommand?: string;
  /** The branch that the worktree starts at and is merged into. @default the one that is checked out in the project */
  readonly targetBranch?: string;
  /** How many ports are reserved. @default 10 */
  readonly portCount?: number;
}

/** How much of the set-up command's output an error contains, in characters. */
const MAX_SETUP_OUTPUT = 4_000;

/**
 * Creates a worktree at the project's current commit for a task, with the ignored files that `.worktreeinclude` and
 * `.worktreelink` name, the submodules that the project has, and ports. Called again for the same run and task, also after
 * a crash, it returns the same worktree and completes what is missing; the work in it stays.
 *
 * ```ts
 * const worktree = await createWorktree({ project: ".", home, runId, taskId: "login form", env, setupCommand: "npm ci" });
 * ```
 *
 * @throws GitMissingError, GitTooOldError, RepositoryUnusableError, WorktreeNameTakenError, WorktreeDamagedError,
 * WorktreeSetupError, NoFreePortsError; the signal's reason
 */
export async function createWorktree(options: CreateWorktreeOptions): Promise<Worktree> {
  const { home, runId, taskId } = options;
  const git = await Git.open(options);
  const repository = await readRepository(git, options.project);
  const filters = overruledFilters(options.env);
  if (filters.length > 0) throw new RepositoryUnusableError(repository.project, "filters", filters.join(", "));
  const given = resolve(options.folder ?? worktreesFolder(home, repository.project));
  await mkdir(given, { recursive: true, mode: 0o700 });
  // Git knows worktrees by their paths without links.
  const folder = await realpath(given);
  const names = worktreeNames(runId, taskId);
  const file = join(folder, `${names.name}.json`);
  const plan = { repository, file, path: join(folder, names.name), branch: names.branch };
  return await withWorktreeLock(git, { file }, async ({ git: locked, descriptor }) => {
    const record = await withRepositoryLock(
      locked,
      { home, commonDir: repository.commonDir, purpose: "create-and-remove" },
      (inner) => register(inner, plan, options),
    );
    const ready = record.state === "ready" ? record : await prepare(locked, { record, plan, descriptor }, options);
    return toWorktree(ready, { home, file });
  });
}

/** The filters of file contents that an environment switches off. Work that is committed without them is damaged. */
function overruledFilters(env: GitOptions["env"]): readonly string[] {
  const names = Object.entries(env).flatMap(([name, value]) => {
    const filter = /^GIT_CONFIG_KEY_\d+$/.test(name)
      ? /^filter\.(.+)\.(?:clean|smudge|process)$/.exec(value)?.[1]
      : undefined;
    return filter === undefined ? [] : [filter];
  });
  return [...new Set(names)];
}

/** Plans a worktree unless it is known, makes it known to git, and reserves its ports. */
async function register(git: Git, plan: Plan, options: CreateWorktreeOptions): Promise<WorktreeRecord> {
  const { repository, file } = plan;
  const { home, runId, taskId, portCount = 10 } = options;
  const known = await findRecord(file);
  if (known !== undefined && !isFor(known, { runId, taskId, commonDir: repository.commonDir }))
    throw new WorktreeNameTakenError("folder", known.path);
  if (known?.state === "removing") await finishRemoval(git, { record: known, file, home });
  const planned = known === undefined || known.state === "removing" ? await planRecord(git, plan, options) : known;
  const added = await addWorktree(git, plan, planned);
  const ports = portCount === 0 ? [] : await reservePorts({ home, owner: file, count: portCount });
  const current: WorktreeRecord = { ...added, ports: [...ports] };
  await saveRecord(file, current);
  return current;
}

/** What a record says, as the callers of this library see it. */
export function toWorktree(record: WorktreeRecord, { home, file }: { home: string; file: string }): Worktree {
  const { path, branch, baseCommit, targetBranch, ports, warnings } = record;
  return {
    path,
    workingDirectory: join(path, record.subfolder),
    branch,
    baseCommit,
    ...(targetBranch === undefined ? {} : { targetBranch }),
    ports,
    environment: worktreeEnvironment(path, ports),
    warnings,
    home,
    recordFile: file,
  };
}

interface Plan {
  readonly repository: Repository;
  readonly file: string;
  readonly path: string;
  readonly branch: string;
}

/** Whether a record is that of a task in a repository. Repositories can share a folder of worktrees. */
function isFor(record: WorktreeRecord, task: Pick<WorktreeRecord, "runId" | "taskId" | "commonDir">): boolean {
  return record.runId === task.runId && record.taskId === task.taskId && record.commonDir === task.commonDir;
}

const NOT_INCLUDED = "the worktree starts at the last commit, without the project's uncommitted changes";

/** From now on the folder and the branch are Atomic's. */
async function planRecord(git: Git, plan: Plan, options: CreateWorktreeOptions): Promise<WorktreeRecord> {
  const { repository, path, branch } = plan;
  if (existsSync(path)) throw new WorktreeNameTakenError("folder", path);
  const commit = await readCommit(git, repository.root, refOf(branch));
  if (commit !== undefined) throw new WorktreeNameTakenError("branch", branch);
  await assertNameFree(git, repository.root, branch);
  const targetBranch = options.targetBranch ?? repository.branch;
  const { targetBranch: wanted } = options;
  const baseCommit = wanted === undefined ? repository.head : await readCommit(git, repository.root, refOf(wanted));
  if (baseCommit === undefined) throw new TargetBranchMissingError(branch, wanted);
  await assertCommitted(git, repository, baseCommit);
  const uncommitted = await listUncommitted(git, repository.root);
  const record: WorktreeRecord = {
    version: 1,
    runId: options.runId,
    taskId: options.taskId,
    path,
    project: repository.project,
    subfolder: repository.subfolder,
    commonDir: repository.commonDir,
    branch,
    baseCommit,
    ...(targetBranch === undefined ? {} : { targetBranch }),
    state: "creating",
    ports: [],
    warnings: uncommitted.length === 0 ? [] : [`${NOT_INCLUDED}: ${listForPeople(uncommitted)}`],
    ignored: {},
    createdAt: new Date().toISOString(),
  };
  await saveRecord(plan.file, record);
  return record;
}

/** A worktree has the project's folder only if a file in it is committed. @throws RepositoryUnusableError */
async function assertCommitted(git: Git, { root, project, subfolder }: Repository, commit: string): Promise<void> {
  if (subfolder === "") return;
  const { exitCode, stdout } = await git.try(["cat-file", "-t", `${commit}:${subfolder}`], { cwd: root });
  if (exitCode !== 0 || stdout.trim() !== "tree") throw new RepositoryUnusableError(project, "not-committed");
}

/** Git keeps branches like files: with a branch "atomic" there can be none below it. @throws WorktreeNameTakenError */
async function assertNameFree(git: Git, cwd: string, branch: string): Promise<void> {
  const parts = branch.split("/");
  const parents = parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/"));
  const patterns = [...parents, `${branch}/`].map(refOf);
  const found = (await git.run(["for-each-ref", "--format=%(refname)", ...patterns], { cwd })).split("\n");
  const taken = found.find((ref) => parents.map(refOf).includes(ref) || ref.startsWith(`${refOf(branch)}/`));
  if (taken !== undefined) throw new WorktreeNameTakenError("branch", taken.replace("refs/heads/", ""));
}

/** Adds the worktree without its files, unless it is there. Returns the record, which says whether files are missing. */
async function addWorktree(git: Git, { repository, file }: Plan, record: WorktreeRecord): Promise<WorktreeRecord> {
  const { path, branch, baseCommit } = record;
  const { root } = repository;
  if (await isWorktree(git, record)) return record;
  const found = await lstat(path).catch(() => undefined);
  if (found !== undefined) {
    // While it is being created, nobody can have written into it.
    if (record.state !== "creating") throw new WorktreeDamagedError(path, "is no longer a worktree of its repository");
    await rm(path, { recursive: true, force: true });
  }
  const incomplete: WorktreeRecord = { ...record, state: "creating" };
  // Before it is added: after a crash, an empty worktree must not count as one whose files a worker has deleted.
  if (record.state !== "creating") await saveRecord(file, incomplete);
  await git.try(["worktree", "remove", "--force", "--force", "--", path], { cwd: root });
  const exists = (await readCommit(git, root, refOf(branch))) !== undefined;
  const source = exists ? [path, branch] : ["-b", branch, path, baseCommit];
  await git.run(["worktree", "add", "--quiet", "--no-checkout", ...source], { cwd: root });
  return incomplete;
}

/** Writes all files of a worktree's commit, unless an interrupted call has done so. */
async function checkOut(git: Git, record: WorktreeRecord): Promise<void> {
  if (await isComplete(git, record)) return;
  await removeIndexLock(git, record.path);
  await git.run(["reset", "--quiet", "--hard", "--no-recurse-submodules"], { cwd: record.path, isStoppable: true });
}

/** Whether the folder is a worktree of the repository that the record names. Repairs what points to and from it. */
async function isWorktree(git: Git, { path, commonDir }: WorktreeRecord): Promise<boolean> {
  if (existsSync(path) && !existsSync(join(path, ".git")))
    await git.try(["worktree", "repair", path], { cwd: commonDir });
  return await isWorktreeOf(git, path, commonDir);
}

/** Whether an interrupted checkout had finished: nothing differs from its commit. */
async function isComplete(git: Git, { path, branch }: WorktreeRecord): Promise<boolean> {
  const head = await git.try(["symbolic-ref", "--quiet", "HEAD"], { cwd: path });
  if (head.stdout.trim() !== refOf(branch)) return false;
  const { exitCode, stdout } = await git.try(["status", "--porcelain", "--untracked-files=no"], { cwd: path });
  return exitCode === 0 && stdout === "";
}

interface Preparation {
  readonly record: WorktreeRecord;
  readonly plan: Plan;
  /** The worktree's lock. */
  readonly descriptor: number | undefined;
}

/**
 * Everything that fills the worktree. An interrupted call repeats all of it but the checkout. After a failed set-up, what a
 * person has corrected stays.
 */
async function prepare(
  git: Git,
  { record, plan: { repository, file }, descriptor }: Preparation,
  options: CreateWorktreeOptions,
): Promise<WorktreeRecord> {
  const { path } = record;
  const isCorrected = record.state === "unprepared";
  if (!isCorrected) await checkOut(git, record);
  const trees = { from: repository.root, to: path, keepsExisting: isCorrected };
  const submodules = await checkOutSubmodules(git, trees);
  const left = await includeFiles(git, trees);
  const save = async (state: "ready" | "unprepared"): Promise<WorktreeRecord> => {
    const warnings = [...new Set([...record.warnings, ...submodules, ...left])];
    const next: WorktreeRecord = { ...record, state, warnings, ignored: await digestIgnored(git, path) };
    await saveRecord(file, next);
    return next;
  };
  try {
    await runSetup(record, descriptor, options);
  } catch (error) {
    if (error instanceof WorktreeSetupError) await save("unprepared");
    throw error;
  }
  return await save("ready");
}

async function runSetup(
  { path, subfolder, ports }: WorktreeRecord,
  heldDescriptor: number | undefined,
  { setupCommand, env, signal = new AbortController().signal }: CreateWorktreeOptions,
): Promise<void> {
  if (setupCommand === undefined) return;
  const workingDirectory = join(path, subfolder);
  const { exitCode, stdout, stderr } = await runCommand(setupCommand, {
    signal,
    workingDirectory,
    heldDescriptor,
    env: { ...withoutElsewhere(env), ...worktreeEnvironment(path, ports) },
    maxOutputLength: MAX_SETUP_OUTPUT,
  });
  if (exitCode === 0) return;
  const output = [stdout, stderr]
    .filter((text) => text !== "")
    .join("\n")
    .slice(-MAX_SETUP_OUTPUT);
  throw new WorktreeSetupError(setupCommand, workingDirectory, { exitCode, output });
}
