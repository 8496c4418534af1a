import type { Json } from "../../contracts/index.ts";
import { type GraphCode, isGraphCode } from "../compile/graph-code.ts";
import type { Instruction } from "../compile/program.ts";
import { questionOf } from "../decide/describe-end.ts";
import { given } from "../errors/given.ts";
import { withDefaultServices } from "../model/default-services.ts";
import type { ExecutionContext, RunServices } from "../model/execution-context.ts";
import type { NodeDefinition, NodeResult } from "../model/node-definition.ts";
import type { NodeUse } from "../model/node-use.ts";
import { resolveNamed } from "../model/resolve-named.ts";
import type { TaskStore } from "../model/task-store.ts";
import type { WorktreeService } from "../model/worktree-service.ts";
import { answerItself, chooseAnswer } from "./choose-answer.ts";
import { ownValue } from "./own-value.ts";
import type { PlanOptions } from "./plan-options.ts";
import type { PlanRecorder } from "./plan-recorder.ts";

/** Thrown by services that do nothing in a dry run, to skip the node that called them. */
export class NothingDoneError extends Error {
  constructor() {
    super("Nothing is done in a dry run.");
  }
}

/**
 * Rewrites graphs so that their decisions are recorded and their nodes have no effects. The structure does not change. A
 * graph that several nodes run is rewritten once.
 */
export class DryCode {
  readonly #options: PlanOptions;
  readonly #recorder: PlanRecorder;
  readonly #rewritten = new Map<GraphCode, GraphCode>();

  constructor(options: PlanOptions, recorder: PlanRecorder) {
    this.#options = options;
    this.#recorder = recorder;
  }

  /** Rewrites the planned graph itself. */
  rewriteRoot(code: GraphCode): GraphCode {
    return this.#rewrite(code, this.#options.results ?? {});
  }

  /** Rewrites a graph within it. */
  #rewriteInner(code: GraphCode): GraphCode {
    const known = this.#rewritten.get(code);
    if (known !== undefined) return known;
    const rewritten = this.#rewrite(code, {});
    this.#rewritten.set(code, rewritten);
    return rewritten;
  }

  #rewrite({ program, ...code }: GraphCode, results: NonNullable<PlanOptions["results"]>): GraphCode {
    const instructions = program.instructions.map((instruction) => this.#rewriteInstruction(instruction, results));
    return { ...code, program: { ...program, instructions } };
  }

  #rewriteInstruction(instruction: Instruction, results: NonNullable<PlanOptions["results"]>): Instruction {
    const recorder = this.#recorder;
    switch (instruction.op) {
      case "task":
        return { ...instruction, node: this.#rewriteNode(instruction.node, results) };
      case "if": {
        const { id, condition } = instruction;
        return {
          ...instruction,
          condition: (state, info) => {
            const outcome = condition(state, info);
            recorder.note({ type: "decision", path: info.path, id, outcome });
            return outcome;
          },
        };
      }
      case "loop": {
        const { id, until, maxIterations } = instruction;
        // A loop without a condition always runs all its iterations.
        const planned = until && this.#options.maxIterations;
        return {
          ...instruction,
          until: (state, info) => {
            const isDone = until?.(state, info) ?? false;
            const { path, iteration } = info;
            if (!isDone && planned !== undefined && iteration >= Math.min(planned, maxIterations)) {
              recorder.note({ type: "iteration", path, id, iteration, outcome: "undecided", limit: maxIterations });
              return true;
            }
            const outcome = isDone ? "done" : iteration < maxIterations ? "again" : "at-limit";
            recorder.note({ type: "iteration", path, id, iteration, outcome });
            return isDone;
          },
        };
      }
      case "map": {
        const { id, items } = instruction;
        return {
          ...instruction,
          items: (state, place) => {
            const list = items(state, place);
            if (Array.isArray(list)) recorder.note({ type: "fan-out", path: place.path, id, count: list.length });
            return list;
          },
        };
      }
      case "jump":
      case "fork":
      case "branch-end":
      case "end":
        return instruction;
    }
  }

  #rewriteNode(node: NodeDefinition, results: NonNullable<PlanOptions["results"]>): NodeDefinition {
    const result = ownValue(results, node.id);
    const execute = (context: ExecutionContext): ReturnType<NodeDefinition["execute"]> => {
      if (result !== undefined) {
        this.#recorder.noteSource(context.taskId, "given");
        return { stateUpdate: typeof result === "function" ? result(context.state, context) : result };
      }
      if (this.#isExecuted(node)) return this.#execute(node, context);
      this.#recorder.noteSource(context.taskId, "skipped");
      return node.uses === undefined ? undefined : findTools(node.uses, context);
    };
    const { subgraph } = node;
    if (node.calls !== undefined) {
      const { codeOf, ...others } = node.calls;
      const rewritten = (spec: Json): unknown => {
        const code = codeOf(spec);
        return isGraphCode(code) ? this.#rewriteInner(code) : code;
      };
      return replace(node, { execute, calls: { ...others, codeOf: rewritten } });
    }
    const code = subgraph && innerCodeOf(subgraph);
    if (subgraph === undefined || code === undefined) return replace(node, { execute });
    const finish: typeof subgraph.finish = (...given) => subgraph.finish(...given);
    return replace(node, { execute, subgraph: { ref: { code: this.#rewriteInner(code) }, finish } });
  }

  /** Custom code can do anything, and so can a graph that is not Atomic's. */
  #isExecuted({ actsThroughServices = false, subgraph }: NodeDefinition): boolean {
    if (this.#options.runTools) return true;
    const isForeignGraph = typeof subgraph?.ref === "object" && innerCodeOf(subgraph) === undefined;
    return actsThroughServices && !isForeignGraph;
  }

  async #execute(node: NodeDefinition, context: ExecutionContext): Promise<NodeResult | undefined> {
    if (node.type === "agent") this.#recorder.noteModel(context.taskId, context.model);
    try {
      return this.#finish(node, context, await node.execute(context));
    } catch (error) {
      if (!(error instanceof NothingDoneError)) throw error;
      this.#recorder.noteSource(context.taskId, "skipped");
      return undefined;
    }
  }

  #finish(
    node: NodeDefinition,
    { taskId }: Pick<ExecutionContext, "taskId">,
    result: NodeResult | undefined,
  ): NodeResult | undefined {
    const request = questionOf(result);
    if (request !== undefined) {
      const answer = chooseAnswer({ id: taskId, node, request }, this.#options.answers);
      this.#recorder.noteAnswer(taskId, answer.source);
      return { ...result, request: answerItself(request, answer) };
    }
    if (result?.enter !== undefined && isGraphCode(result.enter.code)) {
      return { ...result, enter: { ...result.enter, code: this.#rewriteInner(result.enter.code) } };
    }
    if (result?.goto !== undefined) this.#recorder.noteRoute(taskId, [result.goto].flat());
    return result;
  }
}

/** Looks tools up without calling them. @throws MissingServiceError, UnknownNameError */
async function findTools(uses: readonly NodeUse[], { services, nodeId }: ExecutionContext): Promise<undefined> {
  for (const use of uses)
    if (use.kind === "tool") await resolveNamed(services.tools, { kind: use.kind, name: use.name, nodeId });
}

/** The graph that a node contains, if it is one of Atomic's. */
function innerCodeOf({ ref }: NonNullable<NodeDefinition["subgraph"]>): GraphCode | undefined {
  return typeof ref === "object" && isGraphCode(ref.code) ? ref.code : undefined;
}

/** A node with some properties replaced. Methods are still called on the original: they may be those of a class. */
function replace(node: NodeDefinition, properties: Partial<NodeDefinition>): NodeDefinition {
  const methods: Partial<NodeDefinition> = {
    ...(node.title === undefined ? {} : { title: (...given) => node.title?.(...given) ?? node.id }),
    ...(node.applyAnswer === undefined ? {} : { applyAnswer: (...given) => node.applyAnswer?.(...given) }),
  };
  return Object.assign(Object.create(node), methods, properties);
}

/** The task store of a dry run without one: its task loops do nothing. */
const NO_TASKS: TaskStore = {
  update: () => Promise.reject(new NothingDoneError()),
  changed: () => Promise.reject(new NothingDoneError()),
};

/** The worktrees of a dry run: none are made. */
const NO_WORKTREES: WorktreeService = {
  open: async () => ({ workingDirectory: ".", branch: "planned", environment: {}, ports: [], warnings: [] }),
  commit: async () => ({}),
  merge: async () => ({ type: "unchanged", branch: "planned" }),
  close: async () => [],
};

/** The services of a dry run: the given agents, a shell that runs nothing, and only workflows that are graphs. */
export function createDryServices(options: PlanOptions): RunServices {
  const { clients, workflows, commands, services, runTools = false } = options;
  // The other defaults could have effects.
  const { tools, agents } = withDefaultServices();
  return {
    tasks: NO_TASKS,
    ...given({ tools, agents }),
    ...services,
    worktrees: NO_WORKTREES,
    ...(clients === undefined ? {} : { clients }),
    ...(workflows === undefined
      ? {}
      : {
          workflows: async (name, wanted) => {
            const found = await workflows(name, wanted);
            if (!runTools && found !== null && !isGraphCode(found.code)) throw new NothingDoneError();
            return found;
          },
        }),
    shell: async (command, { signal }) => {
      signal.throwIfAborted();
      const planned = typeof commands === "function" ? commands(command) : ownValue(commands, command);
      const nothing = { exitCode: 0, stdout: "", stderr: "", isTruncated: false, durationMs: 0 };
      return { command, ...nothing, ...planned };
    },
  };
}
