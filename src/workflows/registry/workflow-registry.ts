import { AtomicError, type DiscoveryProblem, nearestName, type WorkflowMetadata } from "../../contracts/index.ts";
import {
  type DiscoveredWorkflow,
  resolveNameClashes,
  type ScriptOutline,
  type WorkflowInputs,
} from "../../discovery/index.ts";
import { CompiledGraph, type MigrateState } from "../../graph/index.ts";
import { ATOMIC_INPUTS, ATOMIC_METADATA } from "../atomic/atomic-metadata.ts";
import { RALPH_INPUTS, RALPH_METADATA } from "../ralph/ralph-metadata.ts";
import { REVIEW_INPUTS, REVIEW_METADATA } from "../review/review-metadata.ts";
import type { ReviewReport } from "../review/review-report.ts";
import { WRITE_INPUTS, WRITE_METADATA } from "../write/write-metadata.ts";
import type { WriteReport } from "../write/write-report.ts";

/** What the output of a completed run means, and how people read it. */
export interface OutputMeaning {
  /** The output as text, which may quote agents. */
  format(output: unknown): Promise<string>;
  /** Whether the run found what it was to ensure; if not, the program ends with exit code 1. */
  isPassed(output: unknown): boolean;
}

/** A workflow that can be run by its name. */
export interface RegisteredWorkflow {
  readonly metadata: WorkflowMetadata;
  /** The file it comes from; built-in ones have none. */
  readonly path?: string;
  readonly migrateState?: MigrateState;
  /** What a workflow script does, as far as its text says. */
  readonly scriptOutline?: ScriptOutline;
  /** The inputs that its file declares; without them a run takes the fields of its state. */
  readonly inputs?: WorkflowInputs;
  /** Without it, an output is printed as it is, and every completed run is a success. */
  readonly outputMeaning?: OutputMeaning;
  /**
   * Whether a run with this input leaves the project's files as they are, so that it can work beside another.
   * @default metadata.isReadOnly
   */
  readonly isReadOnly?: (input: Readonly<Record<string, unknown>>) => boolean;
  /** Builds the graph. @throws WorkflowCreateError, NotAGraphError */
  create(config?: Readonly<Record<string, unknown>>): Promise<CompiledGraph>;
}

/** All workflows of a project, by name. */
export interface WorkflowRegistry {
  /** In the order of precedence. */
  readonly workflows: readonly RegisteredWorkflow[];
  readonly problems: readonly DiscoveryProblem[];
  /** The workflow with this name or alias, whatever the case. @throws UnknownWorkflowError */
  find(name: string): RegisteredWorkflow;
  /** The built-in workflow of this name, also where another has taken the name. @throws UnknownWorkflowError */
  findBuiltIn(name: string): RegisteredWorkflow;
}

/** No workflow has this name. */
export class UnknownWorkflowError extends AtomicError {
  constructor(
    readonly workflowName: string,
    readonly knownNames: readonly string[],
  ) {
    const nearest = nearestName(workflowName, knownNames);
    const hint = nearest === undefined ? `Known workflows: ${knownNames.join(", ")}.` : `Did you mean "${nearest}"?`;
    super("WORKFLOW_UNKNOWN", `There is no workflow "${workflowName}". ${hint} List them with: atomic workflows list`);
  }
}

/** A workflow's function did not return a compiled graph. */
export class NotAGraphError extends AtomicError {
  constructor(
    readonly workflowName: string,
    readonly path: string | undefined,
  ) {
    super(
      "WORKFLOW_NOT_A_GRAPH",
      `The workflow "${workflowName}"${path === undefined ? "" : ` (${path})`} does not return a compiled graph. End its graph with .end().compile() and return that.`,
    );
  }
}

/** Joins the workflows found on disk with the built-in ones, which they may override. */
export function createWorkflowRegistry(discovered: readonly DiscoveredWorkflow[]): WorkflowRegistry {
  const builtIn = builtInWorkflows();
  const { entries, problems } = resolveNameClashes([...discovered.map(register), ...builtIn]);
  return {
    workflows: entries,
    problems,
    find(name) {
      const key = name.toLowerCase();
      const found = entries.find(({ metadata }) => namesOf(metadata).some((known) => known.toLowerCase() === key));
      if (found === undefined)
        throw new UnknownWorkflowError(
          name,
          entries.flatMap(({ metadata }) => namesOf(metadata)),
        );
      return found;
    },
    findBuiltIn(name) {
      const found = builtIn.find(({ metadata }) => metadata.name === name);
      const names = builtIn.map(({ metadata }) => metadata.name);
      if (found === undefined) throw new UnknownWorkflowError(name, names);
      return found;
    },
  };
}

const REVIEW_MEANING: OutputMeaning = {
  // The casts are true: the review has this output.
  async format(output) {
    const { formatReview } = await import("../review/format-review.ts");
    return formatReview(output as ReviewReport, "text");
  },
  isPassed: (output) => (output as ReviewReport).isPassed,
};

const WRITE_MEANING: OutputMeaning = {
  // The cast is true: the workflow has this output.
  async format(output) {
    const { formatWriteReport } = await import("../write/write-report.ts");
    return formatWriteReport(output as WriteReport);
  },
  isPassed: () => true,
};

function builtInWorkflows(): readonly RegisteredWorkflow[] {
  return [
    {
      metadata: RALPH_METADATA,
      ...(RALPH_INPUTS === undefined ? {} : { inputs: RALPH_INPUTS }),
      // Most commands need none of these graphs.
      create: async (config) => (await import("../ralph/ralph-workflow.ts")).createRalphWorkflow(config),
    },
    {
      metadata: ATOMIC_METADATA,
      ...(ATOMIC_INPUTS === undefined ? {} : { inputs: ATOMIC_INPUTS }),
      create: async (config) => (await import("../atomic/atomic-workflow.ts")).createAtomicWorkflow(config),
    },
    {
      metadata: REVIEW_METADATA,
      ...(REVIEW_INPUTS === undefined ? {} : { inputs: REVIEW_INPUTS }),
      outputMeaning: REVIEW_MEANING,
      isReadOnly: ({ fix }) => fix !== true,
      create: async (config) => (await import("../review/review-workflow.ts")).createReviewWorkflow(config),
    },
    {
      metadata: WRITE_METADATA,
      ...(WRITE_INPUTS === undefined ? {} : { inputs: WRITE_INPUTS }),
      outputMeaning: WRITE_MEANING,
      create: async (config) => (await import("../write/write-workflow.ts")).createWriteWorkflow(config),
    },
  ];
}

function namesOf({ name, aliases }: WorkflowMetadata): readonly string[] {
  return [name, ...aliases];
}

function register(workflow: DiscoveredWorkflow): RegisteredWorkflow {
  const { metadata, path, migrateState, inputs } = workflow;
  return {
    metadata,
    path,
    // The cast is true: the graph only passes it an object, and checks what it returns.
    ...(migrateState === undefined ? {} : { migrateState: migrateState as MigrateState }),
    ...(inputs === undefined ? {} : { inputs }),
    async create(config) {
      const created = workflow.create(config);
      // Only a real promise is awaited: a builder that was not compiled has a method `then` of its own.
      const built = created instanceof Promise ? await created : created;
      if (!(built instanceof CompiledGraph)) throw new NotAGraphError(metadata.name, path);
      return built;
    },
  };
}
