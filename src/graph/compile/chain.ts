import type { ExecutionContext } from "../model/execution-context.ts";
import type { JoinStrategy } from "../model/join-strategy.ts";
import type { NodeDefinition, NodeResult } from "../model/node-definition.ts";
import type { MapItems, MergeBranches, StateTest } from "./program.ts";

/** Handles a failure of the earlier steps of its chain. */
export type CatchHandler = (
  error: Error,
  context: ExecutionContext,
) => NodeResult | undefined | Promise<NodeResult | undefined>;

/** The author's steps as a tree, which `compile()` flattens to a program. `compile()` generates missing ids. */
export interface Chain {
  readonly steps: readonly WrittenStep[];
}

/** A link of a {@link Chain}, with an error made in the method that added it; parts of a node have none. */
export type WrittenStep = ChainStep & { readonly origin?: Error };

/** The kinds of links in a {@link Chain}. */
export type ChainStep =
  /** A value that is not a step; the text is a whole sentence. */
  | { readonly kind: "problem"; readonly text: string }
  | { readonly kind: "node"; readonly node: NodeDefinition }
  /** A node that is created when its id is known: the given id, or `base` and a number. */
  | {
      readonly kind: "made";
      readonly base: string;
      readonly id: string | undefined;
      readonly make: (id: string) => NodeDefinition;
    }
  | {
      readonly kind: "if";
      readonly id: string | undefined;
      readonly condition: StateTest;
      readonly then: Chain;
      readonly otherwise: Chain;
    }
  | {
      readonly kind: "loop";
      readonly id: string | undefined;
      readonly body: Chain;
      readonly until: StateTest | undefined;
      readonly maxIterations: number | undefined;
      readonly onMaxIterations: "continue" | "fail" | undefined;
    }
  | {
      readonly kind: "parallel";
      readonly id: string | undefined;
      readonly branches: readonly ChainBranch[];
      readonly strategy: JoinStrategy;
      readonly merge: MergeBranches | undefined;
    }
  | {
      readonly kind: "map";
      readonly id: string | undefined;
      readonly items: MapItems;
      readonly body: Chain;
      readonly strategy: JoinStrategy;
      readonly merge: MergeBranches | undefined;
      readonly concurrency: number | undefined;
    }
  | {
      readonly kind: "catch";
      readonly handler: NodeDefinition | CatchHandler;
      /** Codes of failures that the handler does not handle. */
      readonly passesOn?: ReadonlySet<string>;
    };

/** A branch as written. Its name is the author's, or the id of its first node. */
export interface ChainBranch {
  readonly name: string | undefined;
  readonly chain: Chain;
}
