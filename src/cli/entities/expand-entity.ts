import { isAbsolute, relative, resolve, sep } from "node:path";
import { explainCall } from "../../clients/index.ts";
import {
  AtomicError,
  type PermissionHandler,
  type PermissionPolicy,
  type PermissionRequest,
} from "../../contracts/index.ts";
import { expandPrompt, readBoundedFile, realPathOf, type UnifiedEntity } from "../../discovery/index.ts";
import { runCommand } from "../../graph/index.ts";
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
}

/** A command within a prompt may not run. */
export class PromptCommandDeniedError extends AtomicError {
  /** Another attempt would be denied, too. */
  readonly isRetryable = false;

  constructor(
    readonly entityName: string,
    readonly command: string,
    reason: string,
  ) {
    super(
      "PROMPT_COMMAND_DENIED",
      `"${entityName}" runs the command "${command}" for its prompt, which was denied: ${reason}`,
    );
  }
}

/** The longest file that is put into a prompt, in characters. */
const MAX_FILE_LENGTH = 65_536;

/** How long a command within a prompt may take, in milliseconds. */
const COMMAND_TIMEOUT_MS = 120_000;

/**
 * The message of a command or a skill. Commands in it run only as far as the permissions allow, and files are put in only
 * where they lie in the working directory and may be read.
 *
 * @throws PromptCommandDeniedError, and the signal's reason
 */
export async function expandEntity(
  entity: UnifiedEntity,
  options: ExpandPlace & { readonly args: string; readonly signal: AbortSignal },
): Promise<string> {
  const { args, projectDirectory } = options;
  return await expandPrompt(entity, {
    args,
    runCommand: (command) => run(entity, command, options),
    readFile: (path) => read(path, options),
    variables: {
      CLAUDE_PROJECT_DIR: projectDirectory,
      ...(entity.directory === undefined ? {} : { CLAUDE_SKILL_DIR: entity.directory }),
    },
  });
}

async function run(
  { name, source }: UnifiedEntity,
  command: string,
  options: ExpandPlace & { readonly signal: AbortSignal },
): Promise<string> {
  const { workingDirectory, permissions, onPermissionAsk, isSandboxed = false, signal } = options;
  if (source.isUntrusted === true) {
    throw new PromptCommandDeniedError(name, command, "its project is not trusted. Look at it, then: atomic trust add");
  }
  if (isSandboxed) {
    throw new PromptCommandDeniedError(name, command, "it would run outside the sandbox. Call without --sandbox.");
  }
  const request = requestFor({ kind: "shell", title: command, command, paths: [] });
  const explanation = await explainCall(request, { policy: permissions, workingDirectory });
  if (explanation.effect === "deny") throw new PromptCommandDeniedError(name, command, explanation.reason);
  if (explanation.effect === "ask") {
    const answer = await onPermissionAsk?.(explanation.request, { signal });
    if (answer?.type !== "allow") {
      const advice = `${explanation.reason} Allow it with: --allow ${quoteWord(`shell:${command}`)}`;
      throw new PromptCommandDeniedError(name, command, answer === undefined ? advice : "you did not allow it.");
    }
  }
  const limited = AbortSignal.any([signal, AbortSignal.timeout(COMMAND_TIMEOUT_MS)]);
  const result = await runCommand(command, { signal: limited, workingDirectory });
  const output = [result.stdout, result.stderr].map((text) => text.trimEnd()).filter((text) => text !== "");
  return [...output, ...(result.exitCode === 0 ? [] : [`(exit code ${result.exitCode})`])].join("\n");
}

/** Nothing for a file that does not exist or is elsewhere; a note for one that may not be read. */
async function read(
  path: string,
  { workingDirectory, permissions, onPermissionAsk, signal }: ExpandPlace & { readonly signal: AbortSignal },
): Promise<string | undefined> {
  const file = realPathOf(resolve(workingDirectory, path));
  const place = relative(realPathOf(workingDirectory), file);
  if (place === "" || place === ".." || place.startsWith(`..${sep}`) || isAbsolute(place)) return undefined;
  const request = requestFor({ kind: "read", title: path, paths: [file] });
  const text = await readBoundedFile(file).catch(() => undefined);
  if (text === undefined) return undefined;
  const explanation = await explainCall(request, { policy: permissions, workingDirectory });
  if (explanation.effect === "deny") return `(not included: ${explanation.reason})`;
  if (explanation.effect === "ask") {
    const answer = await onPermissionAsk?.(explanation.request, { signal });
    if (answer?.type !== "allow") return "(not included: reading it requires approval)";
  }
  return text.includes("\0") ? undefined : text.slice(0, MAX_FILE_LENGTH);
}

function requestFor(
  call: Pick<PermissionRequest, "kind" | "title" | "paths"> & { readonly command?: string },
): PermissionRequest {
  return { id: "prompt", sessionId: "prompt", toolName: call.kind, ...call };
}
