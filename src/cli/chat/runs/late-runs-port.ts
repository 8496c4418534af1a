import type { RunsPort } from "../../../tui/index.ts";

/** The runs of this machine, loaded when they are first needed. */
export function lateRunsPort(open: () => Promise<RunsPort>): RunsPort {
  let opening: Promise<RunsPort> | undefined;
  const load = (): Promise<RunsPort> => {
    opening ??= open();
    return opening;
  };
  return {
    list: async (options) => await (await load()).list(options),
    load: async (runId) => await (await load()).load(runId),
    async *follow(runId, signal) {
      yield* (await load()).follow(runId, signal);
    },
    loadInbox: async () => await (await load()).loadInbox(),
    takeProblems: async () => (await (await load()).takeProblems?.()) ?? [],
    countUnreadable: async () => (await (await load()).countUnreadable?.()) ?? 0,
    answer: async (runId, requestId, value) => await (await load()).answer(runId, requestId, value),
    answerPermission: async (runId, id, answer) => await (await load()).answerPermission(runId, id, answer),
    cancel: async (runId) => await (await load()).cancel(runId),
    pause: async (runId) => await (await load()).pause(runId),
    resume: async (runId) => await (await load()).resume(runId),
    cancelNode: async (runId, taskId) => await (await load()).cancelNode(runId, taskId),
    skipNode: async (runId, taskId) => await (await load()).skipNode(runId, taskId),
    retryNode: async (runId, taskId) => await (await load()).retryNode(runId, taskId),
  };
}
