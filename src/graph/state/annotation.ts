import type { SandboxConfig } from "../../contracts/index.ts";
import { InvalidOptionsError } from "../options/check-call.ts";
import { showValue } from "../options/show-value.ts";
import { assertInput } from "./reducer-input.ts";

/** Combines a field's current value with an update. Must be pure: it runs again when a run is resumed. */
export type Reducer<Value, Update = Value> = (current: Value, update: Update) => Value;

/** A field of the state: its initial value and how it combines with updates. */
export interface Annotation<Value, Update = Value> {
  /** The initial value, or a function that returns it for each run. */
  readonly default: Value | (() => Value);
  /** Absent means that an update replaces the value. */
  readonly reducer?: Reducer<Value, Update>;
}

/** The fields that every run's state has. */
export interface BaseState {
  /** The identifier of the run. */
  readonly executionId: string;
  /** When the last node finished. */
  readonly lastUpdated: Date;
  /** Results of nodes without an `outputMapper`, by node id. Updates are merged. */
  readonly outputs: Readonly<Record<string, unknown>>;
  /** Agents' sessions that continue across nodes, by name; `null` for an abandoned one. Updates are merged. */
  readonly agentSessions?: Readonly<Record<string, AgentSessionRef | null>>;
}

/** An agent's session that continues across nodes: everything needed to reopen it, even after a restart. */
export interface AgentSessionRef {
  readonly sessionId: string;
  readonly agentType: string;
  /** The agent that the node requested; absent if the node left the choice to the run. */
  readonly requestedType?: string;
  readonly model?: string;
  readonly workingDirectory?: string;
  /** The sandbox that the node requested. */
  readonly sandbox?: SandboxConfig;
  /** The run it belongs to. */
  readonly runId: string;
}

// biome-ignore lint/suspicious/noExplicitAny: a schema holds fields of every type; only `any` is assignable both ways.
type AnyAnnotation = Annotation<any, any>;

/** The author's fields by name. */
export type StateFields = Readonly<Record<string, AnyAnnotation>>;

/** A state definition made by {@link defineState}. */
export interface StateSchema<Fields extends StateFields = StateFields> {
  readonly fields: Fields;
  /** Created where the state was defined, for errors of `compile()`. */
  readonly origin?: Error;
}

/** The state's type: the author's fields and {@link BaseState}. */
export type StateOf<Schema> =
  Schema extends StateSchema<infer Fields>
    ? BaseState & {
        readonly [Name in keyof Fields]: Fields[Name] extends Annotation<infer Value, infer _> ? Value : never;
      }
    : never;

/** Fields to change. Not used to infer the state's type: the graph around the node, or a type argument, determines it. */
export type StateUpdate<State> = NoInfer<Partial<State>>;

/** A {@link StateUpdate} of the inferred type `Update`, without fields that the state does not have. */
export type ExactUpdate<State, Update> = StateUpdate<State> &
  Update &
  // No mapped type unless needed: it would prevent the compiler from inferring literal types.
  ([Exclude<keyof Update, keyof State>] extends [never]
    ? unknown
    : { readonly [Field in Exclude<keyof Update, keyof State>]: never });

/** Alias of {@link StateOf}, for a bare record of annotations. */
export type StateFromAnnotation<Fields extends StateFields> = StateOf<StateSchema<Fields>>;

/**
 * Declares a field of the state.
 *
 * ```ts
 * annotation("");                                  // replaced by each update
 * annotation<string[]>([], Reducers.concat);       // each update is appended
 * annotation({ default: 0, reducer: Reducers.sum }); // the same, as one object
 * ```
 */
export function annotation<Value, Update = Value>(config: Annotation<Value, Update>): Annotation<Value, Update>;
export function annotation<Value, Update = Value>(
  initial: Value | (() => Value),
  reducer?: Reducer<Value, Update>,
): Annotation<Value, Update>;
export function annotation(...args: readonly unknown[]): AnyAnnotation {
  const [first, reducer] = args;
  // The cast is true: isAnnotationConfig has checked the shape.
  if (args.length === 1 && isAnnotationConfig(first)) return first as AnyAnnotation;
  // The cast is true: the overloads accept only a reducer.
  return reducer === undefined ? { default: first } : { default: first, reducer: reducer as Reducer<unknown> };
}

function isAnnotationConfig(value: unknown): boolean {
  if (typeof value !== "object" || value === null || !("default" in value)) return false;
  return Object.keys(value).every((key) => key === "default" || key === "reducer");
}

/**
 * Declares the state of a graph.
 *
 * ```ts
 * const State = defineState({ topic: annotation(""), findings: annotation<string[]>([], Reducers.concat) });
 * type State = StateOf<typeof State>;
 * ```
 */
export function defineState<const Fields extends StateFields>(fields: Fields): StateSchema<Fields> {
  // Not enumerable, so it does not appear when the schema is printed.
  return Object.defineProperty({ fields }, "origin", { value: new Error("Defined here") });
}

/** Common ways to combine a value with an update. They throw a `TypeError` for values of other types. */
export const Reducers = {
  /** The update wins. */
  replace: <T>(_current: T, update: T): T => update,
  /** Appends a list. */
  concat: <T>(current: T[], update: readonly T[]): T[] => {
    assertInput("concat", "list", current, update);
    return [...current, ...update];
  },
  /** Sets the given keys of an object. */
  merge: <T extends object>(current: T, update: Partial<T>): T => {
    assertInput("merge", "fields", current, update);
    return { ...current, ...update };
  },
  /** Replaces list items that have the same value in `field`, appends the others. @throws InvalidOptionsError */
  mergeById: <T extends object>(field: keyof T): ((current: T[], update: readonly T[]) => T[]) => {
    if (typeof field === "object" || field === undefined) {
      const problem = `it was given ${showValue(field)}; give it the name of the field that identifies items`;
      throw new InvalidOptionsError("Reducers.mergeById", [problem]);
    }
    return (current, update) => {
      assertInput("mergeById", "items", current, update);
      const byId = new Map(current.map((item) => [item[field], item]));
      for (const item of update) byId.set(item[field], item);
      return [...byId.values()];
    };
  },
  /** The larger number. */
  max: (current: number, update: number): number => {
    assertInput("max", "number", current, update);
    return Math.max(current, update);
  },
  /** The smaller number. */
  min: (current: number, update: number): number => {
    assertInput("min", "number", current, update);
    return Math.min(current, update);
  },
  /** Adds. */
  sum: (current: number, update: number): number => {
    assertInput("sum", "number", current, update);
    return current + update;
  },
  /** True after any true update. */
  or: (current: boolean, update: boolean): boolean => {
    assertInput("or", "boolean", current, update);
    return current || update;
  },
  /** False after any false update. */
  and: (current: boolean, update: boolean): boolean => {
    assertInput("and", "boolean", current, update);
    return current && update;
  },
  /** The update wins unless it is `undefined` or `null`. */
  ifDefined: <T>(current: T, update: T | undefined | null): T => update ?? current,
} as const;
