import { describe, expect, test } from "bun:test";
import { graph } from "../builder.ts";
import { node, TestState } from "../fixtures/test-nodes.ts";
import { MemorySaver } from "../savers/memory-saver.ts";
import { InvalidOptionsError } from "./check-call.ts";

const workflow = graph(TestState).start(node("a")).end().compile();

/** A method as one that takes anything: a lie, which files that nobody checks can tell. */
function untyped(method: unknown): (...args: readonly unknown[]) => Promise<unknown> {
  return (method as (...args: readonly unknown[]) => Promise<unknown>).bind(workflow);
}

async function readAll(...args: readonly unknown[]): Promise<void> {
  // The cast is a lie on purpose, as above.
  const [input, options] = args as Parameters<typeof workflow.stream>;
  for await (const _event of workflow.stream(input, options));
}

describe("invalid options of a run are rejected at the call:", () => {
  test.each<{ title: string; call: () => Promise<unknown>; method: string; problems: readonly string[] }>([
    {
      title: "run({}, { onEvnt })",
      call: () => untyped(workflow.run)({}, { onEvnt: () => undefined }),
      method: "run",
      problems: ['run() has an unknown option "onEvnt"; did you mean "onEvent"?'],
    },
    ...[0, -1, Number.NaN, "4"].map((maxConcurrency) => ({
      title: `run({}, { maxConcurrency: ${maxConcurrency} })`,
      call: () => untyped(workflow.run)({}, { maxConcurrency }),
      method: "run",
      problems: [
        `run() has maxConcurrency ${typeof maxConcurrency === "string" ? `"${maxConcurrency}"` : maxConcurrency}; it must be a whole number from 1, or Infinity`,
      ],
    })),
    {
      title: "all that is wrong with run(), except for services of one's own",
      call: () =>
        untyped(workflow.run)(undefined, {
          checkpointer: {},
          timeoutMs: "5s",
          signal: new AbortController(),
          services: { cleints: 1, clients: {}, database: {} },
        }),
      method: "run",
      problems: [
        "run() has checkpointer {}; it must be a saver, for example new MemorySaver()",
        'run() has timeoutMs "5s"; it must be a number of milliseconds above 0; write 5000',
        "run() has signal an AbortController; it must be an AbortSignal",
        'run() has an unknown option "services.cleints"; did you mean "services.clients"?',
        "run() has services.clients {}; it must be a function",
      ],
    },
    {
      title: "two time limits",
      call: () => workflow.run({}, { timeout: 1_000, timeoutMs: 2_000 }),
      method: "run",
      problems: ["run() has both timeoutMs and timeout; give it one of them"],
    },
    {
      title: "an input that has no fields",
      call: () => untyped(workflow.run)("a prompt"),
      method: "run",
      problems: ['run() was given "a prompt" instead of an object with fields'],
    },
    {
      title: "an input that was not awaited",
      call: () => untyped(workflow.run)(Promise.resolve({ log: ["a"] })),
      method: "run",
      problems: ["run() was given a promise instead of an object with fields; await it"],
    },
    {
      title: "resume() with misspelt commands",
      call: () =>
        untyped(workflow.resume)("r", {}, { commands: [{ type: "skipnode", node: "a" }, { type: "retry-node" }] }),
      method: "resume",
      problems: [
        'resume() has commands[0].type "skipnode"; it must be "cancel-node", "skip-node" or "retry-node"; did you mean "skip-node"?',
        "resume() has no commands[1].node; give it a text that is not empty",
      ],
    },
    {
      title: "resume() with an answer that does not say to what",
      call: () => untyped(workflow.resume)("r", "yes"),
      method: "resume",
      problems: ['resume() was given "yes" instead of an object with fields'],
    },
    {
      title: "resume() with a misspelt option",
      call: () => untyped(workflow.resume)("r", {}, { comands: [] }),
      method: "resume",
      problems: ['resume() has an unknown option "comands"; did you mean "commands"?'],
    },
    {
      title: "fork() without a moment",
      call: () => untyped(workflow.fork)("r", { att: 4 }),
      method: "fork",
      problems: ['fork() has an unknown option "att"; did you mean "at"?'],
    },
    {
      title: "fork() with a number",
      call: () => untyped(workflow.fork)("r", 4),
      method: "fork",
      problems: ["fork() was given 4 instead of an object with its options"],
    },
    {
      title: "fork() with options of no run",
      call: () => untyped(workflow.fork)("r", { at: 4 }, { runid: "x" }),
      method: "fork",
      problems: ['fork() has an unknown option "runid"; did you mean "runId"?'],
    },
    {
      title: "stream() with options of no run",
      call: () => readAll({}, { evnts: ["node-end"], maxSteps: 0 }),
      method: "stream",
      problems: [
        'stream() has an unknown option "evnts"; did you mean "events"?',
        "stream() has maxSteps 0; it must be a whole number from 1, or Infinity",
      ],
    },
    {
      title: "plan() with a misspelt option",
      call: () => untyped(workflow.plan)({}, { answer: {} }),
      method: "plan",
      problems: ['plan() has an unknown option "answer"; did you mean "answers"?'],
    },
  ])("$title", async ({ call, method, problems }) => {
    const error = await call().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(InvalidOptionsError);
    const list = problems.map((problem) => `  - ${problem}\n`).join("");
    expect(error).toMatchObject({
      code: "OPTIONS_INVALID",
      method,
      problems,
      message: `${method}() was called with options that cannot be right:\n${list}Correct the call.`,
    });
  });

  test("an unknown type of event, with the nearest", async () => {
    await expect(readAll({}, { events: ["node-ended"] })).rejects.toThrow('did you mean "node-end"?');
  });

  test("options of a run are taken by resume() as they are, runId among them", async () => {
    const options = { checkpointer: new MemorySaver(), runId: "r" };
    const failed = graph(TestState)
      .start(
        node("a", ({ attempt }) => {
          if (attempt === 1) throw new Error("not yet");
          return {};
        }),
      )
      .end()
      .compile();
    expect((await failed.run({}, options)).status).toBe("failed");
    expect((await failed.resume("r", {}, options)).status).toBe("completed");
  });
});
