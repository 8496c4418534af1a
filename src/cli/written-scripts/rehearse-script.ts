import { isRecord } from "../../contracts/index.ts";
import {
  compileScript,
  graph,
  type PlanReport,
  type RehearseOptions,
  ScriptFailedError,
  ScriptProcessError,
  type ScriptRehearsal,
} from "../../graph/index.ts";
import { smallestSchemaValue, stepsOfType } from "../../graph/run-kit.ts";
import { createScriptedAgent } from "../../testkit/index.ts";
import { fillSchema } from "./fill-schema.ts";

/** Every definition: the names that a script uses are looked up before. */
const ANY_AGENT = { find: (name: string) => ({ name, prompt: "" }), names: () => [] };

/** How long a script may take that no agent and no command keeps waiting, in milliseconds. */
export const REHEARSAL_TIMEOUT_MS = 30_000;

/** A script to rehearse. */
interface RehearsedScript {
  readonly path: string;
  readonly text: string;
}

/** Visits of a rehearsal besides those of agents: commands, questions, and the script itself. */
const OTHER_STEPS = 500;

/**
 * Runs a script with answers that are made up, in each way in which agents may answer. No agent, command or workflow is started.
 * Throws only the signal's reason.
 */
export async function rehearseScript(
  script: RehearsedScript,
  { maxAgents, signal }: RehearseOptions,
  timeoutMs = REHEARSAL_TIMEOUT_MS,
): Promise<ScriptRehearsal> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const ending = AbortSignal.any([signal, timeout]);
  let agentCount = 0;
  // As little as fits the schemas, and as much.
  for (const isFull of [false, true]) {
    const report = await rehearseWith(script, { maxAgents, isFull, signal: ending });
    signal.throwIfAborted();
    if (timeout.aborted) {
      const problem = `With made-up answers it did not end within ${timeoutMs / 1_000} s. Look for a loop that never ends.`;
      return { agentCount: 0, problem };
    }
    agentCount = Math.max(agentCount, countAgents(report));
    const problem = describeProblem(report, maxAgents);
    if (problem !== undefined) return { agentCount, problem };
  }
  return { agentCount };
}

async function rehearseWith(
  { path, text }: RehearsedScript,
  { maxAgents, isFull, signal }: RehearseOptions & { readonly isFull: boolean },
): Promise<PlanReport> {
  const agent = createScriptedAgent({
    script: ({ outputSchema }) =>
      outputSchema === undefined
        ? { text: "An answer." }
        : { structured: smallestSchemaValue(fillSchema(outputSchema, isFull)) },
  });
  try {
    const empty = graph().start({ id: "workflow", type: "tool", execute: () => undefined });
    return await compileScript({ path, text }, { maxAgents }).plan(
      {},
      {
        signal,
        clients: () => agent,
        services: { agents: ANY_AGENT },
        maxSteps: maxAgents + OTHER_STEPS,
        workflows: () => empty.end().compile(),
      },
    );
  } finally {
    await agent.stop();
  }
}

function countAgents(report: PlanReport): number {
  return stepsOfType(report, "node").filter(({ nodeType }) => nodeType === "agent").length;
}

function describeProblem({ error }: PlanReport, maxAgents: number): string | undefined {
  if (error === undefined) return undefined;
  const { message, cause } = error;
  const { code, name } = { ...factsOf(error), ...factsOf(cause) };
  // Also where the script has caught the error of the call, and thrown another.
  if (code === "SCRIPT_LIMIT" || / called more than \d+ agents, which is its limit/.test(message)) {
    return `With made-up answers it calls more than ${maxAgents} agents, which is the limit. Bound its lists and loops: files.slice(0, 5), for (let round = 0; round < 3; round++).`;
  }
  if (error instanceof ScriptProcessError) return `With made-up answers: ${message}`;
  // What the script throws itself is its own way to end.
  const isItsOwn = error instanceof ScriptFailedError && code === undefined && name === "Error";
  return isItsOwn ? undefined : `With made-up answers that fit its schemas it failed: ${message}`;
}

/** The code and name of an error, which may be one of the script's context. */
function factsOf(error: unknown): { readonly code?: unknown; readonly name?: unknown } {
  if (!isRecord(error)) return {};
  const { code, name } = error;
  return { code, name };
}
