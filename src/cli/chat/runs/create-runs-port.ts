import type { RunEvent } from "../../../contracts/index.ts";
import { UnknownRequestError } from "../../../graph/index.ts";
import type { GraphStep, PermissionAnswer, RunDetails, RunsPort } from "../../../tui/index.ts";
import type { WorkflowSession } from "../../../workflows/index.ts";
import { cancelRun } from "../../cancel-run.ts";
import { type CliEnvironment, findAtomicHome } from "../../environment.ts";
import { followRun } from "../../follow-run.ts";
import { explainForCommandLine } from "../../output/explain-for-command-line.ts";
import { giveAnswer } from "../../prompts/give-answer.ts";
import { exactIdOf, parseAnswer } from "../../prompts/parse-answer.ts";
import { PROJECT_ANSWER } from "../../prompts/published-permissions.ts";
import { isAgentQuestionId } from "../../prompts/published-questions.ts";
import { reachRun } from "../../reach-run.ts";
import { Workspace } from "../../workspace.ts";
import { InboxReader } from "./load-inbox.ts";
import { listRuns, loadRun } from "./load-run.ts";
import { loadSteps } from "./load-steps.ts";
import { quietEnvironment } from "./quiet-environment.ts";
import { ASK_DURATION, beginRun } from "./start-run.ts";

/** How long the process of a run may take to take a command, in milliseconds. */
const CONTROL_TIMEOUT_MS = 30_000;
/** So many runs' steps are remembered. */
const MAX_REMEMBERED_STEPS = 50;

/** What the engine calls the answers. */
const PUBLISHED_ANSWERS: Readonly<Record<PermissionAnswer, string>> = {
  yes: "allow",
  run: "always",
  always: PROJECT_ANSWER,
  no: "deny",
};

/** The runs of this machine, as the UI reads and steers them. Prints nothing. */
export function createRunsPort(environment: CliEnvironment): RunsPort {
  return new WorkspaceRuns(quietEnvironment(environment));
}

class WorkspaceRuns implements RunsPort {
  readonly #environment: CliEnvironment;
  readonly #workspace: Workspace;
  readonly #inbox: InboxReader;
  readonly #steps = new Map<string, Promise<readonly GraphStep[]>>();

  constructor(environment: CliEnvironment) {
    this.#environment = environment;
    this.#workspace = new Workspace(environment);
    this.#inbox = new InboxReader(this.#workspace);
  }

  list(options: { readonly limit?: number } = {}) {
    return listRuns(this.#workspace, { ...options, isReadable: (session) => this.#inbox.isReadable(session) });
  }

  async load(runId: string): Promise<RunDetails> {
    try {
      return await loadRun(this.#workspace, runId, (session) => this.#stepsOf(session));
    } catch (error) {
      // The remedy of a damaged journal depends on its place.
      throw explainForCommandLine(error, { args: [], atomicHome: findAtomicHome(this.#environment) });
    }
  }

  #stepsOf(session: WorkflowSession): Promise<readonly GraphStep[]> {
    const { sessionId } = session;
    const known = this.#steps.get(sessionId);
    if (known !== undefined) return known;
    const loading = loadSteps(this.#environment, this.#workspace, session);
    const [oldest] = this.#steps.keys();
    if (oldest !== undefined && this.#steps.size >= MAX_REMEMBERED_STEPS) this.#steps.delete(oldest);
    this.#steps.set(sessionId, loading);
    return loading;
  }

  async *follow(runId: string, signal: AbortSignal): AsyncGenerator<RunEvent, void> {
    const { redactor } = this.#workspace;
    // An older version may have recorded them without redaction.
    for await (const event of followRun(this.#workspace, runId, { signal })) yield redactor.value(event);
  }

  loadInbox() {
    return this.#inbox.read();
  }

  async takeProblems(): Promise<readonly string[]> {
    return this.#inbox.takeProblems().map((text) => this.#workspace.redactor.text(text));
  }

  async countUnreadable(): Promise<number> {
    return this.#inbox.unreadableCount;
  }

  async answer(runId: string, requestId: string, value: unknown): Promise<void> {
    const { runs } = this.#workspace;
    if (isAgentQuestionId(requestId)) return await this.#control(runId).answer(requestId, value);
    const { summary } = await runs.report(runId);
    const request = summary?.requests.find(({ id }) => id === requestId);
    if (request === undefined) throw new UnknownRequestError(requestId, summary?.requests.map(({ id }) => id) ?? []);
    const parsed = typeof value === "string" ? parseAnswer(request, value) : value;
    const exactId = exactIdOf(request);
    const text = typeof value === "string" ? value : JSON.stringify(value);
    await giveAnswer<unknown>(
      runs,
      { runId, request },
      {
        toLiveRun: () => this.#control(runId).answer(exactId, parsed),
        resume: () =>
          this.#begin(runId, ["runs", "answer", "--request", exactId, "--ask", ASK_DURATION, "--", runId, text]),
      },
    );
  }

  async answerPermission(runId: string, permissionId: string, answer: PermissionAnswer): Promise<void> {
    await this.#control(runId).answer(permissionId, PUBLISHED_ANSWERS[answer]);
  }

  async cancel(runId: string): Promise<void> {
    await cancelRun(this.#environment, this.#workspace, { id: runId, isForced: false });
  }

  async pause(runId: string): Promise<void> {
    await this.#control(runId).pause();
  }

  async resume(runId: string): Promise<void> {
    await reachRun<unknown>(this.#workspace.runs, runId, {
      toLiveRun: () => this.#control(runId).unpause(),
      resume: () => this.#begin(runId, ["runs", "resume", "--ask", ASK_DURATION, "--", runId]),
    });
  }

  async cancelNode(runId: string, taskId: string): Promise<void> {
    await this.#control(runId).cancelNode(taskId);
  }

  async skipNode(runId: string, taskId: string): Promise<void> {
    await reachRun<unknown>(this.#workspace.runs, runId, {
      toLiveRun: () => this.#control(runId).skipNode(taskId),
      resume: () => this.#begin(runId, ["runs", "skip", "--ask", ASK_DURATION, "--", runId, taskId]),
    });
  }

  async retryNode(runId: string, taskId: string): Promise<void> {
    await reachRun<unknown>(this.#workspace.runs, runId, {
      toLiveRun: () => this.#control(runId).retryNode(taskId),
      resume: () => this.#begin(runId, ["runs", "retry", "--ask", ASK_DURATION, "--", runId, taskId]),
    });
  }

  #control(runId: string) {
    return this.#workspace.runs.control(runId, { signal: AbortSignal.timeout(CONTROL_TIMEOUT_MS) });
  }

  #begin(runId: string, args: readonly string[]): Promise<string> {
    return beginRun(this.#environment, { run: runId, args });
  }
}
