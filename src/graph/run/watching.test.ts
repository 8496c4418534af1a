import { describe, expect, test } from "bun:test";
import type { RunEvent } from "../../contracts/index.ts";
import { graph } from "../builder.ts";
import { NobodyToAskError } from "../decide/open-questions.ts";
import { node, TestState } from "../fixtures/test-nodes.ts";
import { MemorySaver } from "../savers/memory-saver.ts";
import type { StreamOptions } from "./run-options.ts";

const compiled = graph(TestState)
  .start(node("first"))
  .parallel([node("left"), node("right")])
  .wait({ id: "gate" })
  .end()
  .compile();

test("a stream yields only the requested types of event, and ends with the whole result", async () => {
  const stream = compiled.stream({}, { checkpointer: new MemorySaver(), events: ["node-end", "request"] });
  const seen: RunEvent["type"][] = [];
  let step = await stream.next();
  for (; !step.done; step = await stream.next()) seen.push(step.value.type);
  expect(seen).toEqual(["node-end", "node-end", "node-end", "request"]);
  expect(step.value.status).toBe("suspended");
});

test("onProgress receives the state after each step, with a saver and without", async () => {
  for (const checkpointer of [undefined, new MemorySaver()]) {
    const logs: unknown[] = [];
    const options = checkpointer === undefined ? {} : { checkpointer };
    await compiled.run({}, { ...options, onProgress: (state) => logs.push("log" in state ? state.log : undefined) });
    expect(logs).toEqual([["first"], ["first"], ["first", "left", "right"]]);
  }
});

test("the end of a node reports its update, and on request the state after it", async () => {
  const ends = async (options: StreamOptions) => {
    const seen: unknown[] = [];
    const small = graph(TestState)
      .start(node("a"))
      .then(node("quiet", () => undefined))
      .end()
      .compile();
    for await (const event of small.stream({}, { ...options, events: ["node-end"] })) {
      if (event.type === "node-end") seen.push([event.nodeId, event.update, event.state?.log]);
    }
    return seen;
  };
  expect(await ends({})).toEqual([
    ["a", { log: ["a"] }, undefined],
    ["quiet", undefined, undefined],
  ]);
  expect(await ends({ hasStateInEvents: true })).toEqual([
    ["a", { log: ["a"] }, ["a"]],
    ["quiet", undefined, ["a"]],
  ]);
});

describe("a callback that throws", () => {
  const small = graph(TestState).start(node("a")).then(node("b")).end().compile();
  const shout = (what: string) => () => {
    throw new Error(what);
  };

  test("does not stop the run, whose result reports it once", async () => {
    const { status, state, warnings } = await small.run({}, { onEvent: shout("e"), onProgress: shout("p") });
    expect({ status, log: state.log, warnings }).toEqual({
      status: "completed",
      log: ["a", "b"],
      warnings: ["onEvent threw; the run continues: e", "onProgress threw; the run continues: p"],
    });
  });

  test("later is reported as well, and is not uncaught", async () => {
    const heard = Promise.withResolvers<string>();
    const onEvent = async (event: RunEvent): Promise<void> => {
      if (event.type === "warning") heard.resolve(event.message);
      throw new Error("e");
    };
    expect((await small.run({}, { onEvent })).status).toBe("completed");
    expect(await heard.promise).toBe("onEvent threw; the run continues: e");
  });

  test("is reported to the other one", async () => {
    const heard: string[] = [];
    const onEvent = (event: RunEvent): void => {
      if (event.type === "warning") heard.push(event.message);
    };
    await small.run({}, { onEvent, onProgress: shout("p") });
    expect(heard).toEqual(["onProgress threw; the run continues: p"]);
  });
});

describe("a question in a run without a journal", () => {
  const asking = (autoApprove?: { readonly afterMs: number }) =>
    graph(TestState)
      .start(node("a"))
      .wait({ id: "gate", prompt: "Ship it?", ...(autoApprove === undefined ? {} : { autoApprove }) })
      .end()
      .compile();

  test("fails at once, because no answer could reach it", async () => {
    const { status, error, requests } = await asking().run({});
    expect({ status, requests, error }).toEqual({
      status: "failed",
      requests: [],
      error: new NobodyToAskError("gate", "Ship it?"),
    });
    expect(error?.message).toBe(
      'The node "gate" asks "Ship it?", but without a journal no answer can ever reach this run. Give compile() or run() a `checkpointer`, or the question an `autoApprove`.',
    );
  });

  test("may answer itself, unless that takes longer than the process waits", async () => {
    expect((await asking({ afterMs: 1 }).run({})).status).toBe("completed");
    expect((await asking({ afterMs: 1_000 }).run({}, { autoApproveWaitMs: 10 })).status).toBe("failed");
  });
});
