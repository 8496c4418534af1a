import type { ExecutionContext } from "../model/execution-context.ts";
import type { JoinStrategy } from "../model/join-strategy.ts";
import type { NodeDefinition, NodeResult } from "../model/node-definition.ts";
import type { MapItems, MergeBranches, StateTest } from "./program.ts";

/** Handles a failure of what stands before it in its chain. */
export type CatchHandler = (
  error: Error,
  context: ExecutionContext,
) => NodeResult | undefined | Promise<NodeResult | undefined>;

/** What an author wrote, as a tree; `compile()` flattens it to a program. Absent ids are given by `compile()`. */
export interface Chain {
  readonly steps: readonly WrittenStep[];
}

/** A link of a {@link Chain}, with an error made in the method that added it; parts of a node have none of their own. */
export type WrittenStep = ChainStep & { readonly origin?: Error };

/** What a link of a {@link Chain} is. */
export type ChainStep =
  /** What somebody gave that is no step; a whole sentence. */
  | { readonly kind: "problem"; readonly text: string }
  | { readonly kind: "node"; readonly node: NodeDefinition }
  /** A node that is made when its id is known: the given one, else `base` and a number. */
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
      /** Codes of failures that are not taken. */
      readonly passesOn?: ReadonlySet<string>;
    };

/** A branch as written; its name is the id of its first node unless the author gave one. */
export interface ChainBranch {
  readonly name: string | undefined;
  readonly chain: Chain;
}
