import {
  AtomicError,
  addUsage,
  messageOf,
  NO_USAGE,
  type RunEvent,
  type SpanAttributes,
  spentUsage,
  type TelemetryPort,
  type Usage,
} from "../../contracts/index.ts";
import {
  describeAgent,
  describeLevel,
  describeRun,
  describeTool,
  describeTurn,
  describeVisit,
} from "./describe-spans.ts";
import * as attribute from "./span-attributes.ts";
import { hashHex, type OpenSpan, type SpanEnding, SpanTree } from "./span-tree.ts";
import { levelsOf } from "./task-path.ts";

type EventOf<Type extends RunEvent["type"]> = Extract<RunEvent, { type: Type }>;

/** Keys of spans of anything but visits. Ids of tasks cannot contain the separator. */
const RUN_KEY = "";
const agentKey = (taskId: string): string => `${taskId}\nagent`;
const turnKey = (taskId: string, sessionId: string): string => `${taskId}\nturn\n${sessionId}`;
const toolKey = (taskId: string, toolId: string): string => `${taskId}\ntool\n${toolId}`;

/**
 * Turns a run's events into spans, for one process's part in the run. The run's span contains forks, branches and attempts
 * of nodes; these contain agents, their turns, tool calls and commands. Spans contain ids, names, numbers and error codes only, never
 * text that a person or a model wrote.
 *
 * A run has one trace, even across restarts: the trace id is derived from the run id. The span of a resumed run links to
 * the run's first span, whose id is derived from the run id as well.
 */
export class RunTelemetry {
  readonly #port: TelemetryPort;
  readonly #onEvent: ((event: RunEvent) => void) | undefined;
  #tree: SpanTree | undefined;
  #run: OpenSpan | undefined;
  /** Visits that ended before a node within them. */
  readonly #ending = new Map<OpenSpan, SpanEnding>();
  /** The usage of agents, by the keys of their spans. */
  readonly #agentUsage = new Map<string, Usage>();
  #failure: { readonly message: string } | undefined;
  #hasWarned = false;
  /** Known once the run has begun, until it ends. */
  #open: { readonly runId: string; usage: Usage } | undefined;

  /** @param onEvent receives every event, and a `warning` if the port fails */
  constructor(port: TelemetryPort, onEvent?: (event: RunEvent) => void) {
    this.#port = port;
    this.#onEvent = onEvent;
  }

  /** Takes the next event of the run. */
  observe(event: RunEvent): void {
    this.#report(event);
    if (event.type === "run-start") this.#begin(event);
    else if (this.#tree !== undefined && this.#run !== undefined) this.#note(event, this.#tree, this.#run);
    this.#onEvent?.(event);
    this.#warn(event);
  }

  /** Ends all open spans of a run that broke off without a `run-end` event. Does nothing after the run's end. */
  fail(error: unknown, at: number): void {
    const code = error instanceof AtomicError ? error.code : "RUN_FAILED";
    if (this.#open !== undefined) {
      const { runId, usage } = this.#open;
      this.#report({ type: "run-end", runId, at, status: "failed", usage, error: { code, message: messageOf(error) } });
    }
    this.#end({ at, attributes: { "atomic.run.status": "failed", [attribute.ERROR_TYPE]: code }, errorCode: code });
  }

  /** Passes an event on to the port. */
  #report(event: RunEvent): void {
    if (event.type === "run-start") this.#open = { runId: event.runId, usage: NO_USAGE };
    const spent = spentUsage(event);
    if (spent !== undefined && this.#open !== undefined) this.#open.usage = addUsage(this.#open.usage, spent);
    if (event.type === "run-end") this.#open = undefined;
    try {
      this.#port.onRunEvent?.(event);
    } catch (error) {
      this.#failure ??= { message: messageOf(error) };
    }
  }

  #begin(event: EventOf<"run-start">): void {
    const { runId, isResume, at } = event;
    const traceId = hashHex(["trace", runId], 32);
    const first = { traceId, spanId: hashHex([runId, 0], 16), traceFlags: 1 };
    const seed = isResume ? `${runId} at ${at}` : runId;
    this.#tree = new SpanTree(this.#port, { traceId, seed }, (error) => {
      this.#failure ??= { message: messageOf(error) };
    });
    this.#run = this.#tree.open(RUN_KEY, {
      subject: "run",
      parent: undefined,
      at,
      ...describeRun(event),
      links: isResume ? [{ context: first, attributes: { "atomic.link": "run-start" } }] : [],
    });
  }

  #note(event: RunEvent, tree: SpanTree, run: OpenSpan): void {
    switch (event.type) {
      case "run-end":
        return this.#endRun(event);
      case "graph-changed": {
        const count = event.differences.length;
        return tree.addEvent(run, {
          name: "atomic.graph_changed",
          at: event.at,
          attributes: { "atomic.count": count },
        });
      }
      case "node-start":
        return this.#startVisit(event, tree, run);
      case "node-end":
        return this.#endVisit(event.taskId, event.at, {
          "atomic.node.status": event.isSkipped ? "skipped" : "completed",
          ...attribute.totalUsageAttributes(event.usage),
        });
      case "node-error":
        return this.#failVisit(event, tree);
      case "node-dropped":
        return this.#endVisit(event.taskId, event.at, { "atomic.node.status": "dropped" });
      case "node-sleep":
        return this.#addEvent(event, "atomic.sleep", { "atomic.sleep.delay_ms": Math.max(0, event.until - event.at) });
      case "request":
        this.#addEvent(event, "atomic.request", { "atomic.request.id": event.request.id });
        return this.#endVisit(event.taskId, event.at, { "atomic.node.status": "asking" });
      case "answer":
        return this.#addEvent(event, "atomic.answer", { "atomic.request.id": event.requestId });
      case "agent":
        return this.#noteAgent(event, tree);
      case "agent-session":
      case "usage":
      case "command-end":
        return this.#noteAction(event, tree);
      case "run-start":
      case "agent-prompt":
      case "checkpoint":
      case "log":
      case "tasks":
      case "warning":
      case "context-window":
      case "debug-report":
        return;
    }
  }

  #startVisit(event: EventOf<"node-start">, tree: SpanTree, run: OpenSpan): void {
    const { taskId, at } = event;
    const parent = this.#enterLevels(taskId, at, tree, run);
    tree.open(taskId, { subject: "visit", parent, at, ...describeVisit(event) });
  }

  /** Returns the parent span of a new visit. Starts it if the visit is the first in its fork or branch. */
  #enterLevels(taskId: string, at: number, tree: SpanTree, run: OpenSpan): OpenSpan {
    let parent = run;
    for (const level of levelsOf(taskId)) {
      if (level.kind !== "branch") this.#leaveOthers(parent, level.key, at, tree);
      parent = tree.get(level.key) ?? tree.open(level.key, { ...describeLevel(level), subject: "group", parent, at });
    }
    this.#leaveOthers(parent, taskId, at, tree);
    return parent;
  }

  /** Ends other open spans of the same sequence of steps, where a node or a fork starts. */
  #leaveOthers(parent: OpenSpan, key: string, at: number, tree: SpanTree): void {
    for (const child of parent.children) if (child.key !== key) tree.end(child, this.#ending.get(child) ?? { at });
  }

  #failVisit(event: EventOf<"node-error">, tree: SpanTree): void {
    const { taskId, at, error, retryAt } = event;
    const isRefusal = error.code === "SCHEMA_VALIDATION";
    if (retryAt !== undefined) this.#addEvent(event, "atomic.retry", { "atomic.retry.delay_ms": retryAt - at });
    else if (isRefusal) this.#addEvent(event, "atomic.refused", {});
    const attributes = {
      "atomic.node.status": retryAt === undefined ? "failed" : "retrying",
      [attribute.ERROR_TYPE]: error.code,
    };
    // The answer to a question was rejected: the visit has already ended.
    if (tree.get(taskId) === undefined)
      this.#addEvent(event, "atomic.answer_refused", { [attribute.ERROR_TYPE]: error.code });
    this.#endVisit(taskId, at, attributes, error.code);
  }

  #endVisit(taskId: string, at: number, attributes: SpanAttributes, errorCode?: string): void {
    const visit = this.#tree?.get(taskId);
    if (this.#tree === undefined || visit === undefined) return;
    const ending = { at, attributes, errorCode };
    if (hasOpenVisit(visit)) this.#ending.set(visit, ending);
    else {
      this.#endAgent(taskId, at, errorCode);
      this.#tree.end(visit, ending);
      this.#endAround(visit, this.#tree);
    }
  }

  /** Ends the graphs around a visit that were only waiting for it. */
  #endAround({ parent }: OpenSpan, tree: SpanTree): void {
    for (let around = parent; around !== undefined; around = around.parent) {
      const ending = this.#ending.get(around);
      if (ending === undefined || hasOpenVisit(around)) continue;
      this.#ending.delete(around);
      tree.end(around, ending);
    }
  }

  #noteAction(event: EventOf<"agent-session" | "usage" | "command-end">, tree: SpanTree): void {
    const { taskId, at } = event;
    const visit = tree.get(taskId);
    // A node whose result is no longer needed may keep running for a while.
    if (visit === undefined) return;
    switch (event.type) {
      case "agent-session":
        this.#endAgent(taskId, at);
        tree.open(agentKey(taskId), { subject: "action", parent: visit, at, ...describeAgent(event) });
        return;
      case "usage":
        return this.#addUsage(taskId, event.usage, tree);
      case "command-end": {
        const attributes = { [attribute.PROCESS_EXIT_CODE]: event.exitCode };
        const start = { subject: "action", parent: visit, name: "command", at: at - event.durationMs } as const;
        tree.end(tree.open(`${taskId}\ncommand`, { ...start, attributes }), { at });
      }
    }
  }

  #noteAgent({ taskId, at, event }: EventOf<"agent">, tree: SpanTree): void {
    const visit = tree.get(taskId);
    switch (event.type) {
      case "permission-denied":
        return this.#addEvent({ taskId, at }, "atomic.permission_denied", {
          [attribute.TOOL_NAME]: event.denied.toolName,
        });
      case "usage":
        return this.#addUsage(taskId, event.usage, tree);
      case "turn-start": {
        const parent = tree.get(agentKey(taskId)) ?? visit;
        if (parent === undefined || visit === undefined) return;
        tree.open(turnKey(taskId, event.sessionId), { subject: "action", parent, at, ...describeTurn(event) });
        return;
      }
      case "turn-end": {
        const turn = visit && tree.get(turnKey(taskId, event.sessionId));
        const { outcome } = event;
        const errorCode = outcome === "failed" ? "TURN_FAILED" : undefined;
        if (turn !== undefined) tree.end(turn, { at, attributes: { "atomic.turn.outcome": outcome }, errorCode });
        return;
      }
      case "tool-start": {
        const parent = tree.get(turnKey(taskId, event.sessionId)) ?? tree.get(agentKey(taskId)) ?? visit;
        if (parent === undefined || visit === undefined) return;
        tree.open(toolKey(taskId, event.toolId), { subject: "action", parent, at, ...describeTool(event) });
        return;
      }
      case "tool-end": {
        const tool = visit && tree.get(toolKey(taskId, event.toolId));
        if (tool !== undefined) tree.end(tool, { at, errorCode: event.isError ? "TOOL_FAILED" : undefined });
        return;
      }
      default:
        return;
    }
  }

  /** Adds usage to the open agent, if there is one. The visit's end has the sum. */
  #addUsage(taskId: string, more: Usage, tree: SpanTree): void {
    const key = agentKey(taskId);
    if (tree.get(taskId) === undefined || tree.get(key) === undefined) return;
    this.#agentUsage.set(key, addUsage(this.#agentUsage.get(key) ?? NO_USAGE, more));
  }

  #endAgent(taskId: string, at: number, errorCode?: string): void {
    const key = agentKey(taskId);
    const agent = this.#tree?.get(key);
    const usage = this.#agentUsage.get(key);
    this.#agentUsage.delete(key);
    if (agent === undefined) return;
    const attributes = usage === undefined ? {} : attribute.agentUsageAttributes(usage);
    this.#tree?.end(agent, { at, attributes, errorCode });
  }

  /** Adds an event to the innermost open span around a visit: its own, if there is one. */
  #addEvent(
    { taskId, at }: { readonly taskId: string; readonly at: number },
    name: string,
    attributes: SpanAttributes,
  ) {
    const around = levelsOf(taskId).map(({ key }) => key);
    const open = [taskId, ...around.reverse(), RUN_KEY].map((key) => this.#tree?.get(key)).find(Boolean);
    if (open !== undefined) this.#tree?.addEvent(open, { name, at, attributes });
  }

  #endRun({ at, status, usage, error }: EventOf<"run-end">): void {
    this.#end({
      at,
      attributes: {
        "atomic.run.status": status,
        ...attribute.totalUsageAttributes(usage),
        ...(error === undefined ? {} : { [attribute.ERROR_TYPE]: error.code }),
      },
      errorCode: error?.code,
    });
  }

  #end(ending: SpanEnding): void {
    const run = this.#run;
    if (this.#tree === undefined || run === undefined) return;
    for (const [visit, early] of this.#ending) this.#tree.end(visit, early);
    for (const key of this.#agentUsage.keys()) this.#endAgent(key.slice(0, key.indexOf("\n")), ending.at);
    this.#tree.end(run, ending);
    this.#ending.clear();
    this.#run = undefined;
  }

  #warn({ runId, at }: RunEvent): void {
    if (this.#failure === undefined || this.#hasWarned) return;
    this.#hasWarned = true;
    const { message } = this.#failure;
    this.#onEvent?.({ type: "warning", runId, at, message: `Telemetry failed; the run continues: ${message}` });
  }
}

function hasOpenVisit(open: OpenSpan): boolean {
  for (const child of open.children) if (child.subject === "visit" || hasOpenVisit(child)) return true;
  return false;
}
