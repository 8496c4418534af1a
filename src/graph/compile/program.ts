import type { JsonObject, RunErrorInfo } from "../../contracts/index.ts";
import type { JoinStrategy } from "../model/join-strategy.ts";
import type { MapPlace } from "../model/map-place.ts";
import type { NodeDefinition } from "../model/node-definition.ts";
import type { NodeId } from "../model/node-id.ts";
import type { StateRecord } from "../state/state-update.ts";

/**
 * Combines the final states of the branches; the result is applied to the state at the fork. `failures` are those of
 * other branches, if the fork continues without them.
 */
export type MergeBranches = (
  results: ReadonlyMap<string, StateRecord>,
  state: StateRecord,
  failures: ReadonlyMap<string, RunErrorInfo>,
  place: MapPlace,
) => Readonly<Record<string, unknown>>;

/** Where a decision is made. */
export interface DecisionPlace extends MapPlace {
  /** The id of the thread, a prefix of the ids of its tasks. */
  readonly path: string;
}

/** What a map fans out over; receives a place when the number of branches is determined. */
export type MapItems = (state: StateRecord, place: DecisionPlace) => readonly unknown[];

/** A condition on the state. Must be pure. */
export type StateTest = (state: StateRecord, info: DecisionPlace & { readonly iteration: number }) => boolean;

/** A branch of a fork: its name and its first position. */
export interface ProgramBranch {
  readonly name: string;
  readonly startPc: number;
}

/**
 * A graph is compiled to a flat list; a `pc` is an index into it. An instruction refers only to positions in the same
 * list. The branches of a fork follow their `fork`, each ends with `branch-end`, and `joinPc` is after the last one.
 */
export type Instruction =
  | { readonly op: "task"; readonly id: NodeId; readonly node: NodeDefinition }
  | { readonly op: "jump"; readonly to: number }
  | { readonly op: "if"; readonly id: string; readonly condition: StateTest; readonly elsePc: number }
  | {
      readonly op: "loop";
      readonly id: string;
      readonly until: StateTest | undefined;
      readonly maxIterations: number;
      readonly failsAtLimit: boolean;
      /** The first position after the loop. */
      readonly exitPc: number;
    }
  | {
      readonly op: "fork";
      readonly id: string;
      readonly branches: readonly ProgramBranch[];
      readonly strategy: JoinStrategy;
      readonly merge: MergeBranches | undefined;
      readonly joinPc: number;
    }
  | {
      readonly op: "map";
      readonly id: string;
      /** The items, one branch for each. Must be pure. */
      readonly items: MapItems;
      /** The first position of the body, which all branches share. */
      readonly startPc: number;
      readonly strategy: JoinStrategy;
      readonly merge: MergeBranches | undefined;
      /** How many branches may run at the same time. */
      readonly concurrency: number;
      /** The body's node, if it is the only one: its outputs are collected without its name. */
      readonly bodyNodeId: NodeId | undefined;
      readonly joinPc: number;
    }
  | { readonly op: "branch-end" }
  | { readonly op: "end" };

/** The fork of a node whose `goto` names several nodes: each runs once, and the thread continues after the last. */
export interface GotoFork {
  readonly op: "goto";
  /** The node with the `goto`. */
  readonly id: NodeId;
  readonly branches: readonly ProgramBranch[];
  readonly strategy: JoinStrategy;
  readonly merge: MergeBranches | undefined;
  readonly joinPc: number;
}

/** The fork of a node that runs another graph: one branch, in the code of that graph. */
export interface SubgraphFork {
  readonly op: "subgraph";
  readonly id: NodeId;
  readonly node: NodeDefinition;
  /** The visit of the node. */
  readonly taskId: string;
  /** When it started, in milliseconds since 1970. */
  readonly startedAt: number;
  /** The workflow's name, if the node named one. */
  readonly name: string | undefined;
  /** The workflow's configuration, if the node set one. */
  readonly config: JsonObject | undefined;
  readonly strategy: "all";
  readonly merge: undefined;
  readonly joinPc: number;
}

/** The fork of a node that makes calls: each call is a branch in a graph of its own, while the node still runs. */
export interface CallsFork {
  readonly op: "calls";
  readonly id: NodeId;
  readonly node: NodeDefinition;
  readonly strategy: "settled";
  readonly merge: undefined;
  readonly joinPc: number;
}

/** An instruction that splits a thread into branches. */
export type ForkInstruction = Extract<Instruction, { op: "fork" | "map" }> | GotoFork | SubgraphFork | CallsFork;

/** The range of a program that a `.catch` covers. */
export interface CatchScope {
  readonly startPc: number;
  /** The first position after the range. */
  readonly endPc: number;
  readonly handlerPc: number;
  /** Codes of failures that are left to an outer handler. */
  readonly passesOn?: ReadonlySet<string>;
}

/** The range of a program in which a thread moves: a branch, or the whole program. */
export interface Region {
  readonly startPc: number;
  readonly endPc: number;
}

/** A compiled graph as the coordinator reads it. */
export interface Program {
  readonly instructions: readonly Instruction[];
  readonly catches: readonly CatchScope[];
  /** Positions of nodes, by id. */
  readonly pcOfNode: ReadonlyMap<NodeId, number>;
  /** Changes with the structure and the ids, but not with the code of the nodes. */
  readonly fingerprint: string;
}
