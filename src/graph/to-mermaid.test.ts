import { expect, test } from "bun:test";
import { graph } from "./builder.ts";
import { logs, node, TestState } from "./fixtures/test-nodes.ts";
import { decisionNode } from "./nodes/decision-node.ts";

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

test("text of a node cannot leave its label", () => {
  const sly = node("sly", undefined, { name: 'x"] --> y\n<b>;#' });
  expect(graph(TestState).start(sly).end().compile().toMermaid()).toContain('n0["x#34;] --#62; y #60;b#62;#59;#35;"]');
});
