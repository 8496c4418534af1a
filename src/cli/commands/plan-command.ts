import { ForwardingClient } from "../../clients/index.ts";
import type { CodingAgentClient } from "../../contracts/index.ts";
import { formatPlan, type PlanReport, type PlanStep } from "../../graph/index.ts";
import type { RegisteredWorkflow } from "../../workflows/index.ts";
import { createAgents } from "../agents.ts";
import type { Config } from "../config/config.ts";
import type { CliEnvironment } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";
import { formatJson } from "../format-json.ts";
import type { RunFlags } from "../run-flags.ts";
import { safeText } from "../safe-text.ts";
import type { WorkflowConfig } from "../workflow-config.ts";
import { createInput } from "../workflow-input.ts";
import type { Workspace } from "../workspace.ts";

/** So many iterations of a loop, and so many lines, are printed: a loop that nothing ends in a plan goes on to its limit. */
const SHOWN_ITERATIONS = 2;
const MAX_LINES = 200;

/** A run that is planned instead of started. */
export interface PlanCall {
  readonly environment: CliEnvironment;
  readonly workspace: Workspace;
  readonly projectDirectory: string;
  readonly config: Config;
  readonly workflow: RegisteredWorkflow;
  readonly workflowConfig: WorkflowConfig | undefined;
  readonly flags: RunFlags;
  readonly agent: string;
  readonly model: string | undefined;
  /** The prompt. */
  readonly text: string | undefined;
  readonly inputs: ReadonlyMap<string, string>;
}

/** `atomic run WORKFLOW --plan`: the steps that the run would take. No agent, command or function is started. */
export async function planCommand(call: PlanCall): Promise<ExitCode> {
  const { environment, workspace, projectDirectory, workflow, model } = call;
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
    const report = await graph.plan(createInput(graph, call.text, call.inputs), {
      clients: async (wanted = call.agent, wish) => new PlannedAgent(await agents.provider(wanted, wish), wanted),
      workflows: async (name, { config } = {}) =>
        (await workspace.findWorkflow(name, projectDirectory, undefined)).create(config),
      ...(model === undefined ? {} : { defaultModel: model }),
    });
    environment.stdout.write(call.flags.json ? toJson(workflow, report) : toText(report));
    return report.status === "failed" ? ExitCode.failed : ExitCode.done;
  } finally {
    await agents.stop();
  }
}

function toJson({ metadata }: RegisteredWorkflow, report: PlanReport): string {
  const { status, errorInfo, steps, loops, waitedMs } = report;
  const error = errorInfo === undefined ? {} : { error: errorInfo };
  return `${formatJson({ type: "plan", workflow: metadata.name, status, ...error, steps, loops, waitedMs })}\n`;
}

function toText(report: PlanReport): string {
  // The first line counts all visits.
  const lines = [
    ...linesOf(report).slice(0, 1),
    ...linesOf({ ...report, steps: foldIterations(report.steps) }).slice(1),
  ];
  const more =
    lines.length > MAX_LINES ? [`  … and ${lines.length - MAX_LINES} more lines; --json has all steps.`] : [];
  const isEndless = report.steps.some((step) => step.type === "iteration" && step.outcome === "at-limit");
  return `${[...lines.slice(0, MAX_LINES), ...more, ...(isEndless ? [ENDLESS] : [])].join("\n")}\n`;
}

function linesOf(report: PlanReport): readonly string[] {
  return safeText(formatPlan(report)).trimEnd().split("\n");
}

const ENDLESS = "Functions are not executed in a plan: a loop whose end one of them decides goes on to its limit here.";

/** The steps without those of a loop's later iterations; how the loop ended stays. */
function foldIterations(steps: readonly PlanStep[]): readonly PlanStep[] {
  let folded: { readonly path: string; readonly id: string } | undefined;
  return steps.filter((step) => {
    if (folded === undefined) {
      const isLater = step.type === "iteration" && step.outcome === "again" && step.iteration >= SHOWN_ITERATIONS;
      if (isLater) folded = step;
      return !isLater;
    }
    // Steps of branches beside the loop have another path.
    if (!step.path.startsWith(folded.path)) return true;
    const isItsOwn = step.type === "iteration" && step.path === folded.path && step.id === folded.id;
    if (!isItsOwn || step.outcome === "again") return false;
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
