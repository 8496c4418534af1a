import { AtomicError, listKnownNames, nearestName } from "../../contracts/index.ts";

/** Looks up values that nodes name. */
export interface NamedServices<Thing> {
  /** The implementation decides about case and aliases. */
  find(name: string): Thing | undefined | Promise<Thing | undefined>;
  /** All names, for the error about an unknown one. */
  names(): readonly string[];
}

/** The kinds of values that nodes look up by name; the run's service has the plural as its name. */
export type NamedKind = "agent" | "command" | "skill" | "tool";

/** A node names a tool, an agent, a skill or a command that the run does not have. */
export class UnknownNameError extends AtomicError {
  /** Another attempt would not find it either. */
  readonly isRetryable = false;
  /** The nearest known name. */
  readonly nearest: string | undefined;

  constructor(
    readonly kind: NamedKind,
    readonly missingName: string,
    readonly nodeId: string,
    readonly knownNames: readonly string[],
  ) {
    const nearest = nearestName(missingName, knownNames);
    const hint = nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
    super(
      "NAME_UNKNOWN",
      `The node "${nodeId}" needs the ${kind} "${missingName}", which does not exist.${hint} ${listKnownNames(kind, knownNames)}`,
    );
    this.nearest = nearest;
  }
}
