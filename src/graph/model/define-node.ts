import {
  type AnyOptionTable,
  findOptionProblems,
  type OptionAdvice,
  type OptionTable,
} from "../options/find-option-problems.ts";
import { isObject } from "../options/option-checks.ts";
import { articleOf, showValue } from "../options/show-value.ts";
import type { BaseState } from "../state/annotation.ts";
import type { NodeDefinition } from "./node-definition.ts";

/** Describes a function that creates nodes. */
export interface NodeFactory<Config> {
  /** The function's name. */
  readonly name: string;
  readonly options: OptionTable<Config>;
  readonly advice?: OptionAdvice;
  /** Options of another form of the config, which the list of options includes. @default none */
  readonly others?: readonly string[];
  /** Additional advice for callers who pass the id as a first argument. */
  readonly positionalAdvice?: string;
}

type AnyNodeFactory = Omit<NodeFactory<object>, "options"> & { readonly options: AnyOptionTable };

/**
 * Creates a node from its config. Workflow files are not type-checked when they run, so each invalid option becomes one of
 * the node's `problems`, which `compile()` reports, and is removed from the config. `make` must therefore cope with missing
 * required options.
 */
export function defineNode<Config extends object, State extends BaseState, Item>(
  factory: AnyNodeFactory,
  given: Config,
  make: (config: Config) => NodeDefinition<State, Item>,
): NodeDefinition<State, Item> {
  const { config, problems } = checkConfig(factory, given);
  const node = make(config);
  if (problems.length === 0) return node;
  const { targets, leavesByRoute, ...kept } = node;
  // The targets of a node with invalid routes are unknown: it may go anywhere, so no later node counts as unreachable.
  const isLost = leavesByRoute && targets?.length === 0;
  return {
    ...kept,
    ...(isLost || targets === undefined ? {} : { targets }),
    ...(isLost || leavesByRoute === undefined ? {} : { leavesByRoute }),
    // The name of a node without an id.
    ...(kept.id ? {} : { name: `${articleOf(factory.name)} ${factory.name}` }),
    problems: [...new Set([...problems, ...(node.problems ?? [])])],
  };
}

function checkConfig<Config extends object>(
  { name, options, advice = {}, others = [], positionalAdvice }: AnyNodeFactory,
  given: Config,
): { readonly config: Config; readonly problems: readonly string[] } {
  if (!isObject(given)) {
    // The casts are untrue only for missing required options, which `make` must cope with.
    const id: unknown = given;
    if (typeof id !== "string" || id === "") {
      return { config: {} as Config, problems: [`was given ${showValue(id)} instead of an object with its options`] };
    }
    const hint = positionalAdvice === undefined ? "" : `; ${positionalAdvice}`;
    const call = `${name}(${JSON.stringify(id)}, …)`;
    const problem = `was made by ${call}, but ${name}() takes one object: ${name}({ id: ${JSON.stringify(id)}, … })${hint}`;
    return { config: { id } as unknown as Config, problems: [problem] };
  }
  const found = findOptionProblems(options, given, { advice, others });
  if (found.length === 0) return { config: given, problems: [] };
  const wrong = new Set(found.map((problem) => problem.name));
  // The cast is true except for missing required options, as above.
  const config = Object.fromEntries(Object.entries(given).filter(([option]) => !wrong.has(option))) as Config;
  return { config, problems: found.map((problem) => problem.text) };
}
