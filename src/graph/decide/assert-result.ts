import { AtomicError, nearestName } from "../../contracts/index.ts";
import { ignoreRejection, isPromise } from "../errors/promise-returned-error.ts";
import { findValueProblems } from "../options/find-option-problems.ts";
import { fields, type OptionCheck } from "../options/option-checks.ts";
import { showValue } from "../options/show-value.ts";
import type { StateChange } from "../state/state-update.ts";
import type { Task } from "./records/run-state.ts";
import { RESULT_CHECKS } from "./result-checks.ts";

/** A node returned a value that is not a node's result and would be lost. */
export class InvalidResultError extends AtomicError {
  /** Another attempt would return the same. */
  readonly isRetryable = false;

  constructor(
    readonly nodeId: string,
    what: string,
    remedy?: string,
  ) {
    super("NODE_RESULT_INVALID", `The node "${nodeId}" returned ${what}.${remedy === undefined ? "" : ` ${remedy}`}`);
  }
}

/** Checks at run time what the compiler would: files that are run directly are not type-checked. @throws InvalidResultError */
export function assertResult({ node, thread }: Task, result: unknown): void {
  if (result === undefined || result === null) return;
  if (!fields.accepts(result)) {
    const remedy = `A node returns nothing, or an object: { stateUpdate: { … } }. What a toolNode() returns is kept in outputs["${node.id}"].`;
    throw new InvalidResultError(node.id, showValue(result), remedy);
  }
  const checks: Readonly<Record<string, OptionCheck>> = RESULT_CHECKS;
  for (const [key, value] of Object.entries(result)) {
    if (value === undefined) continue;
    const check = Object.hasOwn(checks, key) ? checks[key] : undefined;
    if (check === undefined) throw unknownKey({ node, thread }, key);
    // Most nodes only return an update, and a list of problems costs time at every step.
    if (check.inside === undefined && check.accepts(value)) continue;
    const problems = findValueProblems(check, value, key);
    if (problems.length === 0) continue;
    ignoreRejection(value);
    throw new InvalidResultError(node.id, `a result that ${problems.join("; it ")}`);
  }
}

function unknownKey({ node, thread }: Pick<Task, "node" | "thread">, key: string): InvalidResultError {
  const names = Object.keys(RESULT_CHECKS);
  const nearest = nearestName(key, names);
  const isField = thread.code.rules.reducers.has(key);
  const advice = isField
    ? `Fields of the state belong in stateUpdate: { stateUpdate: { ${key}: … } }.`
    : nearest === undefined
      ? `A node returns any of: ${names.join(", ")}.`
      : `Did you mean "${nearest}"?`;
  return new InvalidResultError(node.id, `an object with the unknown key "${key}"`, advice);
}

/**
 * The fields that a function of the workflow's returned.
 *
 * @param nodeId the id of the step that the function belongs to
 * @param source the name of the function
 * @throws InvalidResultError
 */
export function takeFields(nodeId: string, value: unknown, source: string): StateChange {
  if (isPromise(value)) {
    ignoreRejection(value);
    const remedy = "A mapper cannot wait: wait in the node, or in a toolNode() after it.";
    throw new InvalidResultError(nodeId, `a promise from its ${source}`, remedy);
  }
  if (!fields.accepts(value)) {
    throw new InvalidResultError(
      nodeId,
      `${showValue(value)} from its ${source}`,
      `It must return ${fields.expected}.`,
    );
  }
  // The cast is true: it is an object, whatever its fields are.
  return value as StateChange;
}

/** The same for an update: nothing is none. @throws InvalidResultError */
export function takeUpdate(nodeId: string, value: unknown, source: string): StateChange | undefined {
  return value === undefined || value === null ? undefined : takeFields(nodeId, value, source);
}
