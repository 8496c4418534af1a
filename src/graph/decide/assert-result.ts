import { AtomicError, nearestName } from "../../contracts/index.ts";
import type { NodeResult } from "../model/node-definition.ts";
import { showValue } from "../options/show-value.ts";
import type { Task } from "./records/run-state.ts";

/** The keys that a node can return; typed so that it lists every field of the type. */
const KEYS: Readonly<Record<keyof NodeResult, true>> = {
  stateUpdate: true,
  goto: true,
  signals: true,
  isPassed: true,
  request: true,
  sleep: true,
  enter: true,
};

/** A node returned a value that is not a node's result and would be lost. */
export class InvalidResultError extends AtomicError {
  /** Another attempt would return the same. */
  readonly isRetryable = false;

  constructor(
    readonly nodeId: string,
    what: string,
    remedy: string,
  ) {
    super("NODE_RESULT_INVALID", `The node "${nodeId}" returned ${what}. ${remedy}`);
  }
}

/** Checks at run time what the compiler would: files that are run directly are not type-checked. @throws InvalidResultError */
export function assertResult({ node, thread }: Task, result: unknown): void {
  if (result === undefined || result === null) return;
  if (typeof result !== "object" || Array.isArray(result)) {
    const remedy = `A node returns nothing, or an object: { stateUpdate: { … } }. What a toolNode() returns is kept in outputs["${node.id}"].`;
    throw new InvalidResultError(node.id, showValue(result), remedy);
  }
  for (const [key, value] of Object.entries(result)) {
    if (value === undefined || Object.hasOwn(KEYS, key)) continue;
    const names = Object.keys(KEYS);
    const nearest = nearestName(key, names);
    const isField = thread.code.rules.reducers.has(key);
    const advice = isField
      ? `Fields of the state belong in stateUpdate: { stateUpdate: { ${key}: … } }.`
      : nearest === undefined
        ? `A node returns any of: ${names.join(", ")}.`
        : `Did you mean "${nearest}"?`;
    throw new InvalidResultError(node.id, `an object with the unknown key "${key}"`, advice);
  }
}
