import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { NO_USAGE, type NodeEmission, type RunEvent, type Usage } from "../../contracts/index.ts";
import { graph } from "../builder.ts";
import { logs, node, recordsOf, TestState } from "../fixtures/test-nodes.ts";
import type { Checkpointer, JournalEntry } from "../model/checkpointer.ts";
import type { NodeResult } from "../model/node-definition.ts";
import { addSpent, NOTHING_SPENT, type Spent, spentIn } from "../model/spent.ts";
import { MemorySaver } from "../savers/memory-saver.ts";
import { decodeValue, encodeValue } from "../state/codec.ts";
import { readRunSummary } from "./run-summary.ts";

const tokens = (inputTokens: number): Usage => ({ ...NO_USAGE, inputTokens });

function use(agentType: string | undefined, usage: Usage): NodeEmission {
  return agentType === undefined ? { type: "usage", usage } : { type: "usage", usage, agentType };
}

/** One attempt of a node: what it uses, and how it ends. */
interface Attempt {
  readonly used: readonly NodeEmission[];
  readonly end: "done" | "retry" | "fail" | "ask" | "cancel";
}

/** The attempts of each node: of those in a row, then of those side by side. */
interface Plan {
  readonly nodes: readonly (readonly Attempt[])[];
  readonly branches: readonly (readonly Attempt[])[];
}

const attempts = fc.record({
  // Sums of these costs are exact.
  used: fc.array(
    fc
      .tuple(
        fc.constantFrom(undefined, "claude", "opencode", "copilot", "constructor"),
        fc.nat(1_000),
        fc.constantFrom(undefined, 0.25, 0.5),
      )
      .map(([agentType, count, costUsd]) =>
        use(agentType, { ...tokens(count), ...(costUsd === undefined ? {} : { costUsd }) }),
      ),
    { maxLength: 3 },
  ),
  end: fc.constantFrom<Attempt["end"]>("done", "done", "retry", "fail", "ask", "cancel"),
});

const plans = fc.record({
  nodes: fc.array(fc.array(attempts, { maxLength: 4 }), { minLength: 1, maxLength: 4 }),
  branches: fc.array(fc.array(attempts, { maxLength: 2 }), { minLength: 2, maxLength: 3 }),
  compactAfter: fc.array(fc.boolean(), { maxLength: 6 }),
  history: fc.constantFrom("all" as const, "latest" as const),
  snapshotMinLength: fc.constantFrom(1, 1_000, 1_000_000),
});

/** A graph that carries out a plan, and the sum of what its nodes used. */
function build({ nodes, branches }: Plan) {
  const world = { spent: NOTHING_SPENT, abort: new AbortController() };
  const nodeOf = (id: string, planned: readonly Attempt[]) => {
    const left = [...planned];
    return node(
      id,
      ({ emit, signal }): NodeResult<TestState> | Promise<never> => {
        const { used, end } = left.shift() ?? { used: [], end: "done" };
        for (const event of used) {
          emit(event);
          world.spent = addSpent(world.spent, spentIn(event) ?? NOTHING_SPENT);
        }
        if (end === "retry") throw Object.assign(new Error("again"), { isRetryable: true });
        if (end === "fail") throw Object.assign(new Error("over"), { isRetryable: false });
        if (end === "ask") return { request: { question: "Well?" } };
        if (end === "done") return logs(id);
        const { promise, reject } = Promise.withResolvers<never>();
        signal.addEventListener("abort", () => reject(signal.reason));
        world.abort.abort(new Error("stop"));
        return promise;
      },
      { retry: { maxAttempts: 9, backoffMs: 0, retryOn: (error) => error.message === "again" } },
    );
  };
  // The end of one branch must not depend on how far the others are.
  const quiet = branches.map((planned) => planned.map((one): Attempt => ({ ...one, end: "done" })));
  const compiled = graph(TestState)
    .start(nodes.map((planned, index) => nodeOf(`n${index}`, planned)) as [ReturnType<typeof nodeOf>])
    .parallel(quiet.map((planned, index) => nodeOf(`b${index}`, planned)) as [ReturnType<typeof nodeOf>])
    .end()
    .compile();
  return { compiled, world };
}

const spentOfRun = ({ usage, usageByAgent }: Spent): Spent =>
  usageByAgent === undefined ? { usage } : { usage, usageByAgent };

async function summarized(checkpointer: Checkpointer, runId: string): Promise<Spent> {
  return spentOfRun(await readRunSummary(checkpointer, runId));
}

test("the parts of the agents survive retries, failures, questions, cancels, resumes, snapshots, compaction and forks", async () => {
  await fc.assert(
    fc.asyncProperty(plans, async ({ compactAfter, history, snapshotMinLength, ...plan }) => {
      const { compiled, world } = build(plan);
      const checkpointer = new MemorySaver();
      const options = () => ({ checkpointer, history, snapshotMinLength, signal: world.abort.signal });
      let result = await compiled.run({}, { runId: "r", ...options() });
      for (let life = 0; result.status !== "completed"; life++) {
        expect(spentOfRun(result)).toEqual(world.spent);
        expect(await summarized(checkpointer, "r")).toEqual(world.spent);
        if (compactAfter[life]) await compiled.compact("r", { checkpointer });
        expect(await summarized(checkpointer, "r")).toEqual(world.spent);
        world.abort = new AbortController();
        const answers = Object.fromEntries(result.requests.map(({ id }) => [id, "yes"]));
        result = await compiled.resume("r", answers, options());
      }
      expect(spentOfRun(result)).toEqual(world.spent);
      expect(await summarized(checkpointer, "r")).toEqual(world.spent);
      const [last] = (await compiled.history("r", { checkpointer })).slice(-1);
      if (last === undefined) return;
      const forked = await compiled.fork("r", { at: last.sequence }, { checkpointer, runId: "forked" });
      expect(spentOfRun(forked)).toEqual(world.spent);
      expect(await summarized(checkpointer, "forked")).toEqual(world.spent);
    }),
    { numRuns: 150 },
  );
});

describe("the usage of each agent", () => {
  const mixed = graph(TestState)
    .start([
      node("plan", ({ emit }) => {
        emit(use("claude", tokens(1)));
        return logs("plan");
      }),
      node("build", ({ emit }) => {
        emit(use("opencode", tokens(2)));
        emit(use("copilot", tokens(4)));
        return logs("build");
      }),
      node("own", ({ emit }) => {
        emit(use(undefined, tokens(8)));
        return logs("own");
      }),
    ])
    .end()
    .compile();

  test("is in the result, the summary and the events", async () => {
    const checkpointer = new MemorySaver();
    const events: RunEvent[] = [];
    const result = await mixed.run({}, { runId: "r", checkpointer, onEvent: (event) => events.push(event) });
    const all = { claude: tokens(1), opencode: tokens(2), copilot: tokens(4) };
    const { usage, usageByAgent, nodes } = await readRunSummary(checkpointer, "r");
    expect<unknown>({
      result: spentOfRun(result),
      summary: { usage, usageByAgent },
      nodes: nodes.map((one) => one.usageByAgent),
      events: events.flatMap((event) =>
        event.type === "node-end" || event.type === "run-end" ? [spentOfRun(event)] : [],
      ),
    }).toEqual({
      result: { usage: tokens(15), usageByAgent: all },
      summary: { usage: tokens(15), usageByAgent: all },
      nodes: [{ claude: tokens(1) }, { opencode: tokens(2), copilot: tokens(4) }, undefined],
      events: [
        { usage: tokens(1), usageByAgent: { claude: tokens(1) } },
        { usage: tokens(6), usageByAgent: { opencode: tokens(2), copilot: tokens(4) } },
        { usage: tokens(8) },
        { usage: tokens(15), usageByAgent: all },
      ],
    });
  });

  test("is in the journal once, as soon as it is reported", async () => {
    const checkpointer = new MemorySaver();
    await mixed.run({}, { runId: "r", checkpointer });
    const records = (await recordsOf(checkpointer, "r")).flatMap((record) =>
      "usage" in record ? [{ ...record, at: 0 }] : [],
    );
    expect(records).toEqual([
      { type: "spent", at: 0, task: "plan", node: "plan", attempt: 1, usage: tokens(1), agent: "claude" },
      { type: "spent", at: 0, task: "build", node: "build", attempt: 1, usage: tokens(2), agent: "opencode" },
      { type: "spent", at: 0, task: "build", node: "build", attempt: 1, usage: tokens(4), agent: "copilot" },
      { type: "spent", at: 0, task: "own", node: "own", attempt: 1, usage: tokens(8) },
    ]);
  });
});

/** The entry as an older version wrote it, without agents. */
function withoutAgents({ sequence, kind, body }: JournalEntry): JournalEntry {
  // The cast is true: records and snapshots are objects.
  const { agent: _agent, usageByAgent: _parts, ...entry } = decodeValue(body) as Record<string, unknown>;
  const { snapshot } = entry;
  const before = typeof snapshot === "string" ? withoutAgents({ sequence, kind, body: snapshot }).body : undefined;
  return { sequence, kind, body: encodeValue(before === undefined ? entry : { ...entry, snapshot: before }) };
}

test.each([{ isCompacted: false }, { isCompacted: true }])(
  "a run of an older version keeps its total, and has the agents that worked since (compacted: $isCompacted)",
  async ({ isCompacted }) => {
    const { compiled } = build({
      nodes: [
        [{ used: [use("claude", tokens(1))], end: "done" }],
        [
          { used: [use("claude", tokens(2))], end: "fail" },
          { used: [use("copilot", tokens(4))], end: "done" },
        ],
      ],
      branches: [[], []],
    });
    const written = new MemorySaver();
    expect((await compiled.run({}, { runId: "r", checkpointer: written })).status).toBe("failed");
    if (isCompacted) await compiled.compact("r", { checkpointer: written });
    const old = new MemorySaver();
    const journal = await old.open("r", "create");
    for (const entry of await written.read("r")) await journal.append(withoutAgents(entry));
    await journal.close();
    expect(await summarized(old, "r")).toEqual({ usage: tokens(3) });
    const result = await compiled.resume("r", {}, { checkpointer: old });
    const expected = { usage: tokens(7), usageByAgent: { copilot: tokens(4) } };
    expect([spentOfRun(result), await summarized(old, "r")]).toEqual([expected, expected]);
  },
);
