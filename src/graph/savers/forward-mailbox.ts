import type { RunMailbox } from "../model/checkpointer.ts";

/** A mailbox that forwards each call to the mailbox that `mailboxOf` returns for the run. */
export function forwardMailbox(mailboxOf: (runId: string) => RunMailbox | Promise<RunMailbox>): RunMailbox {
  return {
    post: async (runId, text) => await (await mailboxOf(runId)).post(runId, text),
    receive: async (runId) => await (await mailboxOf(runId)).receive(runId),
    reply: async (runId, messageId, text) => await (await mailboxOf(runId)).reply(runId, messageId, text),
    takeReply: async (runId, messageId) => await (await mailboxOf(runId)).takeReply(runId, messageId),
    withdraw: async (runId, messageId) => await (await mailboxOf(runId)).withdraw(runId, messageId),
  };
}
