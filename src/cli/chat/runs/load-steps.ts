import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { isRecord, type UnknownRecord } from "../../../contracts/index.ts";
import type { OutlineStep } from "../../../graph/index.ts";
import type { GraphStep } from "../../../tui/index.ts";
import type { WorkflowSession } from "../../../workflows/index.ts";
import { UnknownWorkflowError } from "../../../workflows/run-kit.ts";
import type { CliEnvironment } from "../../environment.ts";
import { compilerCacheFor } from "../../loading/compiler-cache.ts";
import { commandOfFile } from "../../loading/own-command.ts";
import { workflowOf } from "../../run-folders.ts";
import type { Workspace } from "../../workspace.ts";

/** How long a workflow file may take to load, in milliseconds. */
const LOAD_TIMEOUT_MS = 20_000;
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;

/**
 * The steps of a run's workflow, as it is now; none when it cannot be loaded, for example from an untrusted project. A
 * process of its own executes the code of a workflow file.
 */
export async function loadSteps(
  environment: CliEnvironment,
  workspace: Workspace,
  session: WorkflowSession,
): Promise<readonly GraphStep[]> {
  try {
    return (await builtInSteps(workspace, session)) ?? (await stepsOfFile(environment, session));
  } catch {
    // The events of the run show what it did.
    return [];
  }
}

async function builtInSteps(
  workspace: Workspace,
  { workflowName, projectDirectory, settings }: WorkflowSession,
): Promise<readonly GraphStep[] | undefined> {
  try {
    const { workflow, isOverridden } = await workspace.findBuiltIn(workflowName, projectDirectory);
    if (isOverridden && settings?.isBuiltIn !== true) return undefined;
    return (await workflow.create(settings?.workflowConfig)).steps.map(toGraphStep);
  } catch (error) {
    if (error instanceof UnknownWorkflowError) return undefined;
    throw error;
  }
}

async function stepsOfFile(environment: CliEnvironment, session: WorkflowSession): Promise<readonly GraphStep[]> {
  const { command, folder } = commandOfFile(new URL("../../../../bin/start.ts", import.meta.url), []);
  const [program, ...own] = command;
  const { stdout } = await promisify(execFile)(program, [...own, "workflows", "show", workflowOf(session), "--json"], {
    cwd: folder,
    env: { ...environment.env, ...compilerCacheFor(environment), ATOMIC_START_DIR: session.projectDirectory },
    timeout: LOAD_TIMEOUT_MS,
    maxBuffer: MAX_OUTPUT_BYTES,
  });
  const shown: unknown = JSON.parse(stdout);
  const steps = isRecord(shown) && Array.isArray(shown.steps) ? shown.steps : [];
  return steps.filter(isRecord).flatMap(parseStep);
}

type ShownStep = Omit<OutlineStep, "isBlock" | "facts">;

/** A step in the output of the other process, which executed the code of a workflow file. */
function parseStep({ id, name, type, depth, model, strategy }: UnknownRecord): readonly GraphStep[] {
  if (typeof id !== "string" || typeof type !== "string" || typeof depth !== "number") return [];
  const step: ShownStep = {
    ...{ id, type, depth },
    ...(typeof name === "string" ? { name } : {}),
    ...(typeof model === "string" ? { model } : {}),
    ...(isStrategy(strategy) ? { strategy } : {}),
  };
  return [toGraphStep(step)];
}

function isStrategy(value: unknown): value is NonNullable<OutlineStep["strategy"]> {
  return value === "all" || value === "race" || value === "any" || value === "settled";
}

function toGraphStep({ id, name, type, depth, model, strategy }: ShownStep): GraphStep {
  return {
    ...{ nodeId: id, name: name ?? id, nodeType: type, depth },
    ...(strategy === undefined ? {} : { strategy }),
    ...(model === undefined ? {} : { model }),
  };
}
