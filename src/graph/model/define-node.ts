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

/** What is known of a function that makes nodes. */
export interface NodeFactory<Config> {
  /** The function's name. */
  readonly name: string;
  readonly options: OptionTable<Config>;
  readonly advice?: OptionAdvice;
  /** What else to tell those who call it with an id first. */
  readonly positionalAdvice?: string;
}

type AnyNodeFactory = Omit<NodeFactory<object>, "options"> & { readonly options: AnyOptionTable };

/**
 * Makes a node of its config. Workflow files are not type-checked when they run: whatever is wrong with the config is one of
 * the node's `problems`, which `compile()` reports, and is left out of what `make` is given. `make` has to do without
 * required options then.
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
  // Nobody knows where it leads when its routes are wrong, so that nothing behind it counts as out of reach.
  const isLost = leavesByRoute && targets?.length === 0;
  return {
    ...kept,
    ...(isLost || targets === undefined ? {} : { targets }),
    ...(isLost || leavesByRoute === undefined ? {} : { leavesByRoute }),
    // What a node without an id is called.
    ...(kept.id ? {} : { name: `${articleOf(factory.name)} ${factory.name}` }),
    problems: [...new Set([...problems, ...(node.problems ?? [])])],
  };
}

function checkConfig<Config extends object>(
  { name, options, advice = {}, positionalAdvice }: AnyNodeFactory,
  given: Config,
): { readonly config: Config; readonly problems: readonly string[] } {
  if (!isObject(given)) {
    // The casts are lies that end here: `make` is told that it has to do without required options.
    const id: unknown = given;
    if (typeof id !== "string" || id === "") {
      return { config: {} as Config, problems: [`was given ${showValue(id)} instead of an object with its options`] };
    }
    const hint = positionalAdvice === undefined ? "" : `; ${positionalAdvice}`;
    const call = `${name}(${JSON.stringify(id)}, …)`;
    const problem = `was made by ${call}, but ${name}() takes one object: ${name}({ id: ${JSON.stringify(id)}, … })${hint}`;
    return { config: { id } as unknown as Config, problems: [problem] };
  }
  const found = findOptionProblems(options, given, { advice });
  if (found.length === 0) return { config: given, problems: [] };
  const wrong = new Set(found.map((problem) => problem.name));
  // The cast is true but for required options, as above.
  const config = Object.fromEntries(Object.entries(given).filter(([option]) => !wrong.has(option))) as Config;
  return { config, problems: found.map((problem) => problem.text) };
}
