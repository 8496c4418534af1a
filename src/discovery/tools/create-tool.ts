import {
  AtomicError,
  messageOf,
  raceAbort,
  type ToolContext,
  type ToolDefinition,
  type WorkflowToolContext,
} from "../../contracts/index.ts";
import { setLongTimer } from "../../system/index.ts";
import type { ArgumentsReader } from "./tool-arguments.ts";

/** How long a tool may take, in milliseconds, if its file does not say. */
const DEFAULT_TIMEOUT_MS = 600_000;

/** Limits the text that a tool returned, and says where the rest is. */
export type BoundOutput = (text: string, toolName: string) => Promise<string>;

/** A tool was called with arguments that do not match its schema. */
export class ToolArgumentsError extends AtomicError {
  /** The same arguments would be rejected again. */
  readonly isRetryable = false;

  constructor(
    readonly toolName: string,
    readonly problems: readonly string[],
  ) {
    super(
      "TOOL_ARGUMENTS_INVALID",
      [`The arguments of the tool "${toolName}" are invalid:`, ...problems.map((problem) => `- ${problem}`)].join("\n"),
    );
  }
}

/** A tool did not return in time. */
export class ToolTimeoutError extends AtomicError {
  readonly timeoutMs: number;
  readonly path: string;
  /** How long a tool took that could not be stopped. Undefined for one that was abandoned. */
  readonly tookMs: number | undefined;

  constructor(
    readonly toolName: string,
    { timeoutMs, path, tookMs }: ToolTimeoutFacts,
  ) {
    const what =
      tookMs === undefined
        ? `did not finish within ${timeoutMs} ms.`
        : `took ${tookMs} ms, longer than its ${timeoutMs} ms. It kept the process busy, so it could not be stopped; its late result is not used, but what it did is done.`;
    super("TOOL_TIMEOUT", `The tool "${toolName}" ${what} Give it less to do, or raise its timeoutMs in ${path}.`);
    this.timeoutMs = timeoutMs;
    this.path = path;
    this.tookMs = tookMs;
  }
}

/** The facts of a {@link ToolTimeoutError}. */
export interface ToolTimeoutFacts {
  readonly timeoutMs: number;
  readonly path: string;
  readonly tookMs?: number;
}

/** A tool returned a value without a JSON form. */
export class ToolResultError extends AtomicError {
  readonly isRetryable = false;

  constructor(
    readonly toolName: string,
    readonly path: string,
    options: { readonly cause: unknown },
  ) {
    super(
      "TOOL_RESULT_INVALID",
      `The tool "${toolName}" returned a value that has no JSON form: ${messageOf(options.cause).replace(/\.$/, "")}. Return a string or plain data; the tool is in ${path}.`,
      options,
    );
  }
}

/** A tool as its file defines it. */
export interface ToolParts {
  readonly name: string;
  readonly description: string;
  readonly path: string;
  readonly timeoutMs?: number | undefined;
  readonly args: ArgumentsReader;
  readonly execute: (args: unknown, context: ToolContext) => unknown;
}

/**
 * Makes a tool that checks its arguments and ends at its time limit or when its caller cancels. A workflow's node receives
 * what it returns as it is; an agent receives the text, or the JSON of another value, within bounds.
 */
export function createTool(parts: ToolParts, boundOutput: BoundOutput): ToolDefinition {
  const { name, description, args } = parts;
  return {
    name,
    description,
    inputSchema: args.inputSchema,
    async findInputProblems(input) {
      const result = await args.read(input);
      return result.type === "valid" ? [] : result.problems;
    },
    async handler(input, context) {
      const read = await args.read(input);
      if (read.type === "invalid") throw new ToolArgumentsError(name, read.problems);
      const result = await callInTime(parts, read.value, context);
      if (isWorkflowCall(context)) return result;
      return await boundOutput(typeof result === "string" ? result : toJson(result, parts), name);
    },
  };
}

function isWorkflowCall(context: ToolContext | WorkflowToolContext): context is WorkflowToolContext {
  return "workflowState" in context;
}

async function callInTime(
  { name, path, timeoutMs = DEFAULT_TIMEOUT_MS, execute }: ToolParts,
  args: unknown,
  context: ToolContext,
): Promise<unknown> {
  const timeout = new AbortController();
  const expire = (): void => timeout.abort(new ToolTimeoutError(name, { timeoutMs, path }));
  const stopTimer = setLongTimer(expire, timeoutMs);
  const abort = AbortSignal.any([context.abort, timeout.signal]);
  const startedAt = performance.now();
  try {
    abort.throwIfAborted();
    const result = await raceAbort(
      (async () => await execute(args, { ...context, abort }))(), // a tool may throw before it returns a promise
      abort,
    );
    const tookMs = Math.round(performance.now() - startedAt);
    // A loop keeps the timer from being heard.
    if (tookMs > timeoutMs) throw new ToolTimeoutError(name, { timeoutMs, path, tookMs });
    return result;
  } finally {
    stopTimer();
  }
}

/** JSON would show them as empty objects. */
function rejectCollections(_key: string, value: unknown): unknown {
  if (value instanceof Map || value instanceof Set) throw new TypeError("a Map or a Set would be empty in JSON");
  return value;
}

function toJson(result: unknown, { name, path }: ToolParts): string {
  try {
    return result === undefined ? "" : (JSON.stringify(result, rejectCollections, 2) ?? "");
  } catch (error) {
    throw new ToolResultError(name, path, { cause: error });
  }
}
