import type { RecoveryPolicy } from "../clients/index.ts";
import type { RunEvent } from "../contracts/index.ts";
import type { EntityRegistry } from "../discovery/index.ts";
import { type Answers, type ClientProvider, type RunResult, withServiceScope } from "../graph/index.ts";
import { visibleLine, wrapOutput } from "../view/index.ts";
import type { ExecuteOptions, RegisteredWorkflow } from "../workflows/index.ts";
import { assertKnownAgent } from "./agents/agent-types.ts";
import { createAgents } from "./agents/agents.ts";
import { createSettingsCheck } from "./agents/create-settings-check.ts";
import type { Config } from "./config/config.ts";
import { describeRuleAdvice } from "./config/describe-rule-advice.ts";
import { parseDuration } from "./config/parse-duration.ts";
import { budgetOf } from "./config/run-flags.ts";
import { createDebugLog, loadEntities } from "./entities/load-entities.ts";
import { type CliEnvironment, isDebug, isJsonWanted } from "./environment.ts";
import { ExitCode, exitCodeElsewhere, exitCodeOfEnd } from "./exit-code.ts";
import { openHooks } from "./hooks/open-hooks.ts";
import { type InterruptionTexts, listenForInterruption } from "./interruption.ts";
import { Notifier } from "./notifications/notifier.ts";
import { describeMissingInput, findMissingInput } from "./output/find-missing-input.ts";
import { formatJson } from "./output/format-json.ts";
import { formatOutput } from "./output/format-output.ts";
import { formatElsewhere, formatResult } from "./output/format-result.ts";
import { colorsFor, tableColumns } from "./output/terminal.ts";
import { createReporter } from "./progress/create-reporter.ts";
import type { RunReporter } from "./progress/run-reporter.ts";
import { AnswerFile } from "./prompts/answer-file.ts";
import { type AskedEnd, answerQuestions, type HoldTree } from "./prompts/answer-questions.ts";
import { PublishedAsks } from "./prompts/published-asks.ts";
import { PublishedPermissions } from "./prompts/published-permissions.ts";
import { PublishedQuestions } from "./prompts/published-questions.ts";
import { openRunRecording } from "./recording/run-recording.ts";
import type { RunPlan } from "./run-plan.ts";
import { createOptions, createServices } from "./run-services.ts";
import { type CallTelemetry, openTelemetry } from "./telemetry/open-telemetry.ts";
import { openTools } from "./tools/open-tools.ts";
import { hookOwners } from "./trust/settings-owners.ts";
import { trustSettings } from "./trust/trust-settings.ts";
import { OutputError } from "./unusable-place.ts";
import { assertUses, type StartPlace } from "./verify/assert-uses.ts";
import { findOnce } from "./verify/check-calls.ts";
import { createTreeLock } from "./working-tree/create-tree-lock.ts";

/**
 * Starts or resumes a run, executes it as far as this process can, and reports the result. What the files of its workflows
 * register is its own.
 */
export async function executeRun(plan: RunPlan): Promise<ExitCode> {
  const notifier = new Notifier({
    ...plan,
    settings: plan.config.notifications,
    runId: plan.session?.sessionId,
    platform: process.platform,
  });
  const { environment, flags } = plan;
  const telemetry = await openTelemetry({
    environment,
    mayAsk: isAtTerminal(plan),
    hasRuns: true,
    tell: (line) => (flags.json ? undefined : environment.stderr.write(`${line}\n`)),
  });
  try {
    await notifier.open();
    return await withServiceScope(() => executeInScope(plan, notifier, telemetry));
  } finally {
    await Promise.all([notifier.close(), telemetry.close()]);
  }
}

async function executeInScope(plan: RunPlan, notifier: Notifier, telemetry: CallTelemetry): Promise<ExitCode> {
  const { environment, flags, agent } = plan;
  assertKnownAgent(agent, plan.config);
  const budget = budgetOf(flags);
  const graph = await plan.workflow.create(plan.workflowConfig);
  throwLeftError(environment);
  const answers = await loadAnswers(plan);
  const reporter = createReporter(environment, flags);
  const published = publishAsks(plan, { reporter, notifier });
  const { redactor } = plan.workspace;
  const tell = (message: string): void => reporter.warn(redactor.text(message));
  const recording = await openRunRecording(plan, tell);
  // Lines of the run that move must not be overwritten.
  const onDebug = onceEach(createDebugLog(environment, flags.json ? undefined : (line) => reporter.note(line)));
  const tools = openTools({ ...plan, onDebug }, tell);
  const agents = createAgents({
    ...plan,
    offeredTools: { load: tools.list, tell },
    atomicHome: plan.workspace.atomicHome,
    env: environment.env,
    defaultAgent: agent,
    isRehearsal: agent === "scripted",
    recovery: fallbackOf(plan.config),
    hooks: openHooks({ ...plan, tell }),
    ...trustSettings({ ...plan, owners: ["atomic", "workflows", "tools", ...hookOwners(plan.config, flags)], tell }),
  });
  adviseOnRules(plan, reporter);
  environment.userCode.sayTo((text) => reporter.log(redactor.text(text)));
  const seen: SeenRun = { startedAt: 0, elapsedMs: 0 };
  // Read before the first step, which could write definitions for later ones.
  const loading = loadEntities(environment, plan.workspace, { projectDirectory: plan.projectDirectory, onDebug });
  loading.catch(() => undefined);
  const load = async (): Promise<EntityRegistry> => (await loading).registry;
  const { signal, interrupt, stopListening } = listenForInterruption(environment, interruptionTexts(reporter, seen));
  try {
    const findWorkflow = findOnce((name) => findWorkflowOfStep(plan, name));
    const clients = recording.wrap(telemetry.wrap(agents.provider));
    const named = { onDebug, onLookup: telemetry.observeLookup, load, findWorkflow };
    const parts = { published, answers, clients, tools, reporter, interrupt, ...named };
    const services = createServices(plan, parts);
    const isReplay = recording.kept?.type === "replay";
    const place = startPlace(plan, agents.provider, { services, load, findWorkflow, isReplay });
    if (plan.checksUses) await assertUses(graph, plan.workflow.metadata.name, place);
    const options = createOptions(
      plan,
      {
        ...{ graph, services, signal, budget, published, recording: recording.kept },
        telemetry: telemetry.portFor(graph.config.telemetry),
      },
      (event) => {
        noteEvent(seen, event);
        for (const observer of [recording, reporter, notifier]) observer.onEvent(event);
      },
    );
    const end = await executeAndAsk(plan, { reporter, answers }, options);
    for (const problem of answers?.describeProblems() ?? []) reporter.warn(problem);
    recording.finish(end.type === "ended" && end.result.status === "completed");
    reporter.close();
    await agents.stop();
    const exitCode = recording.check(await tellEnd(plan, end, seen));
    // The run waits for a person or continues elsewhere: the signal ended only this call.
    return signal.aborted && exitCode === ExitCode.suspended ? ExitCode.cancelled : exitCode;
  } finally {
    reporter.close();
    await agents.stop();
    stopListening();
  }
}

/** Where the names that the workflow uses are looked up before the run. Of a recording, no agent is asked. */
function startPlace(
  plan: RunPlan,
  clients: ClientProvider,
  { isReplay, ...found }: Pick<StartPlace, "services" | "load" | "findWorkflow"> & { readonly isReplay: boolean },
): StartPlace {
  return {
    ...plan,
    ...found,
    isSandboxed: plan.sandbox !== undefined,
    ...(isReplay ? {} : { describeUnsettable: createSettingsCheck({ ...plan, clients }) }),
  };
}

function throwLeftError({ userCode }: CliEnvironment): void {
  const leftError = userCode.leftError();
  if (leftError !== undefined) throw leftError;
}

function adviseOnRules({ isRepeated, permissions, workingDirectory }: RunPlan, reporter: RunReporter): void {
  if (isRepeated) return;
  for (const line of describeRuleAdvice(permissions, workingDirectory)) reporter.warn(line);
}

/** Names are looked up before the run, and again by nodes. */
function onceEach(write: ((line: string) => void) | undefined): typeof write {
  if (write === undefined) return undefined;
  const written = new Set<string>();
  return (line) => {
    if (!written.has(line)) write(line);
    written.add(line);
  };
}

/** With `--ask`, other processes answer permission requests and agents' questions where no person is at the terminal. @throws UsageError */
function publishAsks(
  plan: RunPlan,
  { reporter, notifier }: { readonly reporter: RunReporter; readonly notifier: Notifier },
): PublishedAsks | undefined {
  const { ask: waitText } = plan.flags;
  const waitMs = waitText === undefined ? undefined : parseDuration("--ask", waitText);
  if (waitText === undefined || waitMs === undefined || isAtTerminal(plan)) return undefined;
  const { redactor } = plan.workspace;
  const permissions = new PublishedPermissions({
    ...{ waitMs, waitText, redactor },
    onPublish(one) {
      reporter.permission(one, [redactor.text(`Waits for permission: ${visibleLine(one.request.title)}  (${one.id})`)]);
      notifier.onPermission(one);
    },
  });
  const questions = new PublishedQuestions({
    ...{ waitMs, waitText, redactor },
    onPublish: ({ id, question }) =>
      reporter.note(redactor.text(`Waits for an answer: ${visibleLine(question.question)}  (${id})`)),
  });
  return new PublishedAsks(permissions, questions);
}

/** @throws UsageError */
async function loadAnswers({ environment, flags }: RunPlan): Promise<AnswerFile | undefined> {
  return flags.answers === undefined ? undefined : await AnswerFile.load(flags.answers, environment.workingDirectory);
}

/** Facts from the events of a run so far. */
interface SeenRun {
  runId?: string;
  startedAt: number;
  /** Without the time spent waiting for answers. */
  elapsedMs: number;
  /** Whether the run was there before this call; undefined before its first event. */
  isResumed?: boolean;
}

function noteEvent(seen: SeenRun, event: RunEvent): void {
  seen.runId = event.runId;
  if (event.type === "run-start") {
    seen.startedAt = event.at;
    seen.isResumed ??= event.isResume;
  } else if (event.type === "run-end") seen.elapsedMs += event.at - seen.startedAt;
}

function interruptionTexts(reporter: RunReporter, seen: SeenRun): InterruptionTexts {
  return {
    say: (line) => reporter.note(line),
    leave() {
      reporter.close();
      const { runId } = seen;
      if (runId !== undefined) reporter.leave(runId);
    },
  };
}

/** How a call ended: `left` when it was interrupted before it did anything. */
type CallEnd = AskedEnd | { readonly type: "left" };

/** Without a person at the terminal, a run with questions stays suspended. */
async function executeAndAsk(
  plan: RunPlan,
  { reporter, answers }: { readonly reporter: RunReporter; readonly answers: AnswerFile | undefined },
  given: ExecuteOptions,
): Promise<CallEnd> {
  const { environment, workspace } = plan;
  const { graph, signal } = given;
  const input = plan.inputOf(graph);
  const tree = createTreeLock(plan, { input, signal, ...(isAtTerminal(plan) ? { reporter } : {}) });
  const hold: HoldTree = (work) => (tree === undefined ? work() : tree.hold(work));
  const options: ExecuteOptions = {
    ...given,
    onEvent(event) {
      tree?.onEvent(event);
      given.onEvent?.(event);
    },
  };
  let hasBegun = false;
  const execute = async (): Promise<RunResult> => {
    hasBegun = true;
    return await plan.execute(options, input);
  };
  const result = await hold(execute).catch((error: unknown) => {
    if (hasBegun || error !== signal.reason) throw error;
  });
  if (result === undefined) return { type: "left" };
  if (!isAtTerminal(plan)) {
    const resume = (answer: Answers) => hold(() => workspace.runs.resume(result.runId, answer, options));
    const answered = (await answers?.answerAll(result, resume)) ?? result;
    return { type: "ended", result: answered, wasAsked: false };
  }
  return await answerQuestions({ environment, workspace, reporter, options, hold }, result);
}

/** Whether a person can answer questions, and waits with the run. */
function isAtTerminal({ environment, flags }: RunPlan): boolean {
  return environment.isInteractive && !flags.json;
}

async function tellEnd(plan: RunPlan, end: CallEnd, seen: SeenRun): Promise<ExitCode> {
  if (end.type === "left") {
    if (!plan.flags.json) plan.environment.stderr.write("Nothing was done.\n");
    return ExitCode.cancelled;
  }
  if (end.type === "elsewhere") {
    const { name } = plan.workflow.metadata;
    plan.environment.stdout.write(`${formatElsewhere(name, end.runId, end.status)}\n`);
    return exitCodeElsewhere(end.status);
  }
  const { status, output } = end.result;
  const isCompleted = status === "completed";
  const isPresented = plan.presentOutput !== undefined && isCompleted;
  await tellResult(plan, { ...end, isPresented }, seen);
  if (isPresented) await plan.presentOutput(output);
  else if (plan.presentOutput !== undefined && isJsonWanted(plan.environment)) writeError(plan, end.result);
  const isPassed = !isCompleted || (plan.workflow.outputMeaning?.isPassed(output) ?? true);
  return isPassed ? exitCodeOfEnd(end.result) : ExitCode.failed;
}

/** In place of the output that a program wants of the run. Events have the error already. */
function writeError({ environment, workspace, flags }: RunPlan, { runId, status, errorInfo }: RunResult): void {
  if (flags.json) return;
  const { code, message } = errorInfo ?? { code: "RUN_CANCELLED", message: `The run is ${status}.` };
  environment.stdout.write(`${formatJson(workspace.redactor.value({ type: "error", runId, code, message }))}\n`);
}

async function tellResult(
  { environment, workspace, workflow, flags, presentOutput }: RunPlan,
  {
    result,
    wasAsked,
    isPresented,
  }: { readonly result: RunResult; readonly wasAsked: boolean; readonly isPresented: boolean },
  { elapsedMs, isResumed = false }: SeenRun,
): Promise<void> {
  // Standard output cannot show it.
  if (result.error instanceof OutputError) throw result.error;
  if (flags.json) return;
  const { session } = await workspace.runs.report(result.runId);
  // A failed run has no output either that could be mixed with the ending.
  const stream = presentOutput === undefined ? "stdout" : "stderr";
  const colors = colorsFor(environment, flags, stream);
  const { output } = result;
  const columns = tableColumns(environment[stream]);
  const missing = findMissingInput({ error: result.errorInfo, workflow, input: session.input });
  const remedy = missing === undefined ? {} : { remedy: describeMissingInput(missing) };
  const style = { colors, columns, elapsedMs, isResumed, isDebug: isDebug(environment), wasAsked, ...remedy };
  const ending = workspace.redactor.text(formatResult(result, session, style));
  const isShown = output !== undefined && !isPresented;
  const text = isShown ? formatOutput((await workflow.outputMeaning?.format(output)) ?? output) : "";
  environment[stream].write(`${wrapOutput(ending, columns)}\n${isShown ? `\n${text}\n` : ""}`);
}

/** Nodes retry by themselves, but cannot change to another model. */
function fallbackOf({ models }: Config): RecoveryPolicy | undefined {
  const { fallback = [] } = models ?? {};
  return fallback.length === 0 ? undefined : { maxAttempts: 1, fallbackModels: fallback };
}

/** A workflow that a step runs. Running this workflow already required trust in the project. */
async function findWorkflowOfStep({ workspace, projectDirectory }: RunPlan, name: string): Promise<RegisteredWorkflow> {
  return await workspace.findWorkflow(name, projectDirectory, undefined);
}
