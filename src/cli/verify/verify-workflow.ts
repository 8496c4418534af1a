import {
  type DiscoveryProblem,
  type JsonObject,
  messageOf,
  namedMessageWithCauses,
  nearestName,
} from "../../contracts/index.ts";
import { WorkflowCreateError } from "../../discovery/index.ts";
import { type CompiledGraph, GraphValidationError, withServiceScope } from "../../graph/index.ts";
import { type RegisteredWorkflow, UnknownWorkflowError, type WorkflowRegistry } from "../../workflows/run-kit.ts";
import type { ScriptWorkflows } from "../loading/load-script.ts";
import { WorkflowBrokenError } from "../loading/workflow-errors.ts";
import { findCallProblems } from "./check-calls.ts";
import type { UseChecker, UseProblem } from "./use-checker.ts";

/** A workflow that comes from a file. */
export type WorkflowOfFile = RegisteredWorkflow & { readonly path: string };

/** Settings of a {@link WorkflowVerifier}. */
export interface WorkflowVerifierOptions {
  /** Returns the next uncaught error of the workflows' code, if there is one. */
  readonly leftError: () => Error | undefined;
  readonly uses: UseChecker;
  /** Names that no workflow file has are looked up here. */
  readonly scripts: ScriptWorkflows;
}

interface Built {
  readonly graph: CompiledGraph;
  /** What is wrong with what its nodes use. Only of a graph without a config of its caller. */
  readonly problems: Promise<readonly UseProblem[]>;
}

/** Builds graphs once, and compares them with each other. */
export class WorkflowVerifier {
  readonly #registry: WorkflowRegistry;
  readonly #options: WorkflowVerifierOptions;
  readonly #built = new Map<RegisteredWorkflow, Map<string | undefined, Promise<Built>>>();

  constructor(registry: WorkflowRegistry, options: WorkflowVerifierOptions) {
    this.#registry = registry;
    this.#options = options;
  }

  /** Everything that is wrong with a workflow that could be loaded: its graph, its inputs, the workflows, agents, tools and prompts that it uses. */
  async verify(workflow: WorkflowOfFile): Promise<readonly DiscoveryProblem[]> {
    const { path, metadata } = workflow;
    let graph: CompiledGraph;
    let uses: readonly UseProblem[];
    try {
      const built = await this.#build(workflow);
      graph = built.graph;
      uses = await built.problems;
    } catch (error) {
      return describeFailure(path, error);
    }
    const left = this.#options.leftError();
    const uncaught = left === undefined ? [] : [problemOf(path, messageOf(left), "Correct the file.")];
    // No name leads back to a file outside of the folders of workflow files.
    const isRegistered =
      this.#registry.workflows.some((known) => known.path === path) || this.#options.scripts.has(path);
    const calls = await findCallProblems(graph, {
      name: isRegistered ? metadata.name : undefined,
      find: async (name) => await this.#find(name),
      build: async (called, config) => (await this.#build(called, config)).graph,
      isOwnOnly: true,
    });
    const used = [...calls, ...uses].map((problem) => ({ ...problem, path }));
    return [...uncaught, ...verifyInputs(workflow, graph), ...used];
  }

  /** As a run does. @throws UnknownWorkflowError, WorkflowBrokenError */
  async #find(name: string): Promise<RegisteredWorkflow> {
    try {
      return this.#registry.find(name);
    } catch (error) {
      if (!(error instanceof UnknownWorkflowError)) throw error;
      const { scripts } = this.#options;
      const script = await scripts.find(name);
      if (script !== undefined) return script;
      throw new UnknownWorkflowError(name, [...new Set([...error.knownNames, ...scripts.names])]);
    }
  }

  /** In a scope of its own: what one workflow registers is not there for another. */
  #build(workflow: RegisteredWorkflow, config?: JsonObject): Promise<Built> {
    const build = async (): Promise<Built> => {
      const graph = await workflow.create(config);
      const problems = config === undefined ? this.#options.uses.findProblems(graph) : Promise.resolve([]);
      problems.catch(() => undefined);
      return { graph, problems };
    };
    const ofWorkflow = this.#built.get(workflow) ?? new Map<string | undefined, Promise<Built>>();
    const key = JSON.stringify(config);
    const built = ofWorkflow.get(key) ?? withServiceScope(build);
    this.#built.set(workflow, ofWorkflow.set(key, built));
    return built;
  }
}

/** Inputs become fields of the state, so each needs one. */
function verifyInputs(
  { path, metadata }: WorkflowOfFile,
  { inputDefaults }: CompiledGraph,
): readonly DiscoveryProblem[] {
  if (inputDefaults === undefined) return [];
  const fields = Object.keys(inputDefaults);
  return (metadata.inputs ?? []).flatMap(({ name }) => {
    if (fields.includes(name)) return [];
    const nearest = nearestName(name, fields);
    const hint = nearest === undefined ? "" : ` The nearest one is "${nearest}".`;
    const message = `The input "${name}" has no field of this name in the state, so no run could start with it`;
    return [problemOf(path, message, `Add the field to defineState(), or rename the input.${hint}`)];
  });
}

/** The problems of a workflow whose graph cannot be built: all mistakes of the graph, each with its line. */
export function describeFailure(path: string, error: unknown): readonly DiscoveryProblem[] {
  if (error instanceof WorkflowBrokenError) return error.problems;
  const cause = error instanceof WorkflowCreateError ? error.cause : error;
  if (cause instanceof GraphValidationError) {
    const remedy = "Correct the graph's definition.";
    return cause.problems.map((text, index) => ({
      ...problemOf(path, `The graph cannot be compiled: ${text}`, remedy),
      ...placeOf(cause.locations[index]),
    }));
  }
  if (error instanceof WorkflowCreateError) return [error.problem];
  return [problemOf(path, namedMessageWithCauses(error), "Correct the file.")];
}

/** A location of the form `path:line:column`; Bun adds the version of a module to its path. */
function placeOf(location: string | undefined): Partial<DiscoveryProblem> {
  const match = /^(?:file:\/\/)?(.+?)(?:\?v=\w+)?:(\d+):(\d+)$/.exec(location ?? "");
  const [, path, line, column] = match ?? [];
  return path === undefined ? {} : { path, line: Number(line), column: Number(column) };
}

function problemOf(path: string, message: string, remedy: string): DiscoveryProblem {
  return { path, message, remedy, severity: "error" };
}
