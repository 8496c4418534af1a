import { describe, expect, test } from "bun:test";
import { type GraphBuilder, graph } from "../builder.ts";
import { logs, node, TestState } from "../fixtures/test-nodes.ts";
import { decisionNode } from "../nodes/flow/decision-node.ts";
import { parallelNode } from "../nodes/flow/parallel-node.ts";
import { parallelSubagentNode } from "../nodes/subagents/parallel-subagent-node.ts";

/** The arrows of a graph, sorted, with the labels of nodes in place of their names in the picture. */
function arrowsOf(builder: GraphBuilder<TestState>): readonly string[] {
  const text = builder.end().compile().toMermaid();
  const labels = new Map(
    [...text.matchAll(/^ +(n\d+)[^\w ]+(.+?)"/gm)].map(([, name = "", label = ""]) => [name, label]),
  );
  const arrows = text.split("\n").filter((line) => line.includes(">"));
  return arrows.map((line) => line.trim().replace(/\bn\d+\b/g, (name) => labels.get(name) ?? name)).toSorted();
}

test("a graph is drawn with all its ways", () => {
  const compiled = graph(TestState)
    .start(node("plan", undefined, { name: "Plan the work" }))
    .if((state) => state.isDone, { id: "done?" })
    .then(node("skip"))
    .else()
    .parallel([node("left"), [node("right"), node("further")]], { id: "both" })
    .endif()
    .loop(node("again"), { id: "rounds", maxIterations: 3 })
    .map(() => [], node("each"), { id: "items" })
    .then(
      decisionNode<TestState>({ id: "route", routes: [{ condition: () => true, target: "plan" }], fallback: "ask" }),
    )
    .wait({ id: "ask" })
    .catch(() => logs("x"))
    .end()
    .compile();
  expect(compiled.toMermaid()).toBe(`flowchart TD
  start([start])
  n0["Plan the work"]
  n1{"done?"}
  n2["skip"]
  n10{{"rounds"}}
  n11["again"]
  n13[["items"]]
  j13(( ))
  n14["each"]
  n16{"route"}
  n17[/"ask"/]
  n4[["both"]]
  j4(( ))
  n5["left"]
  n7["right"]
  n8["further"]
  n19["catch_1"]
  finish([end])
  n11 --> n10
  n10 -- again --> n11
  n14 --> j13
  n13 -- each --> n14
  n16 -.-> n0
  n17 --> finish
  n16 -.-> n17
  j13 --> n16
  n10 -- done --> n13
  n2 --> n10
  n1 -- yes --> n2
  n5 --> j4
  n4 -- "left" --> n5
  n8 --> j4
  n7 --> n8
  n4 -- "right" --> n7
  j4 --> n10
  n1 -- no --> n4
  n0 --> n1
  start --> n0
  n19 --> finish
  n0 -. failure .-> n19
`);
});

describe("the arrows of", () => {
  test.each<{ title: string; build: () => GraphBuilder<TestState>; expected: readonly string[] }>([
    {
      title: "a catch within a branch lead to where the branches meet",
      build: () =>
        graph(TestState)
          .parallel([graph(TestState).start(node("left")).catch(node("rescue")), node("right")], { id: "both" })
          .then(node("last")),
      expected: [
        'both -- "left" --> left',
        'both -- "right" --> right',
        "j0 --> last",
        "last --> finish",
        "left --> j0",
        "left -. failure .-> rescue",
        "rescue --> j0",
        "right --> j0",
        "start --> both",
      ],
    },
    {
      title: "a catch within the body of a map lead to its end",
      build: () =>
        graph(TestState)
          .map(() => [], graph(TestState).start(node("each")).catch(node("rescue")), { id: "items" })
          .then(node("last")),
      expected: [
        "each --> j0",
        "each -. failure .-> rescue",
        "items -- each --> each",
        "j0 --> last",
        "last --> finish",
        "rescue --> j0",
        "start --> items",
      ],
    },
    {
      title: "a decision that may also pass lead to the next node too",
      build: () =>
        graph(TestState)
          .start(node("perhaps", undefined, { type: "decision", targets: ["far"] }))
          .then([node("near"), node("far")]),
      expected: ["far --> finish", "near --> far", "perhaps --> near", "perhaps -.-> far", "start --> perhaps"],
    },
    {
      title: "a node that always leaves by its routes lead to no other",
      build: () =>
        graph(TestState)
          .start(node("choose", () => ({ goto: "far" }), { targets: ["near", "far"], leavesByRoute: true }))
          .then([node("near"), node("far")]),
      expected: ["choose -.-> far", "choose -.-> near", "far --> finish", "near --> far", "start --> choose"],
    },
    {
      title: "a parallelNode leads to its nodes, and each of them to the step after it",
      build: () =>
        graph(TestState)
          .start(parallelNode({ id: "both", branches: [node("left"), node("right")] }))
          .then(node("last")),
      expected: [
        'both -- "left" --> left',
        'both -- "right" --> right',
        "j0 --> last",
        "last --> finish",
        "left --> j0",
        "right --> j0",
        "start --> both",
      ],
    },
    {
      title: "a parallelNode with the ids of nodes are the same",
      build: () =>
        graph(TestState)
          .start(parallelNode({ id: "both", branches: ["left", "right"] }))
          .then([node("left"), node("right"), node("last")]),
      expected: [
        'both -- "left" --> left',
        'both -- "right" --> right',
        "j0 --> last",
        "last --> finish",
        "left --> j0",
        "right --> j0",
        "start --> both",
      ],
    },
    {
      title: "a node that is both a branch and the target of another show both ways",
      build: () =>
        graph(TestState)
          .start(decisionNode({ id: "one?", routes: [{ condition: () => true, target: "left" }], fallback: "both" }))
          .then(parallelNode({ id: "both", branches: ["left", "right"] }))
          .then([node("left"), node("right")]),
      expected: [
        'both -- "left" --> left',
        'both -- "right" --> right',
        "j1 --> finish",
        "left --> j1",
        "left --> right",
        "one? -.-> both",
        "one? -.-> left",
        "right --> finish",
        "right --> j1",
        "start --> one?",
      ],
    },
    {
      title: "parallel sub-agents join after the last",
      build: () =>
        graph(TestState)
          .start(
            parallelSubagentNode<TestState>({
              id: "agents",
              agents: [
                { agentName: "one", task: "Look" },
                { agentName: "two", task: "Look" },
              ],
              merge: () => ({}),
            }),
          )
          .then(node("last")),
      expected: [
        '2 sub-agents -- "agents-one-0" --> one',
        '2 sub-agents -- "agents-two-1" --> two',
        "j0 --> last",
        "last --> finish",
        "one --> j0",
        "start --> 2 sub-agents",
        "two --> j0",
      ],
    },
    {
      title: "sub-agents of which there are none lead on",
      build: () =>
        graph(TestState)
          .start(parallelSubagentNode<TestState>({ id: "agents", agents: [], merge: () => ({}) }))
          .then(node("last")),
      expected: ["0 sub-agents --> last", "last --> finish", "start --> 0 sub-agents"],
    },
  ])("$title", ({ build, expected }) => {
    expect(arrowsOf(build())).toEqual(expected);
  });
});

test("text of a node cannot leave its label", () => {
  const sly = node("sly", undefined, { name: 'x"] --> y\n<b>;#' });
  expect(graph(TestState).start(sly).end().compile().toMermaid()).toContain('n0["x#34;] --#62; y #60;b#62;#59;#35;"]');
});
