import { access, mkdir } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { FileUnusableError, readBoundedFile, realPathOf, reasonOf } from "../../discovery/index.ts";
import { isWithin } from "../../system/index.ts";
import { visibleLine } from "../../view/index.ts";
import { migrateFeatureList, saveTasks } from "../../workflows/index.ts";
import { UsageError } from "../config/usage-error.ts";
import type { CliEnvironment } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";
import { formatJson } from "../output/format-json.ts";

/** Flags of `atomic migrate …`. */
export interface MigrateFlags {
  readonly output?: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

/** Where earlier versions kept the list. */
const DEFAULT_LIST = "research/feature-list.json";

/**
 * `atomic migrate feature-list [PATH]`: writes the features of an old list as the tasks of a `tasks.json`. The old file stays
 * as it is. @throws UsageError, FeatureListError, TasksFileError
 */
export async function migrateFeatureListCommand(
  environment: CliEnvironment,
  path: string = DEFAULT_LIST,
  { output, force = false, json = false }: MigrateFlags = {},
): Promise<ExitCode> {
  const { workingDirectory } = environment;
  const from = resolve(workingDirectory, path);
  const text = await readList(from);
  const to = resolve(workingDirectory, output ?? join(dirname(from), "tasks.json"));
  if (output === undefined) refuseLinkedFolder(workingDirectory, dirname(to));
  const file = migrateFeatureList(text, { path: from });
  if (!force && (await exists(to))) {
    throw new UsageError(`${to} exists already. Name another file with --output, or replace it with --force.`);
  }
  await mkdir(dirname(to), { recursive: true });
  await saveTasks(to, file);
  const counts = { tasks: file.tasks.length, passing: file.tasks.filter(({ status }) => status === "passing").length };
  const line = `Wrote ${counts.tasks} ${counts.tasks === 1 ? "task" : "tasks"}, ${counts.passing} passing, to ${visibleLine(to)}`;
  environment.stdout.write(`${json ? formatJson({ type: "migrated", from, to, ...counts }) : line}\n`);
  return ExitCode.done;
}

async function readList(path: string): Promise<string> {
  try {
    return await readBoundedFile(path);
  } catch (error) {
    const reason = error instanceof FileUnusableError ? `it ${error.reason}` : reasonOf(error);
    throw new UsageError(
      `The feature list ${visibleLine(path)} cannot be read: ${reason}. Name its file: atomic migrate feature-list path/to/feature-list.json`,
    );
  }
}

/** A folder below the working directory must be there, too: a project can have a link in its place. @throws UsageError */
export function refuseLinkedFolder(workingDirectory: string, folder: string): void {
  const real = realPathOf(folder);
  const expected = resolve(realPathOf(workingDirectory), relative(workingDirectory, folder));
  if (!isWithin(folder, workingDirectory) || real === expected) return;
  throw new UsageError(
    `A link leads from ${visibleLine(folder)} to ${visibleLine(real)}. Name the place to write to with --output.`,
  );
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}
