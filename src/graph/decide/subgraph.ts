import type { JsonObject } from "../../contracts/index.ts";
import { type GraphCode, isGraphCode } from "../compile/graph-code.ts";
import type { SubgraphFork } from "../compile/program.ts";
import { SubgraphCycleError } from "../errors/errors.ts";
import type { NodeDefinition } from "../model/node-definition.ts";
import type { StateRecord } from "../state/state-update.ts";
import { type RunState, Thread, wholeProgram } from "./records/run-state.ts";

/** A workflow as a node refers to it. */
export interface NamedWorkflow {
  readonly name: string;
  /** Its configuration, if the node sets one. */
  readonly config?: JsonObject | undefined;
}

/** Identifies a workflow by its name and configuration. */
export function workflowKey({ name, config }: NamedWorkflow): string {
  return config === undefined ? name : `${name}\n${JSON.stringify(config)}`;
}

/** A workflow is known by name only; the caller has to load its code and retry. */
export class SubgraphNeededError extends Error {
  constructor(
    readonly workflow: NamedWorkflow,
    readonly nodeId: string,
  ) {
    super(`The workflow "${workflow.name}" has to be found first`);
  }
}

/** The fork of a thread that rests at a `subgraphNode`. */
export function createSubgraphFork(
  thread: Thread,
  node: NodeDefinition,
  about: Pick<SubgraphFork, "taskId" | "startedAt" | "name" | "config">,
): SubgraphFork {
  return { op: "subgraph", id: node.id, node, ...about, strategy: "all", merge: undefined, joinPc: thread.pc + 1 };
}

/** The initial values of a subgraph. */
export interface SubgraphStart {
  readonly instruction: SubgraphFork;
  readonly code: GraphCode;
  readonly state: StateRecord;
}

/** Attaches a new thread for a subgraph to the thread that rests at the subgraph's node. */
export function attachSubgraph(thread: Thread, { instruction, code, state }: SubgraphStart): Thread {
  const start = { id: `${instruction.taskId}/`, branchName: instruction.id, parent: thread, item: undefined };
  const child = new Thread({ ...start, code, region: wholeProgram(code), state });
  thread.fork = {
    instruction,
    items: undefined,
    children: [child],
    startedCount: 1,
    openCount: 1,
    failures: new Map(),
  };
  return child;
}

/**
 * The code of the graph that a node runs.
 *
 * @throws SubgraphNeededError when only its name is known
 */
export function findSubgraph(run: RunState, node: NodeDefinition, { name, config }: Partial<NamedWorkflow>): GraphCode {
  if (name !== undefined) {
    const code = run.workflows?.get(workflowKey({ name, config }));
    if (code === undefined) throw new SubgraphNeededError({ name, config }, node.id);
    return code;
  }
  const ref = node.subgraph?.ref;
  const code = typeof ref === "object" ? ref.code : undefined;
  if (!isGraphCode(code)) throw new Error(`The node "${node.id}" runs no graph`);
  return code;
}

/** @throws SubgraphCycleError when a workflow is about to run itself */
export function assertNoCycle(run: RunState, thread: Thread, name: string): void {
  const callers: string[] = [];
  for (let current: Thread | undefined = thread; current !== undefined; current = current.parent) {
    const fork = current.parent?.fork;
    if (fork?.instruction.op === "subgraph" && fork.instruction.name !== undefined)
      callers.unshift(fork.instruction.name);
  }
  const path = [run.workflowName, ...callers, name];
  const first = path.indexOf(name);
  if (first < path.length - 1) throw new SubgraphCycleError(path.slice(first));
}
