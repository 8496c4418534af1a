import { given } from "../errors/given.ts";
import type { Checkpointer } from "../model/checkpointer.ts";
import type { SteeringCommand } from "../model/steering-command.ts";
import type { StateChange } from "../state/state-update.ts";
import type { ControlRunOptions } from "./send-command.ts";
import { sendCommand } from "./send-command.ts";
import { ControlInUseError, RunNotExecutedError } from "./steering-errors.ts";

/** Sends a command to the process that executes a run. Resolves when it has taken effect. */
export type SendCommand = (command: SteeringCommand) => Promise<void>;

/**
 * Steers a run while it is executed (E12). `node` is the id of a node in progress, or the `taskId` of one of its visits.
 * Each method resolves when the command has taken effect and is in the journal. If the node's code is running, its
 * `ctx.signal` is aborted first.
 */
export interface SteerableRun {
  /** Fails the node with a `NodeCancelledError`, without a retry. A `.catch` can handle it. */
  cancelNode(node: string): Promise<void>;
  /** Continues the run after the node, as if the node had returned this update. */
  skipNode(node: string, update?: StateChange): Promise<void>;
  /** Restarts the node at once, with all its attempts. */
  retryNode(node: string): Promise<void>;
  /**
   * Answers an open question, by its id or the node that asks it, while other branches continue (E6).
   *
   * @throws UnknownRequestError, InvalidAnswerError, UnusableAnswerError
   */
  answer(request: string, value: unknown): Promise<void>;
  /** Pauses the run: no more nodes start, and it suspends once the running ones have finished. Resolves when that is set. */
  pause(): Promise<void>;
  /** Withdraws a pause before the run is suspended: nodes start again. Without effect on a run that is not pausing. */
  unpause(): Promise<void>;
}

/**
 * Steers a run that this process executes.
 *
 * ```ts
 * const control = new RunControl();
 * const running = workflow.run({}, { control });
 * await deployBegun; // only a node in progress can be steered
 * await control.skipNode("deploy", { isDeployed: false });
 * ```
 *
 * @throws RunNotExecutedError, NodeNotUnderWayError, AmbiguousNodeError, NodeEndedError, and the errors of an invalid update
 */
export class RunControl implements SteerableRun {
  #send: SendCommand | undefined;

  /** For the engine: connects the control to a run. Returns a function that disconnects it. */
  attach(send: SendCommand): () => void {
    if (this.#send !== undefined) throw new ControlInUseError();
    this.#send = send;
    return () => {
      this.#send = undefined;
    };
  }

  cancelNode(node: string): Promise<void> {
    return this.#deliver({ type: "cancel-node", node });
  }

  skipNode(node: string, update?: StateChange): Promise<void> {
    return this.#deliver(skipCommand(node, update));
  }

  retryNode(node: string): Promise<void> {
    return this.#deliver({ type: "retry-node", node });
  }

  answer(request: string, value: unknown): Promise<void> {
    return this.#deliver({ type: "answer", request, value });
  }

  pause(): Promise<void> {
    return this.#deliver({ type: "pause" });
  }

  unpause(): Promise<void> {
    return this.#deliver({ type: "unpause" });
  }

  async #deliver(command: SteeringCommand): Promise<void> {
    if (this.#send === undefined) throw new RunNotExecutedError(undefined);
    await this.#send(command);
  }
}

/**
 * Steers a run that another process executes, through its saver.
 *
 * ```ts
 * await controlRun(new SqliteSaver({ path: "runs.db" }), runId).retryNode("implement");
 * ```
 *
 * @throws UnknownRunError, RunNotExecutedError, SteeringTimeoutError; RestoredError with the code and message of an error
 *   in the other process
 */
export function controlRun(checkpointer: Checkpointer, runId: string, options: ControlRunOptions = {}): SteerableRun {
  const deliver = async (command: SteeringCommand): Promise<void> => {
    await sendCommand(checkpointer, runId, { command, ...options });
  };
  return {
    cancelNode: (node) => deliver({ type: "cancel-node", node }),
    skipNode: (node, update) => deliver(skipCommand(node, update)),
    retryNode: (node) => deliver({ type: "retry-node", node }),
    answer: (request, value) => deliver({ type: "answer", request, value }),
    pause: () => deliver({ type: "pause" }),
    unpause: () => deliver({ type: "unpause" }),
  };
}

function skipCommand(node: string, update: StateChange | undefined): SteeringCommand {
  return { type: "skip-node", node, ...given({ update }) };
}
