import { access, lstat, mkdir, readdir } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { AtomicError, messageOf, quoteForShell } from "../../contracts/index.ts";
import { FileUnusableError, readBoundedFile, realPathOf, reasonOf } from "../../discovery/index.ts";
import { visibleLine } from "../../view/index.ts";
import { migrateRalphSession, RalphSessionError, saveTasks, TasksFileError } from "../../workflows/index.ts";
import { UsageError } from "../config/usage-error.ts";
import type { CliEnvironment } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";
import { formatJson } from "../output/format-json.ts";
import { type MigrateFlags, refuseLinkedFolder } from "./migrate-command.ts";

/** Where earlier versions kept their runs. */
const DEFAULT_SESSIONS = ".ralph/sessions";

/** Some old sessions were not converted; the others were. */
export class SessionsNotMigratedError extends AtomicError {
  constructor(
    /** One sentence for each session that was not converted. */
    readonly problems: readonly string[],
    /** How many sessions there are. */
    readonly count: number,
  ) {
    super(
      "RALPH_SESSIONS_NOT_MIGRATED",
      [`${problems.length} of ${count} old sessions could not be converted:`, ...problems].join("\n  - "),
    );
  }
}

/** What became of one old session. */
interface Migrated {
  readonly from: string;
  readonly to: string;
  readonly tasks: number;
  readonly passing: number;
}

/**
 * `atomic migrate ralph-sessions [PATH]`: writes the tasks of each old session as a `tasks.json` that `atomic ralph` takes. The
 * old folders stay as they are. @throws UsageError, SessionsNotMigratedError
 */
export async function migrateRalphSessionsCommand(
  environment: CliEnvironment,
  path: string = DEFAULT_SESSIONS,
  { output, force = false, json = false }: MigrateFlags = {},
): Promise<ExitCode> {
  const { workingDirectory, stdout } = environment;
  const from = resolve(workingDirectory, path);
  const names = await findSessions(from);
  const target = resolve(workingDirectory, output ?? join(dirname(from), "migrated"));
  if (output === undefined) {
    refuseLinkedFolder(workingDirectory, dirname(from));
    await refuseLink(target);
  }
  const problems: string[] = [];
  for (const name of names) {
    try {
      const migrated = await migrateSession(join(from, name), { to: join(target, name, "tasks.json"), force });
      const text = json ? formatJson({ type: "migrated", ...migrated }) : describe(migrated, workingDirectory);
      stdout.write(`${text}\n`);
    } catch (error) {
      problems.push(`${visibleLine(name)}: ${visibleLine(problemOf(error))}`);
    }
  }
  if (problems.length > 0) throw new SessionsNotMigratedError(problems, names.length);
  return ExitCode.done;
}

/** The names of the old sessions. Links are among them, to be reported. @throws UsageError */
async function findSessions(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    throw new UsageError(
      `The old sessions in ${visibleLine(folder)} cannot be read: ${reasonOf(error)}. Name their folder: atomic migrate ralph-sessions path/to/sessions`,
    );
  });
  const names = entries.filter((entry) => entry.isDirectory() || entry.isSymbolicLink()).map(({ name }) => name);
  if (names.length === 0) throw new UsageError(`There is no old session in ${visibleLine(folder)}.`);
  return names.sort();
}

/** @throws UsageError, RalphSessionError, TasksFileError, and the system's errors of writing */
async function migrateSession(
  folder: string,
  { to, force }: { readonly to: string; readonly force: boolean },
): Promise<Migrated> {
  const from = join(folder, "session.json");
  for (const path of [folder, from]) await refuseLink(path);
  const file = migrateRalphSession(await readSession(from), { path: from });
  await refuseLink(dirname(to));
  if (!force && (await exists(to)))
    throw new UsageError(`${to} exists already. Replace it with --force, or name another folder with --output.`);
  await mkdir(dirname(to), { recursive: true });
  await saveTasks(to, file);
  const passing = file.tasks.filter(({ status }) => status === "passing").length;
  return { from, to, tasks: file.tasks.length, passing };
}

async function readSession(path: string): Promise<string> {
  try {
    return await readBoundedFile(path);
  } catch (error) {
    const reason = error instanceof FileUnusableError ? `it ${error.reason}` : reasonOf(error);
    throw new UsageError(`Its session.json cannot be read: ${reason}.`);
  }
}

/** A session is what is in its folder: a link could lead to any file of the user. @throws UsageError */
async function refuseLink(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.isSymbolicLink()) throw new UsageError(`${path} is a link to ${realPathOf(path)}, which is not followed.`);
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}

/** Why a session was not converted, in one line. */
function problemOf(error: unknown): string {
  if (error instanceof RalphSessionError || error instanceof TasksFileError) {
    const [first = "", ...others] = error.problems;
    return others.length === 0 ? first : `${first} (and ${others.length} more)`;
  }
  return error instanceof UsageError ? messageOf(error) : `Its list cannot be written: ${reasonOf(error)}.`;
}

function describe({ to, tasks, passing }: Migrated, workingDirectory: string): string {
  const line = `Wrote ${tasks} ${tasks === 1 ? "task" : "tasks"}, ${passing} passing, to ${visibleLine(to)}`;
  if (tasks === passing) return `${line}\n  Nothing is left to do.`;
  return `${line}\n  Continue: atomic ralph ${quoteForShell(visibleLine(relative(workingDirectory, to)))}`;
}
