import { constants } from "node:fs";
import { lstat, open, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { AtomicError, messageOf } from "../../contracts/index.ts";
import {
  createRunReport,
  formatRunReport,
  type GraphShape,
  REPORT_START,
  type RunReportSources,
  withoutTexts,
} from "../../report/index.ts";
import { replaceFile } from "../../system/index.ts";
import { safeText, visibleLine } from "../../view/index.ts";
import { EVENTS_FILE, type RunReport, readEvents, type WorkflowSession } from "../../workflows/index.ts";
import { type RunChanges, readRunChanges } from "../../workflows/program-kit.ts";
import { readInheritedPast } from "../../workflows/run-kit.ts";
import { createGitReader } from "../agents/create-git-reader.ts";
import { UsageError } from "../config/usage-error.ts";
import type { CliEnvironment } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";
import { openInBrowser } from "../open-in-browser.ts";
import { formatJson } from "../output/format-json.ts";
import { OutputError } from "../unusable-place.ts";
import { VERSION } from "../version.ts";
import { Workspace } from "../workspace.ts";
import { loadWorkflowOfRun } from "./load-workflow-of-run.ts";

/** How long git may take to compare the project with the run's start. */
const GIT_TIMEOUT_MS = 60_000;

/** Options of `atomic runs report`. */
export interface ReportFlags {
  readonly output?: string;
  readonly redact?: boolean;
  readonly force?: boolean;
  /** Opens the report in the browser. */
  readonly open?: boolean;
  readonly json?: boolean;
}

/** `atomic runs report RUN`: writes what a run did into one file of HTML. */
export async function reportCommand(
  environment: CliEnvironment,
  prefix: string,
  flags: ReportFlags,
): Promise<ExitCode> {
  const { stdout } = environment;
  const { json = false, redact = false, open: isOpened = false } = flags;
  if (json && flags.output === "-")
    throw new UsageError("--json and --output - both use standard output. Leave one out.");
  if (isOpened && flags.output === "-")
    throw new UsageError("--open needs a file, and --output - writes none. Leave one out.");
  const workspace = new Workspace(environment);
  const id = await workspace.store.resolveId(prefix);
  const { output = join(workspace.store.directoryOf(id), redact ? "report-redacted.html" : "report.html") } = flags;
  const path = output === "-" ? undefined : resolve(environment.workingDirectory, output);
  if (path !== undefined) await assertWritable(path, flags.force ?? false);
  const page = workspace.redactor.value(
    await createRunReport(await collectSources(environment, workspace, id, redact)),
  );
  const text = formatRunReport(redact ? withoutTexts(page) : page, { version: VERSION });
  if (path === undefined) {
    stdout.write(text);
    return ExitCode.done;
  }
  await writeReport(path, text);
  const bytes = Buffer.byteLength(text);
  if (json) stdout.write(`${formatJson({ runId: id, status: page.status, path, bytes })}\n`);
  else stdout.write(`Report of the run ${id} (${page.status}): ${safeText(path)}, ${Math.ceil(bytes / 1_000)} kB\n`);
  if (isOpened) await openReport(environment, path);
  return ExitCode.done;
}

/** The report is there, whether somebody sees it or not. */
async function openReport(environment: CliEnvironment, path: string): Promise<void> {
  const reason = await openInBrowser(environment, { platform: process.platform, path });
  if (reason === undefined) return;
  environment.stderr.write(
    `warning: The report was not opened: ${safeText(reason)}. Open it yourself: ${safeText(path)}\n`,
  );
}

async function collectSources(
  environment: CliEnvironment,
  workspace: Workspace,
  id: string,
  isRedacted: boolean,
): Promise<RunReportSources> {
  const { runs, store } = workspace;
  const report = await runs.report(id);
  const { session, missing } = report;
  // A page that says what the run once was would be taken for its report.
  if (missing !== undefined) throw missing;
  const notes: string[] = [];
  const graph = await loadGraph(environment, workspace, report, notes);
  const inherited = await readInheritedPast(session.sessionDir);
  const changes = isRedacted ? undefined : await readChangesOf(environment, session, notes);
  return {
    report,
    events: readEvents(join(store.directoryOf(id), EVENTS_FILE)),
    moments: await runs.history(id),
    log: await runs.log(id),
    notes,
    createdAt: Date.now(),
    ...(graph === undefined ? {} : { graph }),
    ...(inherited === undefined ? {} : { inherited }),
    ...(session.settings?.base === undefined ? {} : { base: session.settings.base }),
    ...(changes === undefined ? {} : { changes }),
  };
}

/** The report needs the graph only for its picture. */
async function loadGraph(
  environment: CliEnvironment,
  workspace: Workspace,
  { session, summary }: RunReport,
  notes: string[],
): Promise<GraphShape | undefined> {
  if (summary === undefined) return undefined;
  try {
    const { graph } = await loadWorkflowOfRun(environment, workspace, session);
    const nodes = [...graph.nodes].map(([nodeId, { name }]) => ({ id: nodeId, name: name ?? nodeId }));
    return { nodes, edges: graph.edges };
  } catch (error) {
    if (!(error instanceof AtomicError)) throw error;
    notes.push(error.message);
    return undefined;
  }
}

async function readChangesOf(
  environment: CliEnvironment,
  { projectDirectory, settings }: WorkflowSession,
  notes: string[],
): Promise<RunReportSources["changes"]> {
  const base = settings?.base;
  if (base === undefined) {
    notes.push("What the run changed is not shown: the commit that it started from is not recorded.");
    return undefined;
  }
  const workingDirectory = settings?.workingDirectory ?? projectDirectory;
  const git = createGitReader({ environment, projectDirectory });
  const signal = AbortSignal.timeout(GIT_TIMEOUT_MS);
  try {
    const changes = await readRunChanges(base, { git, workingDirectory, signal });
    if (typeof changes !== "string") return withoutReports(changes);
    notes.push(`What the run changed is not shown: ${changes}.`);
  } catch (error) {
    if (!(error instanceof AtomicError) && error !== signal.reason) throw error;
    notes.push(`What the run changed is not shown: ${messageOf(error)}`);
  }
  return undefined;
}

/** A report in the project would be in the next report, with all earlier ones in it. */
function withoutReports({ files, leftOut, commits }: RunChanges): RunChanges {
  const reports = files.filter(isReportChange);
  return {
    files: files.filter((file) => !reports.includes(file)),
    leftOut: [...leftOut, ...reports.map(({ path }) => ({ path, reason: "a report of Atomic" }))],
    commits,
  };
}

function isReportChange({ status, hunks }: RunChanges["files"][number]): boolean {
  const [first] = hunks;
  const removed = status === "deleted" ? "+" : "-";
  const lines = first?.lines.filter((line) => !line.startsWith(removed)).map((line) => line.slice(1));
  return first?.start === (status === "deleted" ? 0 : 1) && `${lines?.join("\n")}\n`.startsWith(REPORT_START);
}

/** @throws UsageError unless the file is new, is a report, or may be replaced whatever it is */
async function assertWritable(path: string, isForced: boolean): Promise<void> {
  const about = await lstat(path).catch(() => undefined);
  if (about === undefined) {
    const folder = await lstat(resolve(path, "..")).catch(() => undefined);
    if (folder === undefined)
      throw new UsageError(
        `There is no folder ${visibleLine(resolve(path, ".."))}. Create it, or name another file with --output.`,
      );
    return;
  }
  if (about.isDirectory()) throw new UsageError(`${visibleLine(path)} is a folder. Name a file with --output.`);
  const target = about.isSymbolicLink() ? await stat(path).catch(() => undefined) : about;
  // A file would take the place of the device, for all programs.
  if (target?.isFile() === false) {
    throw new UsageError(`${visibleLine(path)} is a device, a pipe or a link to no file. Name a file with --output.`);
  }
  if (isForced || (about.isFile() && (await isReport(path)))) return;
  throw new UsageError(
    `${visibleLine(path)} exists and is not a report of Atomic. Name another file with --output, or replace it with --force.`,
  );
}

async function isReport(path: string): Promise<boolean> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    throw new OutputError(path, messageOf(error), { cause: error });
  });
  try {
    const start = Buffer.alloc(REPORT_START.length);
    const { bytesRead } = await file.read(start, 0, start.length, 0);
    return start.toString("utf8", 0, bytesRead) === REPORT_START;
  } finally {
    await file.close();
  }
}

async function writeReport(path: string, text: string): Promise<void> {
  try {
    await replaceFile(path, text);
  } catch (error) {
    throw new OutputError(path, messageOf(error), { cause: error });
  }
}
