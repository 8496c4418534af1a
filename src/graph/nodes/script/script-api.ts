import type { JsonObject } from "../../../contracts/index.ts";
import type { CommandResult } from "../../model/run-command.ts";
import type { ScriptEffort } from "./call-spec.ts";

/** Options of `agent()` in a script. */
export interface ScriptAgentOptions {
  /** What people see of the agent. @default the beginning of the prompt */
  readonly label?: string;
  /** The phase that it belongs to. @default that of the latest `phase()` */
  readonly phase?: string;
  /** A JSON Schema: the answer is an object that fits it, instead of text. */
  readonly schema?: JsonObject;
  /** @default the definition's, else the run's */
  readonly model?: string;
  /** How hard the model thinks, where the agent has that setting. @default the agent's own */
  readonly effort?: ScriptEffort | "xhigh";
  /** `"worktree"`: it works in a git worktree of its own, whose changes are merged when it has ended. */
  readonly isolation?: "worktree";
  /** The name of an agent's definition. @default the run's agent as it is */
  readonly agentType?: string;
}

/** Options of `shell()` in a script. */
export interface ScriptShellOptions {
  /** What people see of it. @default the command */
  readonly label?: string;
  /** @default the run's working directory */
  readonly workingDirectory?: string;
  /** Stop the command after this many milliseconds; `shell()` then throws. */
  readonly timeoutMs?: number;
}

/** An answer that a question of a script offers: its label, or the label with an explanation. */
export type ScriptAnswer = string | { readonly label: string; readonly description?: string };

/** Options of `ask()` in a script. */
export interface ScriptAskOptions {
  readonly header?: string;
  /** The answers to choose from. @default any text is valid */
  readonly options?: readonly ScriptAnswer[];
}

/** The run's budget as a script sees it, in tokens of all kinds together. */
export interface ScriptBudget {
  /** The run's `budget.maxTokens`; null without one. */
  readonly total: number | null;
  /** What the calls that have answered the script have spent. */
  spent(): number;
  /** What is left; `Infinity` without a total. */
  remaining(): number;
}

/** A stage of a pipeline: gets what the one before it returned (the first gets the item), the item, and its index. */
export type ScriptStage<Previous, Item, Result> = (
  previous: Previous,
  item: Item,
  index: number,
) => Result | Promise<Result>;

/** `pipeline()` of a script, with the types of up to four stages. */
export interface ScriptPipeline {
  <Item, A>(items: readonly Item[], first: ScriptStage<Item, Item, A>): Promise<(A | null)[]>;
  <Item, A, B>(
    items: readonly Item[],
    first: ScriptStage<Item, Item, A>,
    second: ScriptStage<A, Item, B>,
  ): Promise<(B | null)[]>;
  <Item, A, B, C>(
    items: readonly Item[],
    first: ScriptStage<Item, Item, A>,
    second: ScriptStage<A, Item, B>,
    third: ScriptStage<B, Item, C>,
  ): Promise<(C | null)[]>;
  <Item, A, B, C, D>(
    items: readonly Item[],
    first: ScriptStage<Item, Item, A>,
    second: ScriptStage<A, Item, B>,
    third: ScriptStage<B, Item, C>,
    fourth: ScriptStage<C, Item, D>,
  ): Promise<(D | null)[]>;
  <Item, Result = unknown>(
    items: readonly Item[],
    ...stages: readonly ScriptStage<never, Item, unknown>[]
  ): Promise<(Result | null)[]>;
}

/** What a script works with. The functions do not depend on `this`. */
export interface ScriptApi<Args = unknown> {
  /** The input: an object of the run's inputs, or the prompt when that is all there is. Undefined without any. */
  readonly args: Args;
  readonly budget: ScriptBudget;
  /**
   * Has an agent do something. Resolves to its final text, or with `schema` to the object; to null when the agent failed after
   * its retries, or was skipped.
   */
  agent<Answer = string>(prompt: string, options?: ScriptAgentOptions): Promise<Answer | null>;
  /** Runs functions at the same time and waits for all. The result of one that throws is null. */
  parallel<Result>(works: readonly (() => Result | Promise<Result>)[]): Promise<(Result | null)[]>;
  /**
   * Sends each item through the stages, as fast as it can, without waiting for the other items. A stage gets what the stage
   * before it returned, the item, and its index. The result of an item whose stage throws is null.
   */
  readonly pipeline: ScriptPipeline;
  /** Names the phase of the agents that follow, in this branch. */
  phase(name: string): void;
  /** Prints a line in the run's progress and log. */
  log(message: string): void;
  /** Runs a command and returns its exit code and output. */
  shell(command: string, options?: ScriptShellOptions): Promise<CommandResult>;
  /**
   * Asks a person, and waits for the answer, for days if necessary. A list in place of the options is the answers to choose
   * from.
   */
  ask(question: string, options?: ScriptAskOptions | readonly ScriptAnswer[]): Promise<string>;
  /** Runs another workflow or script, and returns its output. Throws when that fails. */
  workflow<Output = unknown>(name: string, args?: unknown): Promise<Output>;
}
