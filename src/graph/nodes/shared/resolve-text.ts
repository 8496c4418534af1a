import { AtomicError } from "../../../contracts/index.ts";
import type { MessageBuilder } from "../../model/agent-settings.ts";
import type { ExecutionContext } from "../../model/execution-context.ts";
import { showValue } from "../../options/show-value.ts";
import type { BaseState } from "../../state/annotation.ts";

/** A function of the workflow's returned something other than the text that a node needs. */
export class NotATextError extends AtomicError {
  /** Another attempt would return the same. */
  readonly isRetryable = false;

  constructor(
    readonly nodeId: string,
    readonly option: string,
    value: unknown,
  ) {
    const returned = value instanceof Promise ? "a promise" : showValue(value);
    super(
      "NOT_A_TEXT",
      `The function "${option}" of the node "${nodeId}" returned ${returned}. It must return a text: look for a misspelled field of the state.`,
    );
  }
}

/**
 * A text that a node was given, or what its function returns. Files that are run directly are not type-checked, and an agent
 * would work on whatever `undefined` means to it.
 *
 * @param option the name of the option, for the error
 * @throws NotATextError
 */
export function resolveText<State extends BaseState, Item>(
  text: MessageBuilder<State, Item>,
  context: ExecutionContext<State, Item>,
  option: string,
): string {
  const value: unknown = typeof text === "function" ? text(context.state, context) : text;
  if (typeof value !== "string") throw new NotATextError(context.nodeId, option, value);
  return value;
}
