import type { AgentQuestionHandler, RunEvent, TelemetryPort } from "../contracts/index.ts";
import type { EntityRegistry } from "../discovery/index.ts";
import {
  type CompiledGraph,
  type RunBudget,
  type RunServices,
  SubagentGraphBridge,
  SubagentSessionManager,
} from "../graph/index.ts";
import { createWorktreeService, type ExecuteOptions } from "../workflows/index.ts";
import type { Agents } from "./agents/agents.ts";
import { createGitReader } from "./agents/create-git-reader.ts";
import { createSessionConfig } from "./agents/session-settings.ts";
import { createEntityServices } from "./entities/entity-services.ts";
import { gitEnvironment } from "./git-environment.ts";
import type { RunReporter } from "./progress/run-reporter.ts";
import type { AnswerFile } from "./prompts/answer-file.ts";
import type { PublishedAsks } from "./prompts/published-asks.ts";
import type { RunPlan } from "./run-plan.ts";
import type { CallTelemetry } from "./telemetry/open-telemetry.ts";
import { type OpenedTools, toolsOfRun } from "./tools/open-tools.ts";
import type { CallPlace } from "./verify/check-calls.ts";
import { createScriptServices } from "./written-scripts/create-script-services.ts";

/** What a run's services are made of. */
interface ServiceParts {
  readonly published: PublishedAsks | undefined;
  /** Answers the agents' questions without a person. */
  readonly answers: AnswerFile | undefined;
  readonly clients: Agents["provider"];
  readonly tools: OpenedTools;
  readonly reporter: RunReporter;
  readonly interrupt: () => void;
  readonly onDebug: ((line: string) => void) | undefined;
  readonly onLookup: CallTelemetry["observeLookup"];
  readonly load: () => Promise<EntityRegistry>;
  readonly findWorkflow: CallPlace["find"];
}

/** The services of a run. */
export function createServices(
  plan: RunPlan,
  { published, answers, clients, tools, reporter, interrupt, ...parts }: ServiceParts,
): RunServices {
  const sessionConfig = createSessionConfig({
    ...plan,
    atomicHome: plan.workspace.atomicHome,
    isJson: plan.flags.json ?? false,
    reporter,
    scope: "run",
    askElsewhere: published?.permissions.handler,
    answerElsewhere: answerElsewhere(answers, published),
    onCancel: interrupt,
  });
  const isProjectTrusted = (): Promise<boolean> => plan.workspace.trust.isTrusted(plan.projectDirectory);
  return {
    clients,
    redactor: plan.workspace.redactor,
    worktrees: createWorktreeService({
      project: plan.projectDirectory,
      workingDirectory: plan.workingDirectory,
      home: plan.workspace.atomicHome,
      loadEnvironment: async () =>
        await gitEnvironment({
          env: plan.environment.env,
          workingDirectory: plan.workingDirectory,
          projectDirectory: plan.projectDirectory,
          isProjectTrusted: await isProjectTrusted(),
        }),
    }),
    isProjectTrusted,
    subagents: new SubagentGraphBridge({ sessionManager: new SubagentSessionManager({ clients }) }),
    workflows: async (name, { config } = {}) => (await parts.findWorkflow(name)).create(config),
    tools: toolsOfRun(tools),
    ...createEntityServices({
      ...plan,
      ...parts,
      onPermissionAsk: sessionConfig.onPermissionAsk,
      onWarn: (line) => reporter.warn(line),
      isSandboxed: plan.sandbox !== undefined,
    }),
    git: plan.git ?? createGitReader(plan),
    scripts: createScriptServices(plan),
    workingDirectory: plan.workingDirectory,
    sessionConfig,
    ...(plan.config.limits?.scripts === undefined ? {} : { scriptLimits: plan.config.limits.scripts }),
  };
}

/** Agents' questions without a person at the terminal: the answers of the call come first, then other processes. */
function answerElsewhere(
  answers: AnswerFile | undefined,
  published: PublishedAsks | undefined,
): AgentQuestionHandler | undefined {
  if (answers === undefined) return published?.questions.handler;
  return async (question, options) => {
    const answer = answers.answerAgent(question);
    return answer.type === "answer" || published === undefined
      ? answer
      : await published.questions.handler(question, options);
  };
}

/** What differs between the runs of a plan. */
interface OptionParts {
  readonly graph: CompiledGraph;
  readonly services: RunServices;
  readonly signal: AbortSignal;
  readonly budget: RunBudget;
  readonly recording: ExecuteOptions["recording"];
  readonly published: PublishedAsks | undefined;
  readonly telemetry: TelemetryPort | undefined;
}

/** The options with which a run is executed. */
export function createOptions(
  { workspace, workflow, environment, agent, model }: RunPlan,
  { published, telemetry, ...parts }: OptionParts,
  onEvent: (event: RunEvent) => void,
): ExecuteOptions {
  const { metadata, migrateState } = workflow;
  return {
    ...parts,
    ...(telemetry === undefined ? {} : { telemetry }),
    metadata,
    guard: environment.userCode,
    onEvent(event) {
      if (event.type === "run-start") published?.begin(workspace.store.directoryOf(event.runId));
      onEvent(event);
    },
    ...(published === undefined ? {} : { takeAnswer: (id, answer) => published.take(id, answer) }),
    agent,
    ...(migrateState === undefined ? {} : { migrateState }),
    ...(model === undefined ? {} : { model }),
  };
}
