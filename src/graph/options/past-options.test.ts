import { describe, expect, test } from "bun:test";
import { graph } from "../builder.ts";
import { node, rejectionOf, TestState } from "../fixtures/test-nodes.ts";
import { pruneRuns } from "../journal/prune-runs.ts";
import { DefaultSaver } from "../savers/default-saver.ts";
import { FileSaver } from "../savers/file-saver.ts";
import { MemorySaver } from "../savers/memory-saver.ts";
import { ResearchDirSaver } from "../savers/research-dir-saver.ts";
import { SessionDirSaver } from "../savers/session-dir-saver.ts";
import { SqliteSaver } from "../savers/sqlite-saver.ts";
import { InvalidOptionsError } from "./check-call.ts";

const checkpointer = new MemorySaver();
const compiled = graph(TestState).start(node("a")).end().compile({ checkpointer });

// The casts of this file are false on purpose: unchecked files can do the same.
type Untyped = (...args: readonly unknown[]) => Promise<unknown>;
const method = (
  name: "history" | "stateAt" | "latestState" | "compact" | "checkAnswers" | "fork" | "edit" | "resume",
): Untyped => (compiled[name] as unknown as Untyped).bind(compiled);

describe("invalid options for past runs are rejected at the call:", () => {
  test.each<{ title: string; call: () => Promise<unknown>; problem: string }>([
    ...(["history", "latestState", "compact"] as const).map((name) => ({
      title: `${name}(run, { checkpoint })`,
      call: () => method(name)("r", { checkpoint: checkpointer }),
      problem: `${name}() has an unknown option "checkpoint"; did you mean "checkpointer"?`,
    })),
    {
      title: "stateAt(run, 1, { checkpointer: {} })",
      call: () => method("stateAt")("r", 1, { checkpointer: {} }),
      problem: "stateAt() has checkpointer {}; it must be a saver, for example new MemorySaver()",
    },
    {
      title: "checkAnswers(run, {}, { service })",
      call: () => method("checkAnswers")("r", {}, { service: {} }),
      problem: 'checkAnswers() has an unknown option "service"; did you mean "services"?',
    },
    {
      title: "fork(run, { at: 1, updat })",
      call: () => method("fork")("r", { at: 1, updat: {} }),
      problem: 'fork() has an unknown option "updat"; did you mean "update"?',
    },
    {
      title: "edit(run, { update }, { checkpoint })",
      call: () => method("edit")("r", { update: { total: 1 } }, { checkpoint: checkpointer }),
      problem: 'edit() has an unknown option "checkpoint"; did you mean "checkpointer"?',
    },
    ...[
      {
        command: { type: "skipnode", node: "a" },
        found: '.type "skipnode"; it must be "cancel-node", "skip-node" or "retry-node"; did you mean "skip-node"?',
      },
      {
        command: "retry-node",
        found: ' "retry-node"; it must be an object such as { type: "retry-node", node: "plan" }',
      },
    ].map(({ command, found }) => ({
      title: `resume(run, {}, { commands: [${JSON.stringify(command)}] })`,
      call: () => method("resume")("r", {}, { commands: [command] }),
      problem: `resume() has commands[0]${found}`,
    })),
    {
      title: "resume(run, {}, { commands: [{ type }] })",
      call: () => method("resume")("r", {}, { commands: [{ type: "retry-node" }] }),
      problem: "resume() has no commands[0].node; give it a text that is not empty",
    },
    {
      title: "pruneRuns(saver, { olderThan })",
      call: () => (pruneRuns as unknown as Untyped)(checkpointer, { olderThan: 1 }),
      problem: 'pruneRuns() has an unknown option "olderThan"; did you mean "olderThanMs"?',
    },
    {
      title: 'pruneRuns(saver, { statuses: ["running"] })',
      call: () => (pruneRuns as unknown as Untyped)(checkpointer, { statuses: ["running"] }),
      problem: 'pruneRuns() has statuses[0] "running"; it must be "completed", "suspended", "failed" or "cancelled"',
    },
    {
      title: "pruneRuns(saver, { keepLatest: -1 })",
      call: () => pruneRuns(checkpointer, { keepLatest: -1 }),
      problem: "pruneRuns() has keepLatest -1; it must be a whole number from 0",
    },
  ])("$title", async ({ call, problem }) => {
    const error = await rejectionOf(call());
    expect(error).toBeInstanceOf(InvalidOptionsError);
    expect((error as InvalidOptionsError).problems).toEqual([problem]);
  });

  const make = (Saver: unknown, ...args: readonly unknown[]): unknown =>
    Reflect.construct(Saver as new () => unknown, args);
  test.each<{ title: string; create: () => unknown; problem: string }>([
    {
      title: "new SqliteSaver(path)",
      create: () => make(SqliteSaver, "runs.db"),
      problem: 'new SqliteSaver() was given "runs.db" instead of an object with its options',
    },
    {
      title: "new SqliteSaver({ file })",
      create: () => make(SqliteSaver, { pth: "runs.db" }),
      problem: 'new SqliteSaver() has an unknown option "pth"; did you mean "path"?',
    },
    {
      title: "new SqliteSaver({ durability })",
      create: () => make(SqliteSaver, { path: "runs.db", durability: "on-close" }),
      problem: 'new SqliteSaver() has durability "on-close"; it must be "every-step" or "on-checkpoint"',
    },
    {
      title: "new FileSaver()",
      create: () => make(FileSaver),
      problem: "new FileSaver() was given undefined instead of an object with its options",
    },
    {
      title: 'new FileSaver("")',
      create: () => make(FileSaver, ""),
      problem: 'new FileSaver() has directory ""; it must be a path',
    },
    {
      title: "new DefaultSaver({})",
      create: () => make(DefaultSaver, {}),
      problem: "new DefaultSaver() has no directory; name the folder of the journals",
    },
    {
      title: "new SessionDirSaver(7)",
      create: () => make(SessionDirSaver, 7),
      problem: "new SessionDirSaver() has sessionDirectory 7; it must be a path or a function",
    },
    {
      title: "new ResearchDirSaver(root, { processId: 0 })",
      create: () => make(ResearchDirSaver, "/project", { processId: 0 }),
      problem: "new ResearchDirSaver() has processId 0; it must be a whole number from 1",
    },
  ])("$title", ({ create, problem }) => {
    expect(create).toThrow(new InvalidOptionsError(problem.slice(0, problem.indexOf("()")), [problem]));
  });
});
