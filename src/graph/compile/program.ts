import type { JsonObject, RunErrorInfo } from "../../contracts/index.ts";
import type { JoinStrategy } from "../model/join-strategy.ts";
import type { MapPlace } from "../model/map-place.ts";
import type { NodeDefinition } from "../model/node-definition.ts";
import type { NodeId } from "../model/node-id.ts";
import type { StateRecord } from "../state/state-update.ts";

/**
 * Combines the states in which the branches ended; the result is applied to the state at the fork. It may look at why
 * others failed, where the fork goes on without them.
 */
export type MergeBranches = (
  results: ReadonlyMap<string, StateRecord>,
  state: StateRecord,
  failures: ReadonlyMap<string, RunErrorInfo>,
  place: MapPlace,
) => Readonly<Record<string, unknown>>;

/** Where a decision is taken. */
export interface DecisionPlace extends MapPlace {
  /** The id of the thread, which the ids of its tasks begin with. */
  readonly path: string;
}

/** What a map fans out over; with a place when it is decided how many branches there are. */
export type MapItems = (state: StateRecord, place: DecisionPlace) => readonly unknown[];

/** A question about the state. Must be pure. */
export type StateTest = (state: StateRecord, info: DecisionPlace & { readonly iteration: number }) => boolean;

/** A branch of a fork: its name and where its instructions begin. */
export interface ProgramBranch {
  readonly name: string;
  readonly startPc: number;
}

/**
 * A graph is compiled to a flat list; a position in it is a `pc`. Everything an instruction refers to lies in the same
 * list. Branches of a fork lie behind their `fork`, each closed by `branch-end`; `joinPc` is behind the last.
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
      /** The first position behind the loop. */
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
      /** What the branches are made of, one each. Must be pure. */
      readonly items: MapItems;
      /** Where the body begins, which all branches share. */
      readonly startPc: number;
      readonly strategy: JoinStrategy;
      readonly merge: MergeBranches | undefined;
      /** How many branches run at the same time. */
      readonly concurrency: number;
      /** The body's node, where it is a single one: its outputs are collected without its name. */
      readonly bodyNodeId: NodeId | undefined;
      readonly joinPc: number;
    }
  | { readonly op: "branch-end" }
  | { readonly op: "end" };

/** What a node makes that goes to several others at once: each runs once, and the thread goes on behind the last. */
export interface GotoFork {
  readonly op: "goto";
  /** The node that was left. */
  readonly id: NodeId;
  readonly branches: readonly ProgramBranch[];
  readonly strategy: JoinStrategy;
  readonly merge: MergeBranches | undefined;
  readonly joinPc: number;
}

/** What a node makes that runs another graph: a single branch, in the code of that graph. */
export interface SubgraphFork {
  readonly op: "subgraph";
  readonly id: NodeId;
  readonly node: NodeDefinition;
  /** The visit of the node. */
  readonly taskId: string;
  /** When it was begun, in milliseconds since 1970. */
  readonly startedAt: number;
  /** Of the workflow, where the node gave one. */
  readonly name: string | undefined;
  /** What that workflow was built with, where the node said so. */
  readonly config: JsonObject | undefined;
  readonly strategy: "all";
  readonly merge: undefined;
  readonly joinPc: number;
}

/** What splits a thread into branches. */
export type ForkInstruction = Extract<Instruction, { op: "fork" | "map" }> | GotoFork | SubgraphFork;

/** The stretch of a program that a `.catch` is responsible for. */
export interface CatchScope {
  readonly startPc: number;
  /** Behind the last covered position. */
  readonly endPc: number;
  readonly handlerPc: number;
  /** Codes of failures that it leaves to whoever is around it. */
  readonly passesOn?: ReadonlySet<string>;
}

/** The stretch of a program in which a thread moves: a branch, or all of it. */
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
  /** Changes with the structure and the ids, not with the code of the nodes. */
  readonly fingerprint: string;
}
