import { AtomicError, type WorkflowMetadata } from "../../contracts/index.ts";
import { type CompiledGraph, withServiceScope } from "../../graph/index.ts";
import { type RegisteredWorkflow, UnknownWorkflowError } from "../../workflows/run-kit.ts";
import { adviceOnSetting } from "../config/workflow-config.ts";
import { type SubgraphCall, subgraphCalls } from "./subgraph-calls.ts";
import { remedyFor, type UseProblem } from "./use-checker.ts";

/** Where {@link findCallProblems} looks. */
export interface CallPlace {
  /** The workflow's name. */
  readonly name: string;
  /** Finds a workflow as a step of a run does. @throws AtomicError */
  readonly find: (name: string) => Promise<RegisteredWorkflow>;
}

/**
 * What is wrong with the workflows that the nodes of a graph run by name: one that does not exist or cannot be loaded, a
 * setting that it does not have, and a cycle. Builds their graphs in scopes of their own, except where only a run knows the
 * config, and runs nothing.
 */
export async function findCallProblems(
  graph: CompiledGraph,
  { name, find }: CallPlace,
): Promise<readonly UseProblem[]> {
  const known = new Map<string, Promise<RegisteredWorkflow>>();
  const findOnce = (wanted: string): Promise<RegisteredWorkflow> => {
    const finding = known.get(wanted) ?? find(wanted);
    known.set(wanted, finding);
    return finding;
  };
  const checked = new Set<string>();
  const check = async (calls: readonly SubgraphCall[], path: readonly string[]): Promise<readonly UseProblem[]> => {
    const problems: UseProblem[] = [];
    for (const call of calls) {
      const found = await findOnce(call.workflow).catch((error: unknown) => describeMissing(call, error));
      if ("message" in found) {
        problems.push(found);
        continue;
      }
      const { metadata } = found;
      const settings = settingProblems(call, metadata);
      problems.push(...settings);
      if (path.includes(metadata.name)) {
        problems.push(describeCycle([...path.slice(path.indexOf(metadata.name)), metadata.name]));
      } else if (settings.length === 0 && call.config !== "in-run" && !checked.has(metadata.name)) {
        checked.add(metadata.name);
        const inner = await callsOf(found, call);
        problems.push(...("message" in inner ? [inner] : await check(inner, [...path, metadata.name])));
      }
    }
    return problems;
  };
  return await check(subgraphCalls(graph), [name]);
}

/** The calls of a workflow, built with the config that the node has for it. */
async function callsOf(
  workflow: RegisteredWorkflow,
  call: SubgraphCall,
): Promise<readonly SubgraphCall[] | UseProblem> {
  const config = call.config === "in-run" ? undefined : call.config;
  const owner = workflow.metadata.name;
  try {
    const graph = await withServiceScope(() => workflow.create(config));
    return subgraphCalls(graph).map((inner) => ({ ...inner, owner }));
  } catch (error) {
    return describeMissing(call, error);
  }
}

/** Why a node cannot run its workflow. @throws the error, if it is none of Atomic */
export function describeMissing(call: SubgraphCall, error: unknown): UseProblem {
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
export function describeCycle(path: readonly string[]): UseProblem {
  return problemOf(`Workflows run each other in a cycle: ${path.join(" → ")}`, "Remove one of these steps.");
}

/** The settings that a node has for a workflow, and that the workflow does not have. */
export function settingProblems(call: SubgraphCall, { defaultConfig }: WorkflowMetadata): readonly UseProblem[] {
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

function nodeOf({ nodeId, owner }: SubgraphCall): string {
  return `The node "${nodeId}"${owner === undefined ? "" : ` of the workflow "${owner}"`}`;
}

function problemOf(message: string, remedy: string): UseProblem {
  return { message, remedy, severity: "error" };
}
