import { readdir, stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { explainCall } from "../../clients/index.ts";
import {
  AtomicError,
  type PermissionHandler,
  type PermissionPolicy,
  type PermissionRequest,
} from "../../contracts/index.ts";
import {
  type ExpandPromptOptions,
  expandPrompt,
  type PromptFile,
  readBoundedFile,
  realPathOf,
  shortenCommand,
  type UnifiedEntity,
} from "../../discovery/index.ts";
import { runCommand } from "../../graph/index.ts";
import { isWithin } from "../../system/index.ts";
import { safeLine, safeText } from "../../view/index.ts";
import { quoteWord } from "../output/quote-word.ts";

/** Where a prompt is expanded, and what it may do. */
export interface ExpandPlace {
  readonly workingDirectory: string;
  readonly projectDirectory: string;
  readonly permissions: PermissionPolicy;
  /** Asks a person where the policy says so. @default such a command is denied */
  readonly onPermissionAsk?: PermissionHandler | undefined;
  /** Whether agents work in a sandbox, which commands in prompts are not in. @default false */
  readonly isSandboxed?: boolean;
  /** Receives a line about a command that failed and a file that was left out, which do not stop the prompt. @default none */
  readonly onWarn?: ((line: string) => void) | undefined;
}

/** A command within a prompt may not run. */
export class PromptCommandDeniedError extends AtomicError {
  /** Another attempt would be denied, too. */
  readonly isRetryable = false;

  constructor(
    readonly entityName: string,
    readonly command: string,
    reason: string,
    /** The rule that would allow the command; undefined if none would, or if it is too long for a message. */
    readonly allowedBy?: string,
  ) {
    super(
      "PROMPT_COMMAND_DENIED",
      `"${entityName}" runs the command "${shortenCommand(command)}" for its prompt, which was denied: ${reason}`,
    );
  }
}

/** A command within a prompt failed. */
export class PromptCommandFailedError extends AtomicError {
  /** Another attempt runs the same command. */
  readonly isRetryable = false;

  constructor(
    readonly entityName: string,
    readonly command: string,
    /** How it ended, for example "exit code 3". */
    readonly end: string,
    /** The end of its standard error, otherwise of its output. */
    readonly output: string,
  ) {
    const lines = output.trimEnd().split("\n").slice(-MAX_SHOWN_LINES).join("\n");
    const said = lines === "" ? "It printed nothing." : `It printed:\n${lines}`;
    super(
      "PROMPT_COMMAND_FAILED",
      `"${entityName}" runs the command "${shortenCommand(command)}" for its prompt, which failed: ${end}. If that is no failure, append \`|| true\` to it. ${said}`,
    );
  }
}

/** How many lines of a failed command's output are shown. */
const MAX_SHOWN_LINES = 5;

/** The longest file that is put into a prompt, in characters. */
const MAX_FILE_LENGTH = 65_536;

/** How many files that are left out are reported. */
const MAX_LEFT_OUT = 10;

const MAX_WARNING_COLUMNS = 400;

/** How long a command within a prompt may take, in milliseconds. */
const COMMAND_TIMEOUT_MS = 120_000;

/**
 * The message of a command or a skill. Commands in it run only as far as the permissions allow, and files are put in only
 * where they lie in the working directory, or in the folder of the text's plugin, and may be read.
 *
 * @throws PromptInputMissingError, ArgumentPlaceError, PromptCommandDeniedError,
 *   PromptCommandFailedError, and the signal's reason
 */
export async function expandEntity(
  entity: UnifiedEntity,
  options: ExpandPlace & { readonly args: string; readonly signal: AbortSignal },
): Promise<string> {
  const { args } = options;
  const { pluginDirectory } = entity.source;
  let leftOutCount = 0;
  const leaveOut = (path: string, reason: string): undefined => {
    leftOutCount += 1;
    const line = `"${entity.name}" names @${path}, which is not put into its prompt: ${reason}`;
    if (leftOutCount <= MAX_LEFT_OUT) options.onWarn?.(safeLine(line, MAX_WARNING_COLUMNS));
    if (leftOutCount === MAX_LEFT_OUT) options.onWarn?.("Further files that are not put in are not named.");
    return;
  };
  const place = { ...options, pluginDirectory, leaveOut };
  return await expandPrompt(entity, {
    args,
    runCommand: (command) => run(entity, command, options),
    locateFile: (path) => locate(path, place),
    readFile: (file) => read(file, place),
    variables: variablesOf(entity, options),
  });
}

/** A command within a prompt that a run denies, or starts only after a person's approval. */
export interface BlockedCommand {
  readonly effect: "deny" | "ask";
  readonly command: string;
  readonly reason: string;
  readonly remedy: string;
}

/**
 * The commands in a prompt that the permissions deny, or that require approval. Runs and reads nothing.
 *
 * @throws ArgumentPlaceError, PromptInputMissingError
 */
export async function findBlockedCommands(
  entity: UnifiedEntity,
  options: ExpandPlace & Pick<ExpandPromptOptions, "args">,
): Promise<readonly BlockedCommand[]> {
  const blocked: BlockedCommand[] = [];
  await expandPrompt(entity, {
    args: options.args,
    async runCommand(command) {
      const decision = await decide(entity, command, options);
      if (decision.effect !== "allow") blocked.push({ ...decision, command });
      return "";
    },
    locateFile: async () => undefined,
    readFile: async () => undefined,
    variables: variablesOf(entity, options),
  });
  return blocked;
}

function variablesOf(
  { directory, source }: UnifiedEntity,
  { projectDirectory }: ExpandPlace,
): Readonly<Record<string, string>> {
  return {
    CLAUDE_PROJECT_DIR: projectDirectory,
    ...(source.provider === "copilot"
      ? { workspaceFolder: projectDirectory, workspaceFolderBasename: basename(projectDirectory) }
      : {}),
    ...(directory === undefined ? {} : { CLAUDE_SKILL_DIR: directory }),
    ...(source.pluginDirectory === undefined ? {} : { CLAUDE_PLUGIN_ROOT: source.pluginDirectory }),
  };
}

type CommandDecision =
  | { readonly effect: "allow" }
  | { readonly effect: "deny"; readonly reason: string; readonly remedy: string }
  | {
      readonly effect: "ask";
      readonly reason: string;
      readonly remedy: string;
      /** The rule that would allow the command; undefined if it is too long for a message. */
      readonly rule?: string;
      readonly request: PermissionRequest;
    };

async function decide(
  { source }: UnifiedEntity,
  command: string,
  { workingDirectory, permissions, isSandboxed = false }: ExpandPlace,
): Promise<CommandDecision> {
  if (source.isUntrusted === true) {
    return { effect: "deny", reason: "its project is not trusted.", remedy: "Look at it, then: atomic trust add" };
  }
  if (isSandboxed) {
    return { effect: "deny", reason: "it would run outside the sandbox.", remedy: "Call without --sandbox." };
  }
  const asked = requestFor({ kind: "shell", title: command, command, paths: [] });
  const { effect, reason: whole, request } = await explainCall(asked, { policy: permissions, workingDirectory });
  // A reason has the command in it.
  const reason = shortenCommand(whole);
  if (effect === "allow") return { effect };
  if (effect === "deny") return { effect, reason, remedy: "" };
  // Half a rule would not allow it.
  if (shortenCommand(command) !== command) return { effect, reason, remedy: "Move it into a script.", request };
  const rule = `shell:${command}`;
  return { effect, reason, remedy: `Allow it with: --allow ${quoteWord(rule)}`, rule, request };
}

async function run(
  entity: UnifiedEntity,
  command: string,
  options: ExpandPlace & { readonly signal: AbortSignal },
): Promise<string> {
  const { onPermissionAsk, signal } = options;
  const decision = await decide(entity, command, options);
  if (decision.effect !== "allow") {
    const answer = decision.effect === "ask" ? await onPermissionAsk?.(decision.request, { signal }) : undefined;
    const reason = answer === undefined ? `${decision.reason} ${decision.remedy}`.trim() : "you did not allow it.";
    const allowedBy = decision.effect === "ask" ? decision.rule : undefined;
    if (answer?.type !== "allow") throw new PromptCommandDeniedError(entity.name, command, reason, allowedBy);
  }
  return await execute(entity, command, options);
}

/** @throws PromptCommandFailedError, and the signal's reason */
async function execute(
  { name, source }: UnifiedEntity,
  command: string,
  { workingDirectory, signal, onWarn }: ExpandPlace & { readonly signal: AbortSignal },
): Promise<string> {
  const limit = AbortSignal.timeout(COMMAND_TIMEOUT_MS);
  const { exitCode, stdout, stderr } = await runCommand(command, {
    signal: AbortSignal.any([signal, limit]),
    workingDirectory,
  }).catch((error: unknown) => {
    if (signal.aborted || !limit.aborted) throw error;
    throw new PromptCommandFailedError(name, command, `it did not end within ${COMMAND_TIMEOUT_MS / 1000} s`, "");
  });
  const output = [stdout, stderr].map((text) => text.trimEnd()).filter((text) => text !== "");
  if (exitCode === 0) return output.join("\n");
  const failure = new PromptCommandFailedError(name, command, `exit code ${exitCode}`, stderr.trim() || stdout);
  // OpenCode sends what its commands print, whatever their exit code.
  if (source.provider !== "opencode") throw failure;
  onWarn?.(safeText(failure.message));
  return [...output, `(exit code ${exitCode})`].join("\n");
}

interface FilePlace extends ExpandPlace {
  readonly signal: AbortSignal;
  /** The folder of the plugin that has the text. */
  readonly pluginDirectory: string | undefined;
  /** Reports a file that exists and is left out. Returns nothing, for the file. */
  readonly leaveOut: (path: string, reason: string) => undefined;
}

/** Nothing for a file or a folder that does not exist or is elsewhere. */
async function locate(path: string, options: FilePlace): Promise<string | undefined> {
  const { workingDirectory, pluginDirectory, leaveOut } = options;
  const file = realPathOf(resolve(workingDirectory, path));
  const folders = [workingDirectory, ...(pluginDirectory === undefined ? [] : [pluginDirectory])];
  const status = await stat(file).catch(() => undefined);
  if (status?.isFile() !== true && status?.isDirectory() !== true) return undefined;
  if (folders.some((folder) => isWithin(file, realPathOf(folder)))) return file;
  return leaveOut(path, "it is outside of the working folder.");
}

/** Nothing for a file that cannot be read or has no text; a note for one that may not be read. */
async function read(
  { path, realPath: file }: PromptFile,
  { workingDirectory, permissions, onPermissionAsk, signal, leaveOut }: FilePlace,
): Promise<string | undefined> {
  const request = requestFor({ kind: "read", title: path, paths: [file] });
  const text = await readText(file).catch(() => undefined);
  if (text === undefined) return leaveOut(path, "it cannot be read, or is too large.");
  const explanation = await explainCall(request, { policy: permissions, workingDirectory });
  if (explanation.effect === "deny") return `(not included: ${explanation.reason})`;
  if (explanation.effect === "ask") {
    const answer = await onPermissionAsk?.(explanation.request, { signal });
    if (answer?.type !== "allow") return "(not included: reading it requires approval)";
  }
  return text.includes("\0") ? leaveOut(path, "it is no text.") : text.slice(0, MAX_FILE_LENGTH);
}

/** The text of a file, or the names of what is in a folder, as the vendors send them. */
async function readText(path: string): Promise<string> {
  if (!(await stat(path)).isDirectory()) return await readBoundedFile(path);
  const entries = await readdir(path, { withFileTypes: true });
  const names = entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).sort();
  return ["This is a folder with:", ...names].join("\n");
}

function requestFor(
  call: Pick<PermissionRequest, "kind" | "title" | "paths"> & { readonly command?: string },
): PermissionRequest {
  return { id: "prompt", sessionId: "prompt", toolName: call.kind, ...call };
}
