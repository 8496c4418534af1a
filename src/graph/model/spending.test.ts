import { describe, expect, test } from "bun:test";
import { NO_USAGE, type Usage } from "../../contracts/index.ts";
import { graph } from "../builder.ts";
import { FaultySaver } from "../fixtures/faulty-saver.ts";
import { controlled, node, rejectionOf, TestState } from "../fixtures/test-nodes.ts";
import { readRunSummary } from "../journal/run-summary.ts";
import { MemorySaver } from "../savers/memory-saver.ts";
import { findBrokenBudget } from "./spending.ts";

const tokens = (count: number): Usage => ({ ...NO_USAGE, inputTokens: count });

test.each([
  { title: "nothing", budget: {}, used: tokens(1_000), expected: undefined },
  { title: "exactly as many tokens", budget: { maxTokens: 10 }, used: tokens(10), expected: undefined },
  {
    title: "more tokens of any kind",
    budget: { maxTokens: 10 },
    used: { inputTokens: 3, outputTokens: 3, cacheReadTokens: 3, cacheWriteTokens: 3 },
    expected:
      "The run used more than the 10 tokens of its budget. Raise it (budget.maxTokens, or --max-tokens), then resume the run.",
  },
  {
    title: "more dollars",
    budget: { maxCostUsd: 0.5 },
    used: { ...tokens(1), costUsd: 0.6 },
    expected:
      "The run cost more than the 0.5 USD of its budget. Raise it (budget.maxCostUsd, or --max-cost), then resume the run.",
  },
  { title: "no known price", budget: { maxCostUsd: 0.5 }, used: tokens(1), expected: undefined },
])("a budget is broken by $title: $expected", ({ budget, used, expected }) => {
  expect(findBrokenBudget(budget, used)?.message).toBe(expected);
});

describe("a run with a budget", () => {
  /** Spends 60 tokens, then runs until it is aborted. */
  const greedy = node("greedy", async (context) => {
    context.emit({ type: "usage", usage: tokens(60) });
    await new Promise((_resolve, reject) =>
      context.signal.addEventListener("abort", () => reject(context.signal.reason)),
    );
    return;
  });
  const modest = node("modest", (context) => {
    context.emit({ type: "usage", usage: tokens(50) });
    return { stateUpdate: { log: ["modest"] } };
  });

  test("stops in the middle of the node that breaks it, and counts what that node used", async () => {
    const compiled = graph(TestState).start(modest).then(greedy).end().compile();
    const { status, errorInfo, usage } = await compiled.run({}, { budget: { maxTokens: 100 } });
    expect({ status, errorInfo, usage }).toEqual({
      status: "failed",
      errorInfo: {
        code: "RUN_LIMIT",
        message:
          "The run used more than the 100 tokens of its budget. Raise it (budget.maxTokens, or --max-tokens), then resume the run.",
        bound: "maxTokens",
      },
      usage: tokens(110),
    });
  });

  test("that is exhausted starts no node when the run is resumed, which continues with a larger one", async () => {
    const checkpointer = new MemorySaver();
    let beginnings = 0;
    const counted = node("counted", (context) => {
      beginnings++;
      context.emit({ type: "usage", usage: tokens(60) });
      return context.attempt > 1 ? { stateUpdate: { log: ["done"] } } : new Promise(() => undefined);
    });
    const compiled = graph(TestState).start(counted).end().compile({ checkpointer, cancelGraceMs: 0 });
    const first = await compiled.run({}, { runId: "r", budget: { maxTokens: 50 } });
    const again = await compiled.resume("r", {}, { budget: { maxTokens: 50 } });
    expect([first.status, again.status, beginnings]).toEqual(["failed", "failed", 1]);
    const ended = await compiled.resume("r", {}, { budget: { maxTokens: 500 } });
    expect({ status: ended.status, log: ended.state.log, usage: ended.usage }).toEqual({
      status: "completed",
      log: ["done"],
      usage: tokens(120),
    });
  });

  test("counts once what a node used in a process that was killed before the node ended", async () => {
    const inner = new MemorySaver();
    const asked: number[] = [];
    const work = node("work", async (context) => {
      const answer = await context.step("answer", () => {
        asked.push(context.attempt);
        context.emit({ type: "usage", usage: tokens(60), agentType: "claude" });
        return "an answer";
      });
      await context.step("check", () => true);
      context.emit({ type: "usage", usage: tokens(5) });
      return { stateUpdate: { log: [answer] } };
    });
    const compiled = graph(TestState).start(work).end().compile({ checkpointer: inner });
    // The run, what the turn used, its answer; then the process dies.
    const killed = compiled.run({}, { runId: "r", checkpointer: new FaultySaver(inner, { failAfter: 3 }) });
    expect(await rejectionOf(killed)).toMatchObject({ code: "JOURNAL_WRITE" });
    const summary = await readRunSummary(inner, "r");
    const known = { usage: tokens(60), usageByAgent: { claude: tokens(60) } };
    expect([summary, summary.nodes[0]]).toMatchObject([known, { ...known, status: "started" }]);
    const refused = await compiled.resume("r", {}, { budget: { maxTokens: 50 } });
    expect([refused.status, refused.errorInfo?.bound, refused.usage]).toEqual(["failed", "maxTokens", tokens(60)]);
    const { status, usage, usageByAgent } = await compiled.resume("r", {}, { budget: { maxTokens: 65 } });
    expect({ status, usage, usageByAgent }).toEqual({
      status: "completed",
      usage: tokens(65),
      usageByAgent: { claude: tokens(60) },
    });
    expect([asked, (await readRunSummary(inner, "r")).nodes[0]?.usage]).toEqual([[1], tokens(65)]);
  });

  test("counts what losers of a race and a cancelled node used", async () => {
    const slow = controlled("slow");
    const controller = new AbortController();
    const compiled = graph(TestState)
      .start(node("first"))
      .parallel([greedy, modest], { strategy: "race" })
      .then(slow.node)
      .end()
      .compile();
    const ended = compiled.run({}, { signal: controller.signal });
    const context = await slow.started;
    context.emit({ type: "usage", usage: tokens(7) });
    controller.abort();
    const { status, usage } = await ended;
    expect({ status, usage }).toEqual({ status: "cancelled", usage: tokens(117) });
  });
});
