import { describe, expect, test } from "bun:test";
import { graph } from "../builder.ts";
import { node, recordsOf, TestState } from "../fixtures/test-nodes.ts";
import { MemorySaver } from "../savers/memory-saver.ts";

/** Changes the objects that a call was given before anything is awaited. */
async function changeBehind<Result>(running: Promise<Result>, ...given: readonly Record<string, unknown>[]) {
  for (const object of given) for (const key of Object.keys(object)) object[key] = "changed";
  return await running;
}

function setUp() {
  const checkpointer = new MemorySaver();
  const asking = graph(TestState)
    .start(node("begin"))
    .wait({ id: "gate", inputMapper: (answer) => ({ value: answer }) })
    .end()
    .compile({ checkpointer });
  return { asking, checkpointer };
}

describe("what a caller changes right after the call changes nothing", () => {
  test("of a graph's first run and of its next ones", async () => {
    const { asking, checkpointer } = setUp();
    for (const runId of ["first", "second"]) {
      const [input, options] = [{ value: "own" }, { runId }];
      const { state } = await changeBehind(asking.run(input, options), input, options);
      const [first] = await recordsOf(checkpointer, runId);
      expect<unknown>([state.value, first]).toEqual([
        "own",
        expect.objectContaining({ type: "run", input: { value: "own" } }),
      ]);
    }
  });

  test("of a run that is resumed, or forked", async () => {
    const { asking } = setUp();
    await asking.run({}, { runId: "r" });
    const at = (await asking.history("r")).at(-1)?.sequence ?? 0;
    const [from, options] = [{ at, update: { value: "own" } }, { runId: "forked" }];
    const forked = await changeBehind(asking.fork("r", from, options), from, options);
    const answers = { gate: "yes" };
    const resumed = await changeBehind(asking.resume("r", answers), answers);
    expect([forked.runId, forked.state.value, resumed.state.value]).toEqual(["forked", "own", "yes"]);
  });

  test("of a plan", async () => {
    const input = { value: "own" };
    const { state } = await changeBehind(graph(TestState).start(node("n")).end().compile().plan(input), input);
    expect(state.value).toBe("own");
  });
});
