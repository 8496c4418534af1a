import type { RunEvent } from "../../contracts/index.ts";
import type { PlanLoop, PlanNode, PlanQuestion, PlanStep } from "./plan-report.ts";

type EventOf<Type extends RunEvent["type"]> = Extract<RunEvent, { type: Type }>;

/** Records what happens in a dry run, in order. Later facts about a node are added to the entry of its start. */
export class PlanRecorder {
  readonly #steps: PlanStep[] = [];
  readonly #placeOfNode = new Map<string, number>();
  readonly #placeOfQuestion = new Map<string, number>();
  readonly #answerSources = new Map<string, PlanQuestion["source"]>();

  get steps(): readonly PlanStep[] {
    return [...this.#steps];
  }

  get loops(): readonly PlanLoop[] {
    const loops: PlanLoop[] = [];
    const current = new Map<string, number>();
    for (const step of this.#steps) {
      if (step.type !== "iteration") continue;
      const { path, id, iteration, outcome } = step;
      const key = path + id;
      const iterations = outcome === "again" ? iteration + 1 : iteration;
      const place = current.get(key);
      if (iteration === 0 || place === undefined) current.set(key, loops.push({ path, id, iterations }) - 1);
      else loops[place] = { path, id, iterations };
    }
    return loops;
  }

  note(step: PlanStep): void {
    this.#steps.push(step);
  }

  noteRoute(taskId: string, targets: readonly string[]): void {
    this.note({ type: "route", path: pathOf(taskId), taskId, targets });
  }

  noteSource(taskId: string, source: PlanNode["source"]): void {
    this.#changeNode(taskId, { source });
  }

  noteModel(taskId: string, model: string | undefined): void {
    if (model !== undefined) this.#changeNode(taskId, { model });
  }

  /** Records the source of the answer to the question that this visit is about to ask. */
  noteAnswer(taskId: string, source: PlanQuestion["source"]): void {
    this.#answerSources.set(taskId, source);
  }

  /** Takes the next event of the run. */
  observe(event: RunEvent): void {
    switch (event.type) {
      case "node-start":
        return this.#noteStart(event);
      case "node-end":
        return this.#changeNode(event.taskId, { outcome: "completed" });
      case "node-dropped":
        return this.#changeNode(event.taskId, { outcome: "dropped" });
      case "node-error":
        if (event.retryAt === undefined) this.#changeNode(event.taskId, { outcome: "failed" });
        return;
      case "node-sleep": {
        const { taskId, until, at } = event;
        return this.note({ type: "sleep", path: pathOf(taskId), taskId, durationMs: Math.max(0, until - at) });
      }
      case "agent-session":
        return this.#changeNode(event.taskId, { agentType: event.agentType });
      case "request":
        return this.#noteQuestion(event);
      case "answer":
        return this.#noteAnswered(event);
      case "command-end": {
        const { taskId, command, exitCode } = event;
        return this.note({ type: "command", path: pathOf(taskId), taskId, command, exitCode });
      }
      case "run-start":
      case "run-end":
      case "graph-changed":
      case "warning":
      case "checkpoint":
      case "agent":
      case "agent-prompt":
      case "command-start":
      case "context-window":
      case "debug-report":
      case "usage":
      case "log":
      case "tasks":
        return;
    }
  }

  #noteStart({ taskId, nodeId, nodeType, attempt }: EventOf<"node-start">): void {
    if (this.#placeOfNode.has(taskId)) return this.#changeNode(taskId, { attempts: attempt });
    const about = { path: pathOf(taskId), taskId, nodeId, nodeType, attempts: attempt };
    this.#placeOfNode.set(taskId, this.#steps.length);
    this.note({ type: "node", ...about, source: "executed", outcome: "unfinished" });
  }

  #noteQuestion({ taskId, request }: EventOf<"request">): void {
    const { question, options = [] } = request;
    const source = this.#answerSources.get(taskId) ?? "automatic";
    const labels = options.map(({ label }) => label);
    this.#placeOfQuestion.set(taskId, this.#steps.length);
    const about = { path: pathOf(taskId), taskId, question, options: labels };
    this.note({ type: "question", ...about, answer: undefined, source });
  }

  #noteAnswered({ taskId, value }: EventOf<"answer">): void {
    this.#changeNode(taskId, { outcome: "completed" });
    const place = this.#placeOfQuestion.get(taskId);
    const question = place === undefined ? undefined : this.#steps[place];
    if (place !== undefined && question?.type === "question") this.#steps[place] = { ...question, answer: value };
  }

  #changeNode(taskId: string, change: Partial<PlanNode>): void {
    const place = this.#placeOfNode.get(taskId);
    const node = place === undefined ? undefined : this.#steps[place];
    if (place !== undefined && node?.type === "node") this.#steps[place] = { ...node, ...change };
  }
}

/** The thread of a visit, from the visit's id. */
function pathOf(taskId: string): string {
  return taskId.slice(0, taskId.lastIndexOf("/") + 1);
}
