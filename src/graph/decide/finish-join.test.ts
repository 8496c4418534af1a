import { describe, expect, test } from "bun:test";
import { graph } from "../builder.ts";
import { controlled, failing, logs, node, TestState } from "../fixtures/test-nodes.ts";
import type { NodeDefinition } from "../model/node-definition.ts";
import { waitNode } from "../nodes/people/wait-node.ts";
import { MemorySaver } from "../savers/memory-saver.ts";

/** A graph in which "found" ends the run from within a branch, whose join fails as long as `isBroken()` says so. */
function build(isBroken: () => boolean, sibling: NodeDefinition<TestState>) {
  const found = node("found", ({ finish }) => {
    finish("hit");
    return logs("found");
  });
  return graph(TestState)
    .start(node("first"))
    .parallel([sibling, found], {
      names: ["beside", "search"],
      merge: (results) => {
        if (isBroken()) throw new Error("cannot merge");
        return { log: [...results.keys()] };
      },
    })
    .then(failing("last"))
    .end();
}

describe("a join that fails after a branch has ended the run", () => {
  const siblings = [
    { title: "beside a branch that has ended", sibling: () => node("quick") },
    { title: "beside a branch that asks", sibling: () => waitNode<TestState>({ id: "asks" }) },
    { title: "beside a branch that runs", sibling: () => controlled("slow").node },
  ];
  const savings = [
    { how: "from the journal", options: {} },
    { how: "from a snapshot", options: { snapshotMinLength: 0 } },
  ];
  const cases = siblings.flatMap((sibling) => savings.map((saving) => ({ ...sibling, ...saving })));

  test.each(cases)("is retried by each resume, $title, $how", async ({ sibling, options }) => {
    let isBroken = true;
    const compiled = build(() => isBroken, sibling()).compile({ checkpointer: new MemorySaver(), ...options });
    const first = await compiled.run({}, { runId: "r" });
    expect([first.status, first.errorInfo?.message]).toEqual(["failed", "cannot merge"]);
    const second = await compiled.resume("r");
    expect([second.status, second.errorInfo?.message]).toEqual(["failed", "cannot merge"]);
    isBroken = false;
    const { status, state, output, requests } = await compiled.resume("r");
    expect({ status, log: state.log, output, requests }).toEqual({
      status: "completed",
      log: ["first", "search"],
      output: "hit",
      requests: [],
    });
  });

  test.each(savings)("is retried when it is the join around another one, $how", async ({ options }) => {
    let isBroken = true;
    const found = node("found", ({ finish }) => {
      finish();
      return logs("found");
    });
    const inner = graph(TestState)
      .start(node("look"))
      .parallel([found, waitNode<TestState>({ id: "asks" })]);
    const compiled = graph(TestState)
      .parallel([inner, node("quick")], {
        names: ["inner", "quick"],
        merge: (results) => {
          if (isBroken) throw new Error("cannot merge");
          return { log: results.get("inner")?.log ?? [] };
        },
      })
      .then(failing("last"))
      .end()
      .compile({ checkpointer: new MemorySaver(), ...options });
    expect((await compiled.run({}, { runId: "r" })).errorInfo?.message).toBe("cannot merge");
    isBroken = false;
    const { status, state, output, requests } = await compiled.resume("r");
    expect({ status, log: state.log, output, requests }).toEqual({
      status: "completed",
      log: ["look", "found"],
      output: { log: ["found"] },
      requests: [],
    });
  });
});

test("a node that finishes goes nowhere, whether it names one node or several", async () => {
  for (const goto of ["b", ["b", "c"]]) {
    const compiled = graph(TestState)
      .start(
        node("a", ({ finish }) => {
          finish("done");
          return { ...logs("a"), goto };
        }),
      )
      .then([node("b"), node("c"), failing("last")])
      .end()
      .compile({ checkpointer: new MemorySaver() });
    const { status, output, state } = await compiled.run({}, { runId: "r" });
    expect({ status, output, log: state.log }).toEqual({ status: "completed", output: "done", log: ["a"] });
    expect((await compiled.latestState("r")).log).toEqual(["a"]);
  }
});

test("a node that finishes and names a node that does not exist fails", async () => {
  const lost = node("a", ({ finish }) => {
    finish("done");
    return { goto: ["b", "nowhere"] };
  });
  const compiled = graph(TestState).start(lost).then(node("b")).end().compile();
  const { status, errorInfo } = await compiled.run();
  expect([status, errorInfo?.code]).toEqual(["failed", "GRAPH_UNKNOWN_NODE"]);
});

test("a finish whose join failed leaves no output where a fork around it handles the failure", async () => {
  const found = node("found", ({ finish }) => {
    finish("FINISHED");
    return logs("found");
  });
  const inner = graph(TestState)
    .start(node("look"))
    .parallel([found, node("beside")], {
      merge: () => {
        throw new Error("cannot merge");
      },
    });
  const compiled = graph(TestState)
    .parallel([inner, node("other")], { strategy: "settled" })
    .end()
    .compile({ output: (state) => state.log });
  const { status, output } = await compiled.run();
  expect({ status, output }).toEqual({ status: "completed", output: ["other"] });
});
