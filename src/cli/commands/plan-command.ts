import { ForwardingClient } from "../../clients/index.ts";
import { AtomicError, type CodingAgentClient, type PermissionPolicy } from "../../contracts/index.ts";
import {
  type CompiledGraph,
  formatPlan,
  type PlanIteration,
  type PlanReport,
  type PlanStep,
  withServiceScope,
} from "../../graph/index.ts";
import { safeLine, safeText } from "../../view/index.ts";
import type { RegisteredWorkflow } from "../../workflows/index.ts";
import { createAgents } from "../agents/agents.ts";
import type { Config } from "../config/config.ts";
import type { RunFlags } from "../config/run-flags.ts";
import type { WorkflowConfig } from "../config/workflow-config.ts";
import type { CliEnvironment } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";
import { describeLastWords } from "../loading/describe-last-words.ts";
import { WATCHDOG_MARGIN_MS, withWatchdog } from "../loading/watchdog.ts";
import { formatAdvice } from "../loading/workflow-errors.ts";
import { formatJson } from "../output/format-json.ts";
import { findCallProblems, findOnce } from "../verify/check-calls.ts";
import { createUseChecker, type UseProblem } from "../verify/use-checker.ts";
import type { Workspace } from "../workspace.ts";
import { REHEARSAL_TIMEOUT_MS } from "../written-scripts/rehearse-script.ts";

/** So many iterations of a loop that does not end are planned, so that one which counts them still ends. */
const MAX_ITERATIONS = 5;
/** So many iterations of a loop that ends, and so many lines, are printed. */
const SHOWN_ITERATIONS = 2;
const MAX_LINES = 200;
/** The longest line about a problem, in characters. */
const MAX_LINE = 1_000;

/** The plan of a workflow did not end in time. */
export class PlanTimeoutError extends AtomicError {
  constructor(
    readonly workflow: string,
    readonly timeoutMs: number,
  ) {
    super(
      "PLAN_TIMEOUT",
      `The plan of "${workflow}" did not end within ${timeoutMs / 1_000} s. Look for a loop that never ends.`,
    );
  }
}

/** A run that is planned instead of started. */
export interface PlanCall {
  readonly environment: CliEnvironment;
  readonly workspace: Workspace;
  readonly projectDirectory: string;
  readonly config: Config;
  readonly workflow: RegisteredWorkflow;
  readonly flags: RunFlags;
  readonly agent: string;
  readonly model: string | undefined;
  readonly permissions: PermissionPolicy;
  readonly isSandboxed: boolean;
  /** Creates the first state of the run. @throws InputInvalidError */
  readonly inputOf: (graph: CompiledGraph) => Readonly<Record<string, unknown>>;
  readonly workflowConfig: WorkflowConfig | undefined;
}

/** `atomic run WORKFLOW --plan`: the steps that the run would take. No agent, command or function is started. */
export async function planCommand(call: PlanCall): Promise<ExitCode> {
  return await withServiceScope(() => planInScope(call));
}

async function planInScope(call: PlanCall): Promise<ExitCode> {
  const { environment, workspace, projectDirectory, workflow, model } = call;
  const uses = createUseChecker({
    ...call,
    tell: (line) => {
      if (!call.flags.json) environment.stderr.write(`${line}\n`);
    },
  });
  const graph = await workflow.create(call.workflowConfig);
  const leftError = environment.userCode.leftError();
  if (leftError !== undefined) throw leftError;
  const agents = createAgents({
    config: call.config,
    defaultAgent: call.agent,
    workingDirectory: workspace.workingDirectory,
    atomicHome: workspace.atomicHome,
    env: environment.env,
    isRehearsal: true,
  });
  try {
    const input = call.inputOf(graph);
    const find = findOnce((name) => workspace.findWorkflow(name, projectDirectory, undefined));
    const signal = AbortSignal.timeout(REHEARSAL_TIMEOUT_MS);
    const plan = (): Promise<PlanReport> =>
      graph.plan(input, {
        signal,
        maxIterations: MAX_ITERATIONS,
        clients: async (wanted = call.agent, wish) => new PlannedAgent(await agents.provider(wanted, wish), wanted),
        workflows: async (name, { config } = {}) => (await find(name)).create(config),
        services: uses.services(),
        ...(model === undefined ? {} : { defaultModel: model }),
      });
    // A script is executed, and may never return. One that is a function of a module keeps this thread.
    const timeout = new PlanTimeoutError(workflow.metadata.name, REHEARSAL_TIMEOUT_MS);
    const lastWords = describeLastWords(timeout, environment);
    const report = await withWatchdog(plan, { timeoutMs: REHEARSAL_TIMEOUT_MS + WATCHDOG_MARGIN_MS, lastWords });
    if (signal.aborted) throw timeout;
    // The plan may have failed with one of them, or warned of it.
    const calls =
      report.errorInfo === undefined ? await findCallProblems(graph, { name: workflow.metadata.name, find }) : [];
    const problems = [...calls, ...(await uses.findProblems(graph))].filter(
      (problem) =>
        report.errorInfo?.message.startsWith(problem.message) !== true &&
        !report.warnings.includes(formatAdvice(problem)),
    );
    const planned = { ...report, problems };
    environment.stdout.write(call.flags.json ? toJson(workflow, planned) : toText(planned, emptyLists(graph, input)));
    const isBroken = problems.some(({ severity }) => severity === "error");
    return report.status === "failed" || isBroken ? ExitCode.failed : ExitCode.done;
  } finally {
    await agents.stop();
  }
}

/** A plan, and what is wrong with nodes wherever they are in the graph. */
type CheckedPlan = PlanReport & { readonly problems: readonly UseProblem[] };

function toJson({ metadata }: RegisteredWorkflow, report: CheckedPlan): string {
  const { status, errorInfo, problems, warnings, steps, loops, waitedMs } = report;
  const error = errorInfo === undefined ? {} : { error: errorInfo };
  const found = { ...(problems.length === 0 ? {} : { problems }), ...(warnings.length === 0 ? {} : { warnings }) };
  const facts = { ...error, ...found, steps, loops, waitedMs };
  return `${formatJson({ type: "plan", workflow: metadata.name, status, ...facts })}\n`;
}

/** The inputs that could have been a list with something in it. */
function emptyLists(
  { inputDefaults = {} }: CompiledGraph,
  input: Readonly<Record<string, unknown>>,
): readonly string[] {
  const values = Object.entries({ ...inputDefaults, ...input });
  return values.flatMap(([name, value]) => (Array.isArray(value) && value.length === 0 ? [name] : []));
}

function toText(report: CheckedPlan, lists: readonly string[]): string {
  const counted = { ...report, steps: foldUndecided(report.steps) };
  // The first line counts all visits.
  const lines = [
    ...linesOf(counted).slice(0, 1),
    ...report.problems.map((problem) => safeLine(`${problem.severity}: ${formatAdvice(problem)}`, MAX_LINE)),
    ...linesOf({ ...report, steps: foldIterations(counted.steps, () => SHOWN_ITERATIONS) }).slice(1),
  ];
  const more =
    lines.length > MAX_LINES ? [`  … and ${lines.length - MAX_LINES} more lines; --json has all steps.`] : [];
  const isUndecided = report.steps.some((step) => step.type === "iteration" && step.outcome === "undecided");
  const hasEmptyMap = report.steps.some((step) => step.type === "fan-out" && step.count === 0);
  const notes = [...(isUndecided ? [UNDECIDED] : []), ...(hasEmptyMap && lists.length > 0 ? [adviceOn(lists)] : [])];
  return `${[...lines.slice(0, MAX_LINES), ...more, ...notes].join("\n")}\n`;
}

function linesOf(report: PlanReport): readonly string[] {
  return safeText(formatPlan(report)).trimEnd().split("\n");
}

const UNDECIDED =
  "Functions are not executed in a plan, and agents give a sample answer: what depends on them may come out differently.";

function adviceOn(lists: readonly string[]): string {
  const inputs = lists.map((name) => `--input '${name}=["…"]'`);
  return safeText(`A map over an empty list plans no branches. Give it items, for example: ${inputs.join(" or ")}`);
}

/** The steps without later iterations: of undecided loops all but the first, whose number says nothing. */
function foldUndecided(steps: readonly PlanStep[]): readonly PlanStep[] {
  return foldIterations(steps, (loop, index) => {
    const end = steps.slice(index).find((step) => isOfLoop(step, loop) && step.outcome !== "again");
    return end?.type === "iteration" && end.outcome === "undecided" ? 1 : Number.POSITIVE_INFINITY;
  });
}

function isOfLoop(step: PlanStep, { path, id }: PlanIteration): step is PlanIteration {
  return step.type === "iteration" && step.path === path && step.id === id;
}

/** The steps without those of a loop's later iterations; how the loop ended stays. */
function foldIterations(
  steps: readonly PlanStep[],
  shownOf: (loop: PlanIteration, index: number) => number,
): readonly PlanStep[] {
  let folded: PlanIteration | undefined;
  return steps.filter((step, index) => {
    if (folded === undefined) {
      if (step.type !== "iteration" || step.outcome !== "again" || step.iteration < shownOf(step, index)) return true;
      folded = step;
      return false;
    }
    // Steps of branches beside the loop have another path.
    if (!step.path.startsWith(folded.path)) return true;
    if (!isOfLoop(step, folded) || step.outcome === "again") return false;
    folded = undefined;
    return true;
  });
}

/** The scripted agent under the name of the one that it stands for. */
class PlannedAgent extends ForwardingClient {
  readonly #name: string;

  constructor(scripted: CodingAgentClient, name: string) {
    super(scripted);
    this.#name = name;
  }

  override get agentType(): string {
    return this.#name;
  }
}
