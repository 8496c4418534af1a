import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { graph } from "../builder.ts";
import { encodeRecord, type JournalRecord } from "../decide/records/journal-record.ts";
import { JournalCorruptError } from "../errors/errors.ts";
import { type BuildGraph, survive, type World } from "../fixtures/crash-harness.ts";
import { buildPlan, interpretPlan, plans } from "../fixtures/random-graph.ts";
import { logs, node, rejectionOf, TestState } from "../fixtures/test-nodes.ts";
import { MemorySaver } from "../savers/memory-saver.ts";

/** A node that first fails a number of times, then ends after some turns of the event loop and records its total. */
function work(world: World, id: string, { turns = 0, failures = 0 } = {}) {
  return node(
    id,
    async (context) => {
      const earlier = world.enter(context);
      for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
      if (earlier < failures) throw new Error(`${id} is not ready`);
      return { stateUpdate: { log: [`${id} saw ${context.state.total}`], total: 1 } };
    },
    { retry: { maxAttempts: failures + 1, backoffMs: 0 } },
  );
}

function doomed(world: World, id: string) {
  return node(id, (context) => {
    world.enter(context);
    throw new Error(`${id} is doomed`);
  });
}

function stepping(world: World, id: string) {
  return node(
    id,
    async (context) => {
      const earlier = world.enter(context);
      const first = await context.step("first", () => world.act(context, "first"));
      const second = await context.step("second", () => world.act(context, "second"));
      if (earlier === 0) throw new Error("first execution");
      return logs(first, second);
    },
    { retry: { maxAttempts: 2, backoffMs: 0 } },
  );
}

const GRAPHS: readonly { readonly title: string; readonly build: BuildGraph }[] = [
  { title: "a sequence", build: (world) => graph(TestState).start(["a", "b", "c"].map((id) => work(world, id))) },
  {
    title: "ifs",
    build: (world) =>
      graph(TestState)
        .start(work(world, "a"))
        .if((state) => state.total === 1)
        .then(work(world, "b"))
        .if((state) => state.total === 7)
        .then(work(world, "never"))
        .else()
        .then(work(world, "c"))
        .endif()
        .endif()
        .then(work(world, "d")),
  },
  {
    title: "a loop",
    build: (world) =>
      graph(TestState)
        .loop([work(world, "a"), work(world, "b")], { until: (state) => state.total >= 6 })
        .then(work(world, "c")),
  },
  {
    title: "uneven branches",
    build: (world) =>
      graph(TestState)
        .start(work(world, "a"))
        .parallel([
          [work(world, "b1", { turns: 3 }), work(world, "b2")],
          [work(world, "c1"), work(world, "c2"), work(world, "c3", { turns: 1 }), work(world, "c4")],
          graph(TestState)
            .start(work(world, "d1", { turns: 1 }))
            .parallel([work(world, "d2", { turns: 2 }), work(world, "d3")])
            .then(work(world, "d4")),
        ])
        .then(work(world, "e")),
  },
  {
    title: "retries",
    build: (world) =>
      graph(TestState).start([work(world, "a", { failures: 2 }), work(world, "b", { failures: 1, turns: 1 })]),
  },
  {
    title: "catches",
    build: (world) =>
      graph(TestState)
        .parallel([
          graph(TestState)
            .start([work(world, "a"), doomed(world, "x")])
            .catch(work(world, "h1")),
          work(world, "b", { turns: 2 }),
        ])
        .then(doomed(world, "y"))
        .catch(work(world, "h2"))
        .then(work(world, "c")),
  },
  {
    title: "branches that fail",
    build: (world) =>
      graph(TestState)
        .parallel([[work(world, "a"), doomed(world, "x")], work(world, "b", { turns: 1 })], { strategy: "settled" })
        .parallel([doomed(world, "y"), [work(world, "c", { turns: 1 }), work(world, "d")]], { strategy: "any" })
        .then(work(world, "e")),
  },
  {
    title: "questions",
    build: (world) =>
      graph(TestState)
        .start(work(world, "a"))
        .wait({ inputMapper: (value) => ({ value }) })
        .parallel([graph(TestState).start(work(world, "b")).wait(), [work(world, "c", { turns: 1 }), work(world, "d")]])
        .then(work(world, "e")),
  },
  {
    title: "steps",
    build: (world) =>
      graph(TestState)
        .start(stepping(world, "a"))
        .parallel([stepping(world, "b"), stepping(world, "c")]),
  },
];

const SETTINGS = [
  { isSlow: false, options: {} },
  { isSlow: true, options: {} },
  { isSlow: false, options: { snapshotMinLength: 1 } },
  { isSlow: true, options: { snapshotMinLength: 300, maxConcurrency: 2 } },
];

describe("a run whose process dies after any write ends as if nothing had happened:", () => {
  for (const { title, build } of GRAPHS) {
    test.each(SETTINGS)(`${title} (%j)`, async (settings) => {
      const reference = await survive(build, { ...settings, lives: [] });
      expect(reference).toMatchObject({ status: "completed", violations: [] });
      for (let writes = 0; writes <= reference.writeCount; writes++) {
        const once = [writes];
        const again = [writes, ...Array<number>(30).fill(3)];
        for (const lives of [once, again]) {
          const { fields, status, violations } = await survive(build, { ...settings, lives });
          expect({ lives, fields, status, violations }).toEqual({ lives, ...pick(reference) });
        }
      }
    });
  }
});

function pick({ fields, status, violations }: Awaited<ReturnType<typeof survive>>) {
  return { fields, status, violations };
}

describe("any graph", () => {
  const torments = fc.record({
    lives: fc.array(fc.integer({ min: 0, max: 15 }), { maxLength: 8 }),
    isSlow: fc.boolean(),
    options: fc.record({
      maxConcurrency: fc.integer({ min: 1, max: 5 }),
      snapshotMinLength: fc.constantFrom(1, 500, 1_000_000),
    }),
  });

  test("ends as if its parts had run one after another, whatever the timing and the crashes", async () => {
    await fc.assert(
      fc.asyncProperty(plans, torments, async (plan, torment) => {
        const { fields, status, violations } = await survive((world) => buildPlan(plan, world), torment);
        expect({ fields, status, violations }).toEqual({ ...interpretPlan(plan), violations: [] } as never); // `fields` is typed loosely
      }),
      { numRuns: 300 },
    );
  });
});

describe("a journal that does not make sense", () => {
  const compiled = graph(TestState)
    .start([node("a"), node("b")])
    .end()
    .compile();
  const { fingerprint } = compiled.code.program;
  const begun: JournalRecord = {
    type: "run",
    at: 0,
    format: 1,
    runId: "r",
    workflow: { name: "g" },
    fingerprint,
    nodes: ["a", "b"],
    input: {},
  };
  const done = (task: string): JournalRecord => ({ type: "done", at: 0, task, node: task, attempt: 1, startedAt: 0 });

  async function resumeFrom(bodies: readonly { readonly kind: "record" | "snapshot"; readonly body: string }[]) {
    const checkpointer = new MemorySaver();
    const journal = await checkpointer.open("r", "create");
    for (const [index, entry] of bodies.entries()) await journal.append({ sequence: index + 1, ...entry });
    await journal.close();
    return compiled.resume("r", {}, { checkpointer });
  }
  const record = (body: JournalRecord | string) => ({
    kind: "record" as const,
    body: typeof body === "string" ? body : encodeRecord(body),
  });

  test.each([
    {
      title: "mentions a task that was not in progress",
      entries: [record(begun), record(done("b"))],
      error: new JournalCorruptError("r", 2, 'it mentions "b", which was not in progress', {
        cause: new RangeError('it mentions "b", which was not in progress'),
      }),
    },
    {
      title: "has no beginning",
      entries: [record(done("a"))],
      error: new JournalCorruptError("r", 1, "its beginning is missing"),
    },
    {
      title: "has another format",
      entries: [record({ ...begun, format: 99 })],
      error: new JournalCorruptError("r", 1, "its format is 99, this version of Atomic reads 1"),
    },
  ])("is rejected when it $title", async ({ entries, error }) => {
    expect(await rejectionOf(resumeFrom(entries))).toEqual(error);
  });

  test.each([
    { title: "record", entries: [record(begun), record("{torn")], sequence: 2 },
    { title: "snapshot", entries: [record(begun), { kind: "snapshot" as const, body: "{torn" }], sequence: 2 },
  ])("is rejected when a $title is not JSON", async ({ entries, sequence }) => {
    const error = await rejectionOf(resumeFrom(entries));
    expect(error).toBeInstanceOf(JournalCorruptError);
    expect(error.message).toStartWith(`The journal of the run "r" is damaged at entry ${sequence} (`);
    expect(error.cause).toBeInstanceOf(SyntaxError);
  });

  test("continues where an intact one ends", async () => {
    expect((await resumeFrom([record(begun), record(done("a"))])).state.log).toEqual(["b"]);
  });
});
