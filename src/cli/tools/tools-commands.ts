import { randomUUID } from "node:crypto";
import { AtomicError, isRecord, messageOf, type ToolEntry } from "../../contracts/index.ts";
import { locateInFile, ToolArgumentsError, UnknownToolError } from "../../discovery/index.ts";
import { formatTable, safeLine, safeText } from "../../view/index.ts";
import { readText } from "../config/read-text.ts";
import { UsageError } from "../config/usage-error.ts";
import type { CliEnvironment } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";
import { listenForInterruption } from "../interruption.ts";
import { formatJson } from "../output/format-json.ts";
import { formatOutput } from "../output/format-output.ts";
import { printProblems } from "../output/problem-printer.ts";
import { tableColumns } from "../output/terminal.ts";
import { trustIfAsked } from "../trust/trust-if-asked.ts";
import { Workspace } from "../workspace.ts";
import { type OpenedTools, openTools } from "./open-tools.ts";

/** Options of the commands about tools. */
export interface ToolsFlags {
  readonly trust?: boolean;
  readonly json?: boolean;
}

/** Options of `atomic tools run`. */
export interface RunToolFlags extends ToolsFlags {
  /** The arguments as JSON; `-` reads them from standard input. */
  readonly args?: string;
}

/** A tool threw an error. */
export class ToolFailedError extends AtomicError {
  constructor(
    readonly toolName: string,
    path: string,
    options: { readonly cause: unknown },
  ) {
    const place = locateInFile(options.cause, path);
    const where = place === undefined ? path : `${path}:${place.line}:${place.column}`;
    const what = messageOf(options.cause).replace(/\.$/, "");
    super("TOOL_FAILED", `The tool "${toolName}" failed: ${what}. Its code is in ${where}.`, options);
  }
}

const MAX_DESCRIPTION_COLUMNS = 80;

/** `atomic tools list`: the tools that agents and workflows can call here, and what is wrong with the files that cannot. */
export async function listToolsCommand(environment: CliEnvironment, flags: ToolsFlags): Promise<ExitCode> {
  const { stdout, stderr } = environment;
  const { tools } = await open(environment, flags, () => undefined);
  const { registry, problems, untrusted } = await tools.load();
  if (flags.json) {
    stdout.write(`${formatJson({ tools: registry.getAll().map(asJson), problems, untrusted })}\n`);
    return ExitCode.done;
  }
  const rows = registry
    .getAll()
    .map(({ name, source, description }) => [
      safeLine(name, 64),
      source,
      safeLine(description, MAX_DESCRIPTION_COLUMNS),
    ]);
  if (rows.length > 0) {
    stdout.write(`${formatTable(["TOOL", "SOURCE", "DESCRIPTION"], rows, { columns: tableColumns(stdout) })}\n`);
  } else if (untrusted.length === 0) stdout.write("No tools were found here. Write one in .atomic/tools/NAME.ts.\n");
  printProblems(environment, problems, "atomic tools list --json");
  if (untrusted.length > 0) {
    const { length } = untrusted;
    stderr.write(
      `note: ${length} tool file${length === 1 ? " of this project was" : "s of this project were"} not loaded, because the project is not trusted. Look at ${length === 1 ? "it" : "them"}, then call again with --trust.\n`,
    );
  }
  return ExitCode.done;
}

/** `atomic tools show NAME`: what a tool does, its arguments, and its file. */
export async function showToolCommand(environment: CliEnvironment, name: string, flags: ToolsFlags): Promise<ExitCode> {
  const { tools } = await open(environment, flags);
  const entry = await findTool(tools, name);
  environment.stdout.write(flags.json ? `${formatJson(asJson(entry))}\n` : formatEntry(entry));
  return ExitCode.done;
}

/** `atomic tools run NAME --args JSON`: calls a tool as an agent would, and prints what the agent would receive. */
export async function runToolCommand(
  environment: CliEnvironment,
  name: string,
  flags: RunToolFlags,
): Promise<ExitCode> {
  const input = await readArguments(environment, name, flags.args);
  const { tools, workspace } = await open(environment, flags);
  const { definition, filePath } = await findTool(tools, name);
  const { signal, stopListening } = listenForInterruption(environment, {
    say: (line) => environment.stderr.write(`${line}\n`),
    leave: () => undefined,
  });
  try {
    const output = await definition.handler(input, {
      sessionID: "cli",
      messageID: randomUUID(),
      agent: "cli",
      directory: workspace.workingDirectory,
      abort: signal,
    });
    environment.stdout.write(
      flags.json ? `${formatJson({ type: "result", tool: definition.name, output })}\n` : `${formatOutput(output)}\n`,
    );
    return ExitCode.done;
  } catch (error) {
    if (signal.aborted) return ExitCode.cancelled;
    if (error instanceof ToolArgumentsError)
      throw new UsageError(`${error.message}\nSee what it takes: atomic tools show ${definition.name}`);
    throw error instanceof AtomicError ? error : new ToolFailedError(definition.name, filePath, { cause: error });
  } finally {
    stopListening();
  }
}

interface Opened {
  readonly tools: OpenedTools;
  readonly workspace: Workspace;
}

async function open(
  environment: CliEnvironment,
  flags: ToolsFlags,
  tell = (line: string): void => {
    if (!flags.json) environment.stderr.write(`${line}\n`);
  },
): Promise<Opened> {
  const workspace = new Workspace(environment);
  const { projectDirectory } = workspace;
  await trustIfAsked(environment, workspace, flags);
  await workspace.reportChanges(projectDirectory);
  return { tools: openTools({ environment, workspace, projectDirectory }, tell), workspace };
}

/** @throws UsageError with the nearest name, ToolBrokenError, ToolsUntrustedError */
async function findTool(tools: OpenedTools, name: string): Promise<ToolEntry> {
  const entry = await tools.find(name);
  if (entry !== undefined) return entry;
  throw new UsageError(new UnknownToolError(name, tools.service.names()).message);
}

/** @throws UsageError */
async function readArguments(environment: CliEnvironment, name: string, args: string | undefined): Promise<unknown> {
  if (args === undefined) return {};
  const example = `atomic tools run ${safeLine(name, 40)} --args '{"name": "value"}'`;
  let input: unknown;
  try {
    input = JSON.parse(await readText(args, environment));
  } catch (error) {
    throw new UsageError(`The arguments of --args are not JSON: ${messageOf(error)}. For example: ${example}`);
  }
  if (!isRecord(input)) throw new UsageError(`The arguments of --args must be a JSON object. For example: ${example}`);
  return input;
}

function asJson({ name, description, definition, source, filePath }: ToolEntry): unknown {
  return { name, description, inputSchema: definition.inputSchema, source, filePath };
}

function formatEntry({ name, description, definition, source, filePath }: ToolEntry): string {
  return safeText(
    [
      `Name        ${name}`,
      `From        ${source === "local" ? "this project" : "your own tools"}`,
      `File        ${filePath}`,
      "",
      description,
      "",
      "Arguments (JSON Schema):",
      JSON.stringify(definition.inputSchema, null, 2),
      "",
    ].join("\n"),
  );
}
