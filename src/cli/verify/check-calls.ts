import { AtomicError, type JsonObject, type WorkflowMetadata } from "../../contracts/index.ts";
import { type CompiledGraph, withServiceScope } from "../../graph/index.ts";
import { type RegisteredWorkflow, UnknownWorkflowError } from "../../workflows/run-kit.ts";
import { adviceOnSetting } from "../config/workflow-config.ts";
import { type CalledWorkflow, findSubgraphCycle, type SubgraphCall, subgraphCalls } from "./subgraph-calls.ts";
import { remedyFor, type UseProblem } from "./use-checker.ts";

/** Where {@link findCallProblems} looks. */
export interface CallPlace {
  /** The workflow's name; undefined if this name does not lead back to it. */
  readonly name: string | undefined;
  /** Finds a workflow as a step of a run does. @throws AtomicError */
  readonly find: (name: string) => Promise<RegisteredWorkflow>;
  /** Builds a graph. @default in a scope of its own */
  readonly build?: (workflow: RegisteredWorkflow, config: JsonObject | undefined) => Promise<CompiledGraph>;
  /** Whether the problems of called workflows are left to them, with the cycles that they are in. @default false */
  readonly isOwnOnly?: boolean;
}

/**
 * What is wrong with the workflows that the nodes of a graph run by name: one that does not exist or cannot be loaded, a
 * setting that it does not have, and a cycle. Builds their graphs, each once for each config that nodes have for it, except
 * where only a run knows the config. Runs nothing.
 */
export async function findCallProblems(graph: CompiledGraph, place: CallPlace): Promise<readonly UseProblem[]> {
  return await new CallWalk(place).findProblems(graph);
}

/** Finds each workflow once. A failure is forgotten: another attempt may find it. */
export function findOnce(find: CallPlace["find"]): CallPlace["find"] {
  const known = new Map<string, Promise<RegisteredWorkflow>>();
  return (name) => {
    const finding = known.get(name) ?? find(name);
    known.set(name, finding);
    finding.catch(() => known.delete(name));
    return finding;
  };
}

/** A workflow whose calls are followed. */
interface Visit extends CalledWorkflow {
  readonly calls: readonly SubgraphCall[];
  /** The names from the first workflow to this one. */
  readonly path: readonly string[];
}

class CallWalk {
  readonly #place: CallPlace;
  readonly #problems: UseProblem[] = [];
  /** The workflows that each one runs, by its key. */
  readonly #called = new Map<string, CalledWorkflow[]>();
  readonly #visits: Visit[] = [];

  constructor(place: CallPlace) {
    this.#place = place;
  }

  async findProblems(graph: CompiledGraph): Promise<readonly UseProblem[]> {
    const { name } = this.#place;
    const path = name === undefined ? [] : [name];
    const first: Visit = { key: "", name, calls: subgraphCalls(graph), path };
    this.#visit(first);
    // The list grows while it is read.
    for (const visit of this.#visits) for (const call of visit.calls) await this.#follow(call, visit);
    return [...this.#problems, ...this.#cycles(first).map(describeCycle)];
  }

  #visit(visit: Visit): void {
    this.#visits.push(visit);
    this.#called.set(visit.key, []);
  }

  async #follow(call: SubgraphCall, { key: caller, path }: Visit): Promise<void> {
    const isLeft = this.#place.isOwnOnly === true && caller !== "";
    const report = (found: readonly UseProblem[]): void => void (isLeft || this.#problems.push(...found));
    const workflow = await this.#place.find(call.workflow).catch((error: unknown) => describeMissing(call, error));
    if ("message" in workflow) return report([workflow]);
    const settings = settingProblems(call, workflow.metadata);
    report(settings);
    const { config } = call;
    const { name } = workflow.metadata;
    const key = JSON.stringify([name, config]);
    this.#called.get(caller)?.push({ key, name });
    if (settings.length > 0 || config === "in-run" || path.includes(name) || this.#called.has(key)) return;
    try {
      const graph = await (this.#place.build ?? buildApart)(workflow, config);
      const calls = subgraphCalls(graph).map((inner) => ({ ...inner, owner: name }));
      this.#visit({ key, name, calls, path: [...path, name] });
    } catch (error) {
      const isOfFile = this.#place.isOwnOnly === true && config === undefined;
      if (!isOfFile) report([describeMissing(call, error)]);
    }
  }

  /** Each cycle once, wherever it is entered. */
  #cycles(first: Visit): readonly (readonly string[])[] {
    const cycles = new Map<string, readonly string[]>();
    for (const visit of this.#place.isOwnOnly ? [first] : this.#visits) {
      const cycle = findSubgraphCycle(visit, (key) => this.#called.get(key) ?? []);
      const members = JSON.stringify(cycle?.toSorted().filter((name, at, all) => name !== all[at - 1]));
      if (cycle !== undefined && !cycles.has(members)) cycles.set(members, cycle);
    }
    return [...cycles.values()];
  }
}

/** What a workflow registers is not there for the others. */
async function buildApart(workflow: RegisteredWorkflow, config: JsonObject | undefined): Promise<CompiledGraph> {
  return await withServiceScope(() => workflow.create(config));
}

/** Why a node cannot run its workflow. @throws the error, if it is none of Atomic */
function describeMissing(call: SubgraphCall, error: unknown): UseProblem {
  const { workflow } = call;
  if (error instanceof UnknownWorkflowError) {
    const message = `${nodeOf(call)} runs the workflow "${workflow}", which does not exist or cannot be loaded`;
    return problemOf(message, remedyFor("workflow", workflow, error.knownNames));
  }
  // Workflows on disk, and their code, throw nothing else.
  if (!(error instanceof AtomicError)) throw error;
  return problemOf(`${nodeOf(call)} cannot run the workflow "${workflow}": ${error.message}`, "");
}

/** The problem of workflows that run each other, by their names from one to the same one. */
function describeCycle(path: readonly string[]): UseProblem {
  return problemOf(`Workflows run each other in a cycle: ${path.join(" → ")}`, "Remove one of these steps.");
}

/** The settings that a node has for a workflow, and that the workflow does not have. */
function settingProblems(call: SubgraphCall, { defaultConfig }: WorkflowMetadata): readonly UseProblem[] {
  const { workflow, config } = call;
  if (config === undefined || config === "in-run" || defaultConfig === undefined) return [];
  const unknown = Object.keys(config).filter((name) => !Object.hasOwn(defaultConfig, name));
  return unknown.map((name) =>
    problemOf(
      `${nodeOf(call)} sets "${name}" of the workflow "${workflow}", which has no such setting`,
      adviceOnSetting(name, defaultConfig),
    ),
  );
}

function nodeOf({ nodeId, owner, place }: SubgraphCall): string {
  const where = place === undefined ? "" : ` (${place})`;
  return `The node "${nodeId}"${owner === undefined ? "" : ` of the workflow "${owner}"`}${where}`;
}

function problemOf(message: string, remedy: string): UseProblem {
  return { message, remedy, severity: "error" };
}
