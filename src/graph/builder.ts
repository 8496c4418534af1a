import type { BaseState, StateOf, StateSchema } from "./annotation.ts";
import type { CatchHandler, Chain, ChainBranch, ChainStep, WrittenStep } from "./chain.ts";
import { compileChain } from "./compile-chain.ts";
import { CompiledGraph } from "./compiled-graph.ts";
import { GraphValidationError } from "./errors.ts";
import type { ExecutionContext } from "./execution-context.ts";
import type { GraphConfig } from "./graph-config.ts";
import type { GraphProblem } from "./graph-problems.ts";
import type { JoinStrategy } from "./join-strategy.ts";
import type { NodeDefinition, NodeResult } from "./node-definition.ts";
import type { NodeId } from "./node-id.ts";
import { gotoNode } from "./nodes/goto-node.ts";
import { labelNode } from "./nodes/label-node.ts";
import { type WaitConfig, waitNode } from "./nodes/wait-node.ts";
import type { MapItems, MergeBranches, StateTest } from "./program.ts";

/** Where a builder method takes several nodes: one node, a list run in order, or an uncompiled graph. */
export type Steps<State extends BaseState> =
  | NodeDefinition<State>
  | readonly NodeDefinition<State>[]
  | GraphBuilder<State>;

/** Settings of {@link GraphBuilder.loop}. At least one of `until` and `maxIterations` is required. */
export interface LoopConfig<State extends BaseState> {
  /** Asked before each iteration; the loop ends when it says true. Must be pure. */
  readonly until?: (state: Readonly<State>, info: { readonly iteration: number }) => boolean;
  /** How often the body runs at the most. @default 1_000, and reaching it is a failure */
  readonly maxIterations?: number;
  /** What happens at `maxIterations` while `until` is still false. @default "continue" when you set maxIterations */
  readonly onMaxIterations?: "continue" | "fail";
  /** @default loop_1, loop_2, … */
  readonly id?: string;
}

/** Settings of {@link GraphBuilder.parallel}. */
export interface ParallelConfig<State extends BaseState> {
  /**
   * `all`: every branch must succeed, the first failure cancels the rest. `race`: the first branch to end decides.
   * `any`: the first to succeed wins. `settled`: all end, failures are listed in `outputs[id]`.
   * @default "all"
   */
  readonly strategy?: JoinStrategy;
  /** Combines the branches' final states into one update, instead of the fields' reducers. Must be pure. */
  readonly merge?: (results: ReadonlyMap<string, Readonly<State>>, state: Readonly<State>) => Partial<State>;
  /** Names of the branches, in their order. @default the id of each branch's first node */
  readonly names?: readonly string[];
  /** @default parallel_1, parallel_2, … */
  readonly id?: string;
}

/** Settings of {@link GraphBuilder.map}. */
export interface MapConfig<State extends BaseState> {
  /** How many items are worked on at the same time; the run's `maxConcurrency` holds besides. @default all */
  readonly concurrency?: number;
  /** As in {@link ParallelConfig}. With `settled`, `outputs[id]` says how each item ended. @default "all" */
  readonly strategy?: JoinStrategy;
  /** Combines the branches' final states, by index, into one update, instead of the fields' reducers. Must be pure. */
  readonly merge?: (results: ReadonlyMap<string, Readonly<State>>, state: Readonly<State>) => Partial<State>;
  /** @default map_1, map_2, … */
  readonly id?: string;
}

/** A chain that is still being written. */
interface OpenChain {
  readonly steps: WrittenStep[];
}

interface OpenIf {
  readonly origin: Error;
  readonly condition: StateTest;
  readonly id: string | undefined;
  readonly then: OpenChain;
  otherwise: OpenChain | undefined;
}

/** Writes a graph down, step by step. Made by {@link graph}; methods change the builder and return it. */
export class GraphBuilder<State extends BaseState> {
  readonly #schema: StateSchema | undefined;
  readonly #root: OpenChain = { steps: [] };
  readonly #openIfs: OpenIf[] = [];
  /** Problems that only show while building; `compile()` reports them with all others. */
  readonly #problems: GraphProblem[] = [];
  /** Made in the method that was called last; that is cheap, as long as nobody reads its stack. */
  #call = new Error("The graph was begun here");
  #isEnded = false;
  /** Where the graph was begun, for the error of `compile()`. */
  readonly #origin = new Error("The graph was begun here");

  constructor(schema?: StateSchema) {
    this.#schema = schema;
  }

  /** The first step. */
  start(first: Steps<State>): this {
    this.#call = new Error("Called here");
    if (this.#root.steps.length > 0) this.#report("start() was called after other steps; call it first and once");
    return this.#append(first);
  }

  /** The next step; directly after `if()` or `else()` the first step of that branch. */
  then(next: Steps<State>): this {
    this.#call = new Error("Called here");
    if (this.#root.steps.length === 0 && this.#openIfs.length === 0) {
      this.#report("then() was called before start(); begin the graph with start()");
    }
    return this.#append(next);
  }

  /** Begins a branch that is taken when the condition holds. Close it with `endif()`. */
  if(condition: (state: Readonly<State>) => boolean, options: { readonly id?: string } = {}): this {
    this.#call = new Error("Called here");
    // The casts of tests and merges in this file are true: a graph only ever runs with states of its own type.
    this.#openIfs.push({
      origin: this.#call,
      condition: condition as StateTest,
      id: options.id,
      then: { steps: [] },
      otherwise: undefined,
    });
    return this;
  }

  /** Begins the branch that is taken when the condition of the open `if()` does not hold. */
  else(): this {
    this.#call = new Error("Called here");
    const open = this.#openIfs.at(-1);
    if (open === undefined) this.#report("else() without an open if()");
    else if (open.otherwise !== undefined) this.#report("a second else() for the same if()");
    else open.otherwise = { steps: [] };
    return this;
  }

  /** Closes the open `if()`. */
  endif(): this {
    this.#call = new Error("Called here");
    const open = this.#openIfs.pop();
    if (open === undefined) this.#report("endif() without an open if()");
    else {
      const { origin, id, condition, then, otherwise = { steps: [] } } = open;
      this.#push({ kind: "if", id, condition, then, otherwise, origin });
    }
    return this;
  }

  /** Repeats steps until a condition holds. */
  loop(body: Steps<State>, config: LoopConfig<State>): this {
    this.#call = new Error("Called here");
    const { id, until, maxIterations, onMaxIterations } = config;
    const test = until as StateTest | undefined;
    return this.#push({ kind: "loop", id, body: this.#chainOf(body), until: test, maxIterations, onMaxIterations });
  }

  /** Runs branches side by side, each on its own copy of the state, and joins them in their order. */
  parallel(branches: readonly Steps<State>[], config: ParallelConfig<State> = {}): this {
    this.#call = new Error("Called here");
    const { id, strategy = "all", names } = config;
    if (names !== undefined && names.length !== branches.length) {
      this.#report(`parallel() has ${branches.length} branches but ${names.length} names`);
    }
    const chains = branches.map(
      (branch, index): ChainBranch => ({ name: names?.[index], chain: this.#chainOf(branch) }),
    );
    return this.#push({
      kind: "parallel",
      id,
      branches: chains,
      strategy,
      merge: config.merge as MergeBranches | undefined,
    });
  }

  /**
   * Runs the same steps once for each item of a list, side by side. A node reads `ctx.item` and `ctx.index`. The branches
   * are joined in the order of the list; results of nodes without a mapper become the list `outputs[id]`.
   *
   * ```ts
   * .map((state) => state.files, agentNode({ id: "review", buildMessage: (_state, { item }) => `Review ${item}` }), { concurrency: 3 })
   * ```
   */
  map(items: (state: Readonly<State>) => readonly unknown[], body: Steps<State>, config: MapConfig<State> = {}): this {
    this.#call = new Error("Called here");
    const { id, strategy = "all", concurrency } = config;
    const merge = config.merge as MergeBranches | undefined;
    const chain = this.#chainOf(body);
    return this.#push({ kind: "map", id, items: items as MapItems, body: chain, strategy, merge, concurrency });
  }

  /** Pauses until a person answers. */
  wait(config: string | (WaitConfig<State> & { readonly id?: string }) = {}): this {
    this.#call = new Error("Called here");
    const settings = typeof config === "string" ? { prompt: config } : config;
    const given = "id" in settings ? settings.id : undefined;
    // The cast is true as for tests and merges.
    const make = (id: string): NodeDefinition => waitNode({ ...(settings as WaitConfig), id });
    return this.#push({ kind: "made", base: "wait", id: given, make });
  }

  /** Goes on at a node of the same branch, by its id, before or behind this place. */
  goto(target: NodeId, options: { readonly id?: string } = {}): this {
    this.#call = new Error("Called here");
    return this.#push({ kind: "made", base: "goto", id: options.id, make: (id) => gotoNode(id, target) });
  }

  /** Gives this moment of a run a name, which `history()` lists and `fork()` can depart from. */
  label(label: string, options: { readonly id?: string } = {}): this {
    this.#call = new Error("Called here");
    return this.#push({ kind: "made", base: "label", id: options.id, make: (id) => labelNode(id, label) });
  }

  /**
   * Takes failures, retries exhausted, of everything before it in the same chain (a branch, a loop's body, the whole
   * graph), as a promise's `catch` does. The run goes on behind it; a handler that throws passes the failure on.
   */
  catch(
    handler:
      | NodeDefinition<State>
      | ((
          error: Error,
          context: ExecutionContext<State>,
        ) => NodeResult<State> | undefined | Promise<NodeResult<State> | undefined>),
  ): this {
    this.#call = new Error("Called here");
    return this.#push({ kind: "catch", handler: handler as NodeDefinition | CatchHandler });
  }

  /** The graph ends here. */
  end(): this {
    this.#call = new Error("Called here");
    this.#isEnded = true;
    return this;
  }

  /**
   * Checks the graph and makes it runnable.
   *
   * @throws GraphValidationError listing every problem found
   */
  compile(config: GraphConfig = {}): CompiledGraph<State> {
    const problems = [...this.#problems];
    const add = (text: string, origin?: Error): number => problems.push({ text, origin });
    if (this.#openIfs.length > 0) add(`${this.#openIfs.length} if() without endif()`, this.#openIfs[0]?.origin);
    const root = this.#closedRoot();
    if (!this.#isEnded) add("the graph has no end; finish it with end()");
    if (root.steps.length === 0) add("the graph has no steps; begin with start(node)");
    const program = compileChain(root, problems);
    if (problems.length > 0) throw new GraphValidationError(problems, this.#origin);
    return new CompiledGraph<State>(program, this.#schema, config);
  }

  /** The graph as if every open if() were closed, so that what is inside is checked too. */
  #closedRoot(): Chain {
    if (this.#openIfs.length === 0) return this.#root;
    let inner: WrittenStep[] = [];
    for (const { origin, id, condition, then, otherwise = { steps: [] } } of this.#openIfs.toReversed()) {
      inner = [{ kind: "if", id, condition, then: { steps: [...then.steps, ...inner] }, otherwise, origin }];
    }
    return { steps: [...this.#root.steps, ...inner] };
  }

  #append(steps: Steps<State>): this {
    for (const step of this.#chainOf(steps).steps) this.#push(step);
    return this;
  }

  #report(text: string): void {
    this.#problems.push({ text, origin: this.#call });
  }

  #push({ origin = this.#call, ...step }: ChainStep & { readonly origin?: Error }): this {
    if (this.#isEnded) this.#report("a step was added after end(); end() comes last");
    const open = this.#openIfs.at(-1);
    (open?.otherwise ?? open?.then ?? this.#root).steps.push({ ...step, origin });
    return this;
  }

  #chainOf(steps: Steps<State>): Chain {
    if (steps instanceof GraphBuilder) {
      if (steps === this) {
        this.#report("a graph contains itself; build the repeated part as a graph of its own");
        return { steps: [] };
      }
      if (steps.#openIfs.length > 0) this.#report("a graph used as a branch has an if() without endif()");
      this.#problems.push(...steps.#problems);
      return steps.#root;
    }
    const nodes = "execute" in steps ? [steps] : steps;
    const origin = this.#call;
    return { steps: nodes.map((node) => ({ kind: "node", node: node as NodeDefinition, origin })) };
  }
}

/**
 * Begins a graph. With a schema, fields are declared and combined by their reducers; without one any field is allowed
 * and replaced by each update (`outputs` is merged).
 *
 * ```ts
 * const State = defineState({ count: annotation(0) });
 * const counter = graph(State)
 *   .start(toolNode<StateOf<typeof State>>({ id: "add", execute: () => 1, outputMapper: (n, s) => ({ count: s.count + n }) }))
 *   .end()
 *   .compile();
 * const { state } = await counter.run({});
 * ```
 */
export function graph<Schema extends StateSchema>(schema: Schema): GraphBuilder<StateOf<Schema>>;
export function graph<State extends BaseState>(): GraphBuilder<State>;
export function graph(schema?: StateSchema): GraphBuilder<BaseState> {
  return new GraphBuilder(schema);
}
