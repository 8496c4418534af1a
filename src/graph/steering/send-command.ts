import { setTimeout as sleep } from "node:timers/promises";
import { noRedaction, type Redactor, redactFields } from "../../contracts/index.ts";
import { JournalReadError, RestoredError, UnknownRunError } from "../errors/errors.ts";
import type { Checkpointer } from "../model/checkpointer.ts";
import { encodeCommand, type SteeringCommand } from "../model/steering-command.ts";
import type { CommandReply } from "./command-inbox.ts";
import { CommandUnsentError, RunNotExecutedError, SteeringTimeoutError } from "./steering-errors.ts";

/** Settings of `controlRun`. */
export interface ControlRunOptions {
  readonly signal?: AbortSignal;
  /** How long to wait for a command to take effect, in milliseconds. @default 30_000 */
  readonly timeoutMs?: number;
  /** Takes secrets out of a command, which is kept in a file until it is taken. @default nothing is redacted */
  readonly redactor?: Redactor;
}

const POLL_MS = 20;

/**
 * Sends a command to the process that executes a run, and waits until it has taken effect.
 *
 * @throws UnknownRunError, RunNotExecutedError, CommandUnsentError, SteeringTimeoutError, RestoredError, the signal's reason
 */
export async function sendCommand(
  checkpointer: Checkpointer,
  runId: string,
  {
    command,
    signal,
    timeoutMs = 30_000,
    redactor = noRedaction,
  }: ControlRunOptions & { readonly command: SteeringCommand },
): Promise<void> {
  signal?.throwIfAborted();
  const text = encodeCommand(redactCommand(command, redactor));
  const { mailbox } = checkpointer;
  if (!(await checkpointer.isHeld(runId))) {
    if (!(await isKnown(checkpointer, runId))) throw new UnknownRunError(runId);
    throw new RunNotExecutedError(runId);
  }
  const id = await mailbox.post(runId, text).catch((cause: unknown) => {
    throw new CommandUnsentError(runId, { cause });
  });
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const isHeld = await checkpointer.isHeld(runId);
    // In this order: a process replies before it releases the run.
    const reply = await mailbox.takeReply(runId, id);
    if (reply !== undefined) return takeReply(runId, reply);
    const isOver = signal?.aborted === true || !isHeld || performance.now() > deadline;
    if (!isOver) await sleep(POLL_MS);
    else {
      const isWithdrawn = await mailbox.withdraw(runId, id);
      signal?.throwIfAborted();
      throw isHeld ? new SteeringTimeoutError(runId, timeoutMs, isWithdrawn) : new RunNotExecutedError(runId);
    }
  }
}

/** @throws JournalReadError, for this run */
async function isKnown(checkpointer: Checkpointer, runId: string): Promise<boolean> {
  try {
    return (await checkpointer.list()).includes(runId);
  } catch (error) {
    const isOfList = error instanceof JournalReadError && error.runId === undefined;
    throw isOfList ? new JournalReadError(runId, { cause: error.cause }) : error;
  }
}

/** The names of nodes and questions stay. */
function redactCommand(command: SteeringCommand, redactor: Redactor): SteeringCommand {
  if (command.type === "answer") return { ...command, value: redactor.value(command.value) };
  if (command.type !== "skip-node" || command.update === undefined) return command;
  return { ...command, update: redactFields(command.update, redactor) };
}

/** @throws the error that rejected the command */
function takeReply(runId: string, text: string): void {
  // The cast is true: only the run's inbox writes replies.
  const reply = JSON.parse(text) as CommandReply;
  if (reply.type === "taken") return;
  // It arrived when the run was about to end, or was meant for an earlier process.
  if (reply.code === "RUN_NOT_EXECUTED") throw new RunNotExecutedError(runId);
  throw new RestoredError(reply.code, reply.message);
}
