import {
  AtomicError,
  type DiscoveryProblem,
  namedMessageWithCauses,
  nearestName,
  type WorkflowMetadata,
} from "../contracts/index.ts";
import type { WorkflowFile } from "./discover-workflow-files.ts";
import { locateInFile } from "./locate-in-file.ts";
import type { WorkflowInputs } from "./parse-workflow-inputs.ts";
import type { MigrateState, ParsedWorkflow } from "./parse-workflow-module.ts";
import type { WorkflowFileSource } from "./workflow-search-paths.ts";

/** A workflow that a file offers. */
export interface DiscoveredWorkflow {
  readonly metadata: WorkflowMetadata;
  readonly path: string;
  readonly source: WorkflowFileSource;
  /**
   * Builds the compiled graph. `config` overrides the fields of the workflow's `defaultConfig`. Returns a promise if the
   * author's function is asynchronous.
   * @throws WorkflowCreateError, or rejects with it, when the author's function fails
   */
  create(config?: Readonly<Record<string, unknown>>): unknown;
  readonly migrateState?: MigrateState;
  /** The inputs that the file declares. */
  readonly inputs?: WorkflowInputs;
}

/** The function that a workflow file exports failed while it built the graph. The original error is the `cause`. */
export class WorkflowCreateError extends AtomicError {
  constructor(
    readonly workflowName: string,
    /** The same for lists of problems, with the line of the author's file if the stack contains it. */
    readonly problem: DiscoveryProblem,
    options: { readonly cause: unknown },
  ) {
    const place = [problem.path, problem.line, problem.column].filter((part) => part !== undefined).join(":");
    super(
      "WORKFLOW_CREATE_FAILED",
      `The workflow "${workflowName}" cannot be built: ${problem.message} (${place}). ${problem.remedy}`,
      options,
    );
  }
}

/**
 * Combines a parsed file with its location. Failures of the author's function name the line in the author's file and
 * suggest the nearest builder method.
 */
export function createWorkflow(
  parsed: ParsedWorkflow,
  file: WorkflowFile,
  builderMethods: readonly string[],
): DiscoveredWorkflow {
  const { metadata, factory, migrateState, inputs } = parsed;
  const fail = (cause: unknown): never => {
    throw new WorkflowCreateError(metadata.name, describeFailure(cause, file, builderMethods), { cause });
  };
  return {
    metadata,
    path: file.path,
    source: file.source,
    ...(migrateState && { migrateState }),
    ...(inputs && { inputs }),
    create(config) {
      const merged = metadata.defaultConfig || config ? { ...metadata.defaultConfig, ...config } : undefined;
      try {
        const built = factory(merged);
        return built instanceof Promise ? built.catch(fail) : built;
      } catch (error) {
        return fail(error);
      }
    },
  };
}

/** Longer code is left out of a message; the line number is enough to find it. */
const MAX_RECEIVER_LENGTH = 60;

function describeFailure(
  error: unknown,
  { path, realPath }: WorkflowFile,
  builderMethods: readonly string[],
): DiscoveryProblem {
  const missing = parseMissingMethod(error);
  const message = namedMessageWithCauses(error);
  return {
    path,
    ...locateInFile(error, realPath),
    message: missing === undefined ? message.replace(/\.$/, "") : `TypeError: ${missing.call} is not a function`,
    remedy: missing === undefined ? "Correct the file." : methodRemedy(missing.method, builderMethods),
    severity: "error",
  };
}

interface MissingMethod {
  readonly method: string;
  /** The method with what it was called on. */
  readonly call: string;
}

/** Bun's message, the only thing that names the method: the whole code of the call chain, then the same again in brackets. */
function parseMissingMethod(error: unknown): MissingMethod | undefined {
  if (!(error instanceof TypeError)) return undefined;
  const text = error.message.replace(/ \(In '.*', '.*' is undefined\)$/s, "");
  const match = /^(?:(.*)\.)?([\w$]+) is not a function\.?$/s.exec(text);
  const method = match?.[2];
  if (method === undefined) return undefined;
  const receiver = match?.[1];
  if (receiver === undefined) return { method, call: method };
  const isShort = receiver.length <= MAX_RECEIVER_LENGTH && !receiver.includes("\n");
  return { method, call: `${isShort ? receiver : "(…)"}.${method}` };
}

function methodRemedy(method: string, builderMethods: readonly string[]): string {
  const nearest = builderMethods.includes(method) ? undefined : nearestName(method, builderMethods);
  return nearest === undefined ? "Check the spelling of the method." : `Did you mean "${nearest}"?`;
}
