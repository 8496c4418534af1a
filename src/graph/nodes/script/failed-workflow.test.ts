import { expect, test } from "bun:test";
import { createScriptedAgent } from "../../../testkit/index.ts";
import { graph } from "../../builder.ts";
import type { CompiledGraph } from "../../compiled-graph.ts";
import { readRunSummary } from "../../journal/run-summary.ts";
import { MemorySaver } from "../../savers/memory-saver.ts";
import { script } from "../../script.ts";
import { parallelNode } from "../flow/parallel-node.ts";
import { shellNode } from "../tools/shell-node.ts";
import type { ScriptFunction } from "./script-node.ts";

/** A run of a script that runs other workflows, which somebody corrects between its processes. */
class Bench {
  readonly saver = new MemorySaver();
  readonly workflows: Record<string, CompiledGraph> = {};
  readonly commands: string[] = [];
  prompts: string[] = [];
  /** Commands that cannot start. */
  readonly broken = new Set<string>();
  readonly outer: CompiledGraph;

  constructor(outer: ScriptFunction) {
    this.outer = script(outer, { version: "1" });
  }

  async run(): Promise<string> {
    return await this.#execute((options) => this.outer.run({}, { ...options, runId: "r" }));
  }

  async resume(answers: Readonly<Record<string, unknown>> = {}): Promise<string> {
    this.prompts = [];
    return await this.#execute((options) => this.outer.resume("r", answers, options));
  }

  async #execute(
    start: (options: Parameters<CompiledGraph["run"]>[1]) => ReturnType<CompiledGraph["run"]>,
  ): Promise<string> {
    const client = createScriptedAgent({
      script: ({ prompt }) => {
        this.prompts.push(prompt);
        return { text: `did ${prompt}` };
      },
    });
    const shell = async (command: string) => {
      this.commands.push(command);
      if (this.broken.has(command)) throw new Error("there is no such folder");
      return { command, exitCode: 0, stdout: "ok", stderr: "", isTruncated: false, durationMs: 0 };
    };
    const workflows = async (name: string) => this.workflows[name] ?? null;
    const { status, error, output } = await start({
      checkpointer: this.saver,
      services: { clients: () => client, shell, workflows },
    });
    return error === undefined ? `${status}: ${JSON.stringify(output)}` : `${status}: ${error.message}`;
  }
}

const inner = (body: ScriptFunction): CompiledGraph => script(body, { version: String(body), name: "inner" });

const failing = inner(async ({ agent, parallel }) => {
  await agent("first");
  await parallel([() => agent("left"), () => agent("right")]);
  throw new Error("a mistake");
});
const corrected = inner(async ({ agent, parallel }) => {
  await agent("first");
  await parallel([() => agent("left"), () => agent("right")]);
  return await agent("last");
});

const calling: ScriptFunction = async ({ agent, workflow }) => {
  await agent("outer");
  return await workflow("inner");
};

test.each([{ isCompacted: false }, { isCompacted: true }])(
  "a resume of a run that failed within workflow() repeats none of its agents: %p",
  async ({ isCompacted }) => {
    const bench = new Bench(calling);
    bench.workflows.inner = failing;
    expect(await bench.run()).toBe('failed: workflow("inner") failed: a mistake');
    expect(bench.prompts).toEqual(["outer", "first", "left", "right"]);
    expect(await bench.resume()).toBe('failed: workflow("inner") failed: a mistake');
    expect(bench.prompts).toEqual([]);
    if (isCompacted) {
      const workflows = async (name: string) => bench.workflows[name] ?? null;
      await bench.outer.compact("r", { checkpointer: bench.saver, services: { workflows } });
    }
    bench.workflows.inner = corrected;
    expect(await bench.resume()).toBe('completed: "did last"');
    expect(bench.prompts).toEqual(["last"]);
  },
);

test("a step of a workflow that started again counts its attempts and is no longer failed", async () => {
  const bench = new Bench(calling);
  bench.workflows.inner = failing;
  await bench.run();
  bench.workflows.inner = corrected;
  await bench.resume();
  const { nodes } = await readRunSummary(bench.saver, "r");
  expect(nodes.map(({ taskId, status, attempts, error }) => ({ taskId, status, attempts, error }))).toEqual([
    { taskId: "script", status: "completed", attempts: 2, error: undefined },
    { taskId: "script[1]/agent", status: "completed", attempts: 1, error: undefined },
    { taskId: "script[2]/inner", status: "completed", attempts: 2, error: undefined },
    { taskId: "script[2]/inner/script", status: "completed", attempts: 2, error: undefined },
    { taskId: "script[2]/inner/script[1]/agent", status: "completed", attempts: 1, error: undefined },
    { taskId: "script[2]/inner/script[2]/agent", status: "completed", attempts: 1, error: undefined },
    { taskId: "script[2]/inner/script[3]/agent", status: "completed", attempts: 1, error: undefined },
    { taskId: "script[2]/inner/script[4]/agent", status: "completed", attempts: 1, error: undefined },
  ]);
});

test("a workflow that did not exist is looked for again", async () => {
  const bench = new Bench(calling);
  expect(await bench.run()).toStartWith('failed: workflow("inner") failed: ');
  bench.workflows.inner = corrected;
  expect(await bench.resume()).toBe('completed: "did last"');
  expect(bench.prompts).toEqual(["first", "left", "right", "last"]);
});

test("a failed step of a graph runs again, and what ran beside it only where it had not ended", async () => {
  const bench = new Bench(calling);
  const step = (id: string) => shellNode({ id, command: id });
  bench.workflows.inner = graph()
    .start(step("before"))
    .then(parallelNode({ id: "both", branches: [step("done"), step("broken")] }))
    .end()
    .compile();
  bench.broken.add("broken");
  expect(await bench.run()).toStartWith('failed: workflow("inner") failed: ');
  bench.broken.clear();
  expect(await bench.resume()).toStartWith("completed: ");
  expect(bench.commands.toSorted()).toEqual(["before", "broken", "broken", "done"]);
});

test("a command that could not start is retried, also within a workflow that failed by it", async () => {
  const bench = new Bench(calling);
  bench.workflows.inner = inner(async ({ shell }) => [await shell("fine"), await shell("bad")].length);
  bench.broken.add("bad");
  expect(await bench.run()).toStartWith('failed: workflow("inner") failed: shell("bad") failed: ');
  bench.broken.clear();
  expect(await bench.resume()).toBe("completed: 2");
  expect(bench.commands).toEqual(["fine", "bad", "bad"]);
});

test("a failure that the script has handled stays one while the run has not failed", async () => {
  const bench = new Bench(async ({ workflow, ask }) => {
    const result = await workflow("inner").catch(() => "failed");
    return [result, await ask("Go on?")];
  });
  bench.workflows.inner = failing;
  expect(await bench.run()).toBe("suspended: undefined");
  bench.workflows.inner = corrected;
  expect(await bench.resume({ "script[2]/ask": "yes" })).toBe('completed: ["failed","yes"]');
  expect(bench.prompts).toEqual([]);
});
