import { addUsage, type RunErrorInfo, type RunEvent, type TaskProgress } from "../../contracts/index.ts";
import type { ReportedQuestion, ReportedWarning } from "./run-report-page.ts";
import { shortened, VisitDraft } from "./visit-draft.ts";

type NodeEvent = Extract<RunEvent, { readonly taskId: string }>;
type EventOf<Type extends RunEvent["type"]> = Extract<RunEvent, { readonly type: Type }>;

/** So many warnings are kept: the first ones. */
const MAX_WARNINGS = 200;

/** Reads the events of a run, one after the other, and keeps what its report shows. */
export class RunEventFold {
  readonly visits = new Map<string, VisitDraft>();
  readonly questions = new Map<string, ReportedQuestion>();
  readonly warnings: ReportedWarning[] = [];
  /** From a visit to those that it started, where the run decided about that. */
  readonly next = new Map<string, readonly string[]>();
  tasks: readonly TaskProgress[] = [];
  startedAt: number | undefined;
  lastAt = 0;
  count = 0;
  error: RunErrorInfo | undefined;

  add(event: RunEvent): void {
    this.count++;
    this.startedAt ??= event.at;
    this.lastAt = Math.max(this.lastAt, event.at);
    if ("taskId" in event) this.#addOfNode(event);
    else this.#addOfRun(event);
  }

  #lastOfProcess = 0;

  #addOfRun(event: Exclude<RunEvent, NodeEvent>): void {
    const { at } = event;
    switch (event.type) {
      case "warning":
        this.#warn(at, event.message);
        return;
      case "graph-changed":
        this.#warn(at, `The workflow has changed since: ${event.differences.join("; ")}`);
        return;
      case "run-start":
        // A process that was killed wrote no end: what it did last is the latest that is known of its visits.
        this.#stopAll(event.isResume ? this.#lastOfProcess : at);
        this.error = undefined;
        break;
      case "run-end":
        if (event.status === "suspended") this.#rest(at);
        else this.#stopAll(at);
        this.error = event.error;
        break;
      case "checkpoint":
        break;
    }
    this.#lastOfProcess = at;
  }

  #warn(at: number, message: string): void {
    if (this.warnings.length < MAX_WARNINGS) this.warnings.push({ at, message: shortened(message) });
  }

  /** Code that is in progress when a run is suspended waits for its calls: its attempt is not over. */
  #rest(at: number): void {
    for (const visit of this.visits.values()) {
      if (visit.status === "running" && visit.isOpen) visit.stop(at);
    }
  }

  #stopAll(at: number): void {
    for (const visit of this.visits.values()) {
      // A question stays open while no process executes the run, and what it is a part of waits with it.
      if (visit.status === "running" && visit.isOpen && !this.#isWaitingWithin(visit.taskId)) {
        visit.interrupt(at);
        visit.status = "stopped";
      }
    }
  }

  #isWaitingWithin(taskId: string): boolean {
    return [...this.visits.values()].some(
      (inner) => inner.status === "waiting" && inner.taskId.startsWith(`${taskId}/`),
    );
  }

  #visitOf({ taskId, nodeId }: NodeEvent): VisitDraft {
    let visit = this.visits.get(taskId);
    if (visit === undefined) {
      visit = new VisitDraft({ taskId, nodeId });
      this.visits.set(taskId, visit);
    }
    return visit;
  }

  #addOfNode(event: NodeEvent): void {
    const visit = this.#visitOf(event);
    const { at } = event;
    this.#lastOfProcess = at;
    switch (event.type) {
      case "node-start":
        visit.name = event.item === undefined ? event.name : `${event.name} (${event.item})`;
        visit.nodeType = event.nodeType;
        visit.attempts = event.attempt;
        visit.status = "running";
        visit.endedAt = undefined;
        visit.begin("work", at);
        return;
      case "node-end":
        this.#endNode(visit, event);
        return;
      case "node-error":
        visit.add({ type: "failure", at, attempt: event.attempt, error: event.error });
        visit.error = event.error;
        this.#failNode(visit, event);
        return;
      case "node-dropped":
        visit.end(at, "dropped");
        return;
      case "node-sleep":
        visit.begin("sleep", at);
        visit.status = "sleeping";
        return;
      case "request":
        this.#ask(visit, event);
        return;
      case "answer":
        this.#answer(visit, event);
        return;
      case "tasks":
        this.tasks = event.tasks;
        return;
      default:
        addDetail(visit, event);
    }
  }

  #failNode(visit: VisitDraft, { at, retryAt, error }: EventOf<"node-error">): void {
    // A person stopped it.
    const isCancelled = error.code === "NODE_RESTARTED" || error.code === "NODE_CANCELLED";
    // One that could not be started was not stopped.
    if (isCancelled || error.code === "NODE_TIMEOUT") visit.stopCommands(at);
    else visit.forgetCommands();
    visit.stop(at, isCancelled ? "cancelled" : "failed");
    if (retryAt === undefined) visit.end(at, "failed");
  }

  #endNode(visit: VisitDraft, event: EventOf<"node-end">): void {
    const { at, durationMs, usage, usageByAgent = {}, update, isSkipped, isPassed, next } = event;
    if (update !== undefined) visit.add({ type: "update", at, text: shortened(jsonOf(update)) });
    visit.end(at, isSkipped === true ? "skipped" : isPassed === false ? "not passed" : "completed");
    visit.error = undefined;
    visit.durationMs = durationMs;
    // The sum over all attempts and processes.
    visit.usage = usage;
    visit.usageByAgent = usageByAgent;
    if (next !== undefined) this.next.set(event.taskId, next);
  }

  #ask(visit: VisitDraft, { at, taskId, nodeId, request }: EventOf<"request">): void {
    const { id: requestId, question, options = [] } = request;
    visit.begin("wait", at);
    visit.status = "waiting";
    // A resumed run asks the same question again.
    if (!this.questions.has(requestId)) visit.add({ type: "question", at, question: shortened(question) });
    this.questions.set(requestId, {
      ...{ requestId, taskId, nodeId, question: shortened(question), askedAt: request.askedAt },
      options: options.map(({ label }) => label),
    });
  }

  #answer(visit: VisitDraft, { at, taskId, nodeId, requestId, value }: EventOf<"answer">): void {
    const answer = shortened(typeof value === "string" ? value : jsonOf(value));
    visit.add({ type: "answer", at, answer });
    visit.stop(at);
    visit.status = "running";
    const asked = this.questions.get(requestId) ?? { requestId, taskId, nodeId, options: [], askedAt: at };
    this.questions.set(requestId, { ...asked, answeredAt: at, answer });
  }
}

/** An event that changes nothing about the visit's status. */
function addDetail(visit: VisitDraft, event: NodeEvent): void {
  const { at } = event;
  switch (event.type) {
    case "agent":
      visit.addAgent(event.agentType);
      // The record keeps only the outside of an event that is too long for a line.
      if (event.event !== undefined) visit.addAgentEvent(event.event, at);
      return;
    case "agent-session":
      visit.addAgent(event.agentType);
      return;
    case "usage":
      visit.addAgent(event.agentType);
      visit.usage = addUsage(visit.usage, event.usage);
      return;
    case "agent-prompt": {
      const { agentType: agent, message, systemPrompt } = event;
      visit.addAgent(agent);
      visit.add({
        ...{ type: "prompt", at, message: shortened(message) },
        ...(systemPrompt === undefined ? {} : { systemPrompt: shortened(systemPrompt) }),
        ...(agent === undefined ? {} : { agent }),
      });
      return;
    }
    case "command-start":
      visit.beginCommand(shortened(event.command), at);
      return;
    case "command-end": {
      const { command, exitCode, durationMs, output } = event;
      const kept = output === undefined ? {} : { output: shortened(output) };
      visit.endCommand(shortened(command));
      visit.add({ type: "command", at, command: shortened(command), exitCode, durationMs, ...kept });
      return;
    }
    case "debug-report": {
      const { errorSummary, suggestedFixes, relevantFiles } = event.report;
      const lines = [errorSummary, ...suggestedFixes.map((fix) => `- ${fix}`), ...relevantFiles];
      visit.add({ type: "log", at, message: shortened(lines.join("\n")) });
      return;
    }
    case "log":
      visit.add({ type: "log", at, message: shortened(event.message) });
      return;
    case "context-window":
      if (event.action !== "none") visit.add({ type: "log", at, message: describeContext(event) });
      return;
    default:
      return;
  }
}

function describeContext({ fraction, action }: EventOf<"context-window">): string {
  const used = fraction === undefined ? "" : ` is ${Math.round(fraction * 100)} % full`;
  return `The context window${used}: ${action}.`;
}

function jsonOf(value: unknown): string {
  return JSON.stringify(value, undefined, 2) ?? "";
}
