import { describe, expect, test } from "bun:test";
import { graph } from "./builder.ts";
import { controlled, failing, logs, node, TestState } from "./fixtures/test-nodes.ts";
import type { NodeDefinition } from "./node-definition.ts";
import { waitNode } from "./nodes/wait-node.ts";
import { MemorySaver } from "./savers/memory-saver.ts";

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

  test.each(cases)("is tried again by each resume, $title, $how", async ({ sibling, options }) => {
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

  test.each(savings)("is tried again where it is the join around another, $how", async ({ options }) => {
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
