import { expect, test } from "bun:test";
import { NoRouteError } from "../../errors/errors.ts";
import type { TestState } from "../../fixtures/test-nodes.ts";
import type { ExecutionContext } from "../../model/execution-context.ts";
import { decisionNode } from "./decision-node.ts";

const routes = [
  { condition: ({ total }: Readonly<TestState>) => total > 10, target: "high" },
  { condition: ({ total }: Readonly<TestState>) => total > 5, target: "middle" },
];

/** Decides with this total. */
function decide(decision: ReturnType<typeof decisionNode<TestState>>, total: number) {
  // The cast is true as far as a decision looks: it reads nothing but the state.
  return decision.execute({ state: { total } } as ExecutionContext<TestState>);
}

test("a decision takes the first route that matches, else its fallback", () => {
  const decision = decisionNode<TestState>({ id: "d", routes, fallback: "low" });
  expect([11, 6, 1].map((total) => decide(decision, total))).toEqual([
    { goto: "high" },
    { goto: "middle" },
    { goto: "low" },
  ]);
});

test("a decision without a fallback fails when no route matches", () => {
  const decision = decisionNode<TestState>({ id: "d", routes });
  expect(() => decide(decision, 1)).toThrow(new NoRouteError("d"));
});

test("a decision lists its possible targets, for validation", () => {
  expect(decisionNode<TestState>({ id: "d", name: "D", description: "x", routes, fallback: "low" })).toMatchObject({
    id: "d",
    type: "decision",
    name: "D",
    description: "x",
    targets: ["high", "middle", "low"],
  });
  expect(decisionNode<TestState>({ id: "d", routes }).targets).toEqual(["high", "middle"]);
});
