import type { CatchHandler, Chain, ChainBranch, ChainStep, WrittenStep } from "./compile/chain.ts";
import { compileChain } from "./compile/compile-chain.ts";
import { findMissingFields } from "./compile/find-missing-fields.ts";
import type { MapItems, MergeBranches, StateTest } from "./compile/program.ts";
import { findStepsProblem } from "./compile/steps-problem.ts";
import { CompiledGraph } from "./compiled-graph.ts";
import { GraphValidationError } from "./errors/errors.ts";
import type { GraphProblem } from "./errors/graph-problems.ts";
import {
  ID_OPTIONS,
  type IdConfig,
  LOOP_OPTIONS,
  type LoopConfig,
  MAP_ADVICE,
  MAP_OPTIONS,
  type MapConfig,
  PARALLEL_ADVICE,
  PARALLEL_OPTIONS,
  type ParallelConfig,
} from "./model/builder-config.ts";
import type { ExecutionContext } from "./model/execution-context.ts";
import { COMPILE_ADVICE, GRAPH_OPTIONS, type GraphConfig } from "./model/graph-config.ts";
import type { MapPlace } from "./model/map-place.ts";
import type { NodeDefinition, NodeResult } from "./model/node-definition.ts";
import type { NodeId } from "./model/node-id.ts";
import { gotoNode } from "./nodes/flow/goto-node.ts";
import { labelNode } from "./nodes/flow/label-node.ts";
import { type WaitConfig, waitNode } from "./nodes/people/wait-node.ts";
import { type NodeFactories, nodes } from "./nodes.ts";
import { type CallOptions, checkArguments, checkOptions } from "./options/check-call.ts";
import { isObject, someText } from "./options/option-checks.ts";
import { showValue } from "./options/show-value.ts";
import type { BaseState, StateOf, StateSchema } from "./state/annotation.ts";
import { findStateProblems } from "./state/state-problems.ts";

/** Where a builder method takes several nodes: one node, a list run in order, or an uncompiled graph. */
export type Steps<State extends BaseState, Item = unknown> =
  | NodeDefinition<State, Item>
  | readonly NodeDefinition<State, Item>[]
  | GraphBuilder<State>;

/** A chain that is still being built. */
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

/** Builds a graph step by step. Created by {@link graph}; methods change the builder and return it. */
export class GraphBuilder<State extends BaseState> {
  readonly #schema: StateSchema | undefined;
  readonly #root: OpenChain = { steps: [] };
  readonly #openIfs: OpenIf[] = [];
  /** Problems found while building; `compile()` reports them with all others. */
  readonly #problems: GraphProblem[] = [];
  /** Created by the last called method. That is cheap as long as nobody reads its stack. */
  #call = new Error("The graph was begun here");
  #isEnded = false;
  /** Where the graph was started, for the error of `compile()`. */
  readonly #origin = new Error("The graph was begun here");

  constructor(schema?: StateSchema) {
    this.#schema = schema;
  }

  /** The first step. */
  start(first: Steps<State>): this;
  start(...steps: readonly Steps<State>[]): this {
    this.#call = new Error("Called here");
    if (this.#root.steps.length > 0) this.#report("start() was called after other steps; call it first and once");
    return this.#append("start", steps);
  }

  /** The next step; directly after `if()` or `else()`, the first step of that branch. */
  then(next: Steps<State>): this;
  then(...steps: readonly Steps<State>[]): this {
    this.#call = new Error("Called here");
    if (this.#root.steps.length === 0 && this.#openIfs.length === 0) {
      this.#report("then() was called before start(); begin the graph with start()");
    }
    return this.#append("then", steps);
  }

  /** Starts a branch that is taken if the condition is true. Close it with `endif()`. */
  if(condition: (state: Readonly<State>, place: MapPlace) => boolean, options: IdConfig = {}): this {
    this.#call = new Error("Called here");
    const { id } = this.#check("if", options, { table: ID_OPTIONS });
    if (typeof condition !== "function") {
      this.#report(`if() was given ${showValue(condition)}; give it a function of the state`);
    }
    // The casts of tests and merges in this file are true: a graph only ever runs with states of its own type.
    this.#openIfs.push({
      origin: this.#call,
      condition: condition as StateTest,
      id,
      then: { steps: [] },
      otherwise: undefined,
    });
    return this;
  }

  /** Starts the branch that is taken if the condition of the open `if()` is false. */
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

  /** Repeats steps until a condition is true. */
  loop(body: Steps<State>, config: LoopConfig<State>): this {
    this.#call = new Error("Called here");
    const { id, until, maxIterations, onMaxIterations } = this.#check("loop", config ?? {}, { table: LOOP_OPTIONS });
    // A loop with an invalid `until` is not also reported as endless.
    const test = (until ?? config?.until) as StateTest | undefined;
    const chain = this.#chainOf("loop", body);
    return this.#push({ kind: "loop", id, body: chain, until: test, maxIterations, onMaxIterations });
  }

  /** Runs branches in parallel, each on its own copy of the state, and joins them in order. */
  parallel<Update = unknown>(branches: readonly Steps<State>[], config: ParallelConfig<State, Update> = {}): this {
    this.#call = new Error("Called here");
    const about = { table: PARALLEL_OPTIONS, advice: PARALLEL_ADVICE };
    const { id, strategy = "all", names, merge } = this.#check("parallel", config, about);
    if (!Array.isArray(branches)) {
      return this.#pushProblem(`parallel() was given ${showValue(branches)}; give it a list of branches`);
    }
    if (names !== undefined && names.length !== branches.length) {
      this.#report(`parallel() has ${branches.length} branches but ${names.length} names`);
    }
    const chains = branches.map(
      (branch, index): ChainBranch => ({ name: names?.[index], chain: this.#chainOf("parallel", branch) }),
    );
    return this.#push({
      kind: "parallel",
      id,
      branches: chains,
      strategy,
      merge: merge as MergeBranches | undefined,
    });
  }

  /**
   * Runs the same steps once per item of a list, in parallel. Nodes read `ctx.item` and `ctx.index`, and those of an outer
   * map in `ctx.outer`; conditions and mappers receive the same. Branches are joined in the order of the list. Results of
   * nodes without a mapper become the list `outputs[id]`. If `body` is a function, it receives factories that know the type
   * of `ctx.item`; other factories know it only if the parameter of `items` has a type.
   *
   * ```ts
   * .map((state) => state.files, agentNode({ id: "review", buildMessage: (_state, { item }) => `Review ${item}` }), { concurrency: 3 })
   * ```
   */
  map<Item, Update = unknown>(
    items: (state: Readonly<State>, place: MapPlace) => readonly Item[],
    body: Steps<State, NoInfer<Item>> | ((nodes: NodeFactories<State, Item>) => Steps<State, NoInfer<Item>>),
    config: MapConfig<State, Update> = {},
  ): this {
    this.#call = new Error("Called here");
    const about = { table: MAP_OPTIONS, advice: MAP_ADVICE };
    const { id, strategy = "all", concurrency, ...checked } = this.#check("map", config, about);
    const merge = checked.merge as MergeBranches | undefined;
    const steps = typeof body === "function" ? body(nodes<State, Item>()) : body;
    const chain = this.#chainOf("map", steps);
    return this.#push({ kind: "map", id, items: items as MapItems, body: chain, strategy, merge, concurrency });
  }

  /** Pauses until a person answers. The run continues after any answer, `no` too; an `.if` can read it in `outputs`. */
  wait<Update = unknown>(config?: string | (WaitConfig<State, unknown, Update> & IdConfig)): this;
  wait(...given: readonly (string | (WaitConfig<State> & IdConfig))[]): this {
    this.#call = new Error("Called here");
    const problem = checkArguments("wait", given, { atMost: 1, remedy: "write wait({ prompt, … })" });
    if (problem !== undefined) return this.#pushProblem(problem);
    const [config = {}] = given;
    const settings = typeof config === "string" ? { prompt: config } : config;
    if (!isObject(settings)) {
      return this.#pushProblem(
        `wait() was given ${showValue(settings)}; give it a question, or an object with options`,
      );
    }
    // The cast is true as for tests and merges.
    const make = (id: string): NodeDefinition => waitNode({ ...(settings as WaitConfig), id });
    return this.#push({ kind: "made", base: "wait", id: "id" in settings ? settings.id : undefined, make });
  }

  /** Continues at a node of the same branch, by its id, earlier or later. */
  goto(target: NodeId, options: IdConfig = {}): this {
    this.#call = new Error("Called here");
    const { id: given } = this.#check("goto", options, { table: ID_OPTIONS });
    if (!someText.accepts(target)) {
      return this.#pushProblem(`goto() was given ${showValue(target)}; give it the id of a node`);
    }
    return this.#push({ kind: "made", base: "goto", id: given, make: (id) => gotoNode(id, target) });
  }

  /** Names this point of a run. `history()` lists it, and `fork()` can start from it. */
  label(label: string, options: IdConfig = {}): this {
    this.#call = new Error("Called here");
    const { id: given } = this.#check("label", options, { table: ID_OPTIONS });
    if (!someText.accepts(label)) {
      return this.#pushProblem(`label() was given ${showValue(label)}; give it a text that is not empty`);
    }
    return this.#push({ kind: "made", base: "label", id: given, make: (id) => labelNode(id, label) });
  }

  /**
   * Handles failures, after their retries, of everything before it in the same chain (a branch, a loop's body, the whole
   * graph), like the `catch` of a promise. The run continues after it. A handler that throws passes the failure on.
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
    if (typeof handler !== "function" && !isObject(handler)) {
      return this.#pushProblem(`catch() was given ${showValue(handler)}; give it a function or a node`);
    }
    return this.#push({ kind: "catch", handler: handler as NodeDefinition | CatchHandler });
  }

  /** The graph ends here. */
  end(): this;
  end(...given: readonly unknown[]): this {
    this.#call = new Error("Called here");
    const problem = checkArguments("end", given, { atMost: 0, remedy: "the graph ends where end() stands" });
    if (problem !== undefined) this.#report(problem);
    this.#isEnded = true;
    return this;
  }

  /**
   * Checks the graph and compiles it.
   *
   * @throws GraphValidationError listing every problem found
   */
  compile<Output = unknown>(config: GraphConfig<State, Output> = {}): CompiledGraph<State, Output> {
    const problems = [...this.#problems];
    // The caller of compile() may not be on the stack: it is often a tail call. The previous method is next to it.
    for (const text of checkOptions("compile", config, { table: GRAPH_OPTIONS, advice: COMPILE_ADVICE }).problems) {
      problems.push({ text, origin: this.#call });
    }
    problems.push(...findStateProblems(this.#schema));
    const add = (text: string, origin?: Error): number => problems.push({ text, origin });
    if (this.#openIfs.length > 0) add(`${this.#openIfs.length} if() without endif()`, this.#openIfs[0]?.origin);
    const root = this.#closedRoot();
    if (!this.#isEnded) add("the graph has no end; finish it with end()");
    if (root.steps.length === 0) add("the graph has no steps; begin with start(node)");
    const program = compileChain(root, problems);
    // A node that was made of nothing would need fields, too.
    if (problems.length === 0) problems.push(...findMissingFields(program, this.#schema));
    if (problems.length > 0) throw new GraphValidationError(problems, this.#origin);
    return new CompiledGraph<State, Output>(program, this.#schema, config);
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

  #append(method: "start" | "then", given: readonly Steps<State>[]): this {
    const [steps] = given;
    const remedy = `give it a list of nodes: ${method}([first, second])`;
    const problem = checkArguments(method, given, { atMost: 1, remedy });
    if (problem !== undefined) return this.#pushProblem(problem);
    // The cast is true: without an argument it is undefined, which is not a step.
    const chain = this.#chainOf(method, steps as Steps<State>);
    if (chain.steps.length === 0) return this.#pushProblem(`${method}() was given no steps; give it at least one node`);
    for (const step of chain.steps) this.#push(step);
    return this;
  }

  /** The valid options of a method. Reports the others. */
  #check<Config extends object>(method: string, config: Config, about: CallOptions): Config {
    const checked = checkOptions(method, config, about);
    for (const problem of checked.problems) this.#report(problem);
    return checked.config;
  }

  /** Adds a step that stands for a problem, so that its absence causes no further problems. */
  #pushProblem(text: string): this {
    return this.#push({ kind: "problem", text });
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

  #chainOf(method: string, steps: Steps<State>): Chain {
    const origin = this.#call;
    if (steps instanceof GraphBuilder) {
      if (steps === this) {
        const text = "a graph contains itself; build the repeated part as a graph of its own";
        return { steps: [{ kind: "problem", text, origin }] };
      }
      if (steps.#openIfs.length > 0) this.#report("a graph used as a branch has an if() without endif()");
      this.#problems.push(...steps.#problems);
      return steps.#root;
    }
    const problem = findStepsProblem(steps);
    if (problem !== undefined) return { steps: [{ kind: "problem", text: `${method}() ${problem}`, origin }] };
    const nodes = Array.isArray(steps) ? steps : [steps];
    return { steps: nodes.map((node) => ({ kind: "node", node: node as NodeDefinition, origin })) };
  }
}

/**
 * Starts a graph. With a schema, fields are declared and combined by their reducers. Without one, any field is allowed and
 * each update replaces it (`outputs` is merged).
 *
 * ```ts
 * const State = defineState({ count: annotation(0) });
 * const counter = graph(State)
 *   .start(toolNode({ id: "add", execute: () => 1, outputMapper: (n, s) => ({ count: s.count + n }) }))
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
