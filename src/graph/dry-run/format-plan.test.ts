import { expect, test } from "bun:test";
import { NO_USAGE } from "../../contracts/index.ts";
import { graph } from "../builder.ts";
import { FakeCodingAgent } from "../fixtures/fake-coding-agent.ts";
import { failing, node, TestState } from "../fixtures/test-nodes.ts";
import { agentNode } from "../nodes/agents/agent-node.ts";
import { decisionNode } from "../nodes/flow/decision-node.ts";
import { subgraphNode } from "../nodes/flow/subgraph-node.ts";
import { shellNode } from "../nodes/tools/shell-node.ts";
import { formatPlan } from "./format-plan.ts";
import type { PlanReport } from "./plan-report.ts";

test("a plan in text has one line per step, indented by its branch or graph", async () => {
  const inner = graph(TestState).start(node("find")).end().compile();
  const compiled = graph(TestState)
    .start(agentNode<TestState>({ id: "write", buildMessage: "Write.", model: "small" }))
    .loop(node("check"), { maxIterations: 1 })
    .if(({ total }) => total > 0, { id: "enough" })
    .then(node("never"))
    .endif()
    .parallel([
      [node("left"), shellNode<TestState>({ id: "test", command: "npm test" })],
      subgraphNode<TestState, TestState>({ id: "deep", subgraph: inner }),
    ])
    .map(() => ["x"], node("each"))
    .wait({ id: "gate", prompt: "Ship it?", autoApprove: { afterMs: 30_000 } })
    .then(decisionNode<TestState>({ id: "go", routes: [], fallback: "last" }))
    .then(node("last", undefined, { retry: { maxAttempts: 2 } }))
    .end()
    .compile();
  const report = await compiled.plan(
    {},
    { clients: () => new FakeCodingAgent([{ content: "text" }]), results: { check: { total: 0 } } },
  );
  expect(formatPlan(report)).toBe(`completed: 10 visits of nodes, after 30 s of waiting
  write: agent, by fake, model small
  loop_1: iteration 1
  check: tool, result given
  loop_1: at its limit after 1
  enough? no
  parallel_1: in parallel
    left › left: tool, not executed
    deep › deep: subgraph
    left › test: tool
    left › test $ npm test → exit code 0 (not executed)
      deep › deep › find: tool, not executed
  map_1: 1 item
    0 › each: tool, not executed
  gate: wait
  gate asks: Ship it? → "yes" (automatic)
  go: decision
  go → last
  last: tool, not executed
`);
});

test("a plan in text has failures and attempts", async () => {
  const compiled = graph(TestState)
    .start(failing("flaky", "broken\u001b[31m\nfor good", { retry: { maxAttempts: 3 } }))
    .end()
    .compile();
  expect(formatPlan(await compiled.plan({}, { runTools: true }))).toBe(
    "failed: 1 visit of nodes, after 3 s of waiting\nerror NODE_FAILED: broken [31m for good\n  flaky: tool, 3 attempts, failed\n",
  );
});

test("a plan in text has its long lines cut, and says when a question has no answer", () => {
  const question = "Why? ".repeat(40);
  const about = {
    type: "question",
    path: "",
    taskId: "gate",
    options: [],
    answer: undefined,
    source: "given",
  } as const;
  const report: PlanReport = {
    status: "cancelled",
    state: { executionId: "plan", lastUpdated: new Date(0), outputs: {} },
    error: undefined,
    errorInfo: undefined,
    steps: [
      { ...about, question: "Sure?" },
      { ...about, question },
    ],
    loops: [],
    warnings: ["Look\nout"],
    waitedMs: 15,
    usage: NO_USAGE,
  };
  expect(formatPlan(report)).toBe(
    `cancelled: 0 visits of nodes, after 15 ms of waiting\nwarning: Look out\n  gate asks: Sure? → no answer (given)\n${`  gate asks: ${question}`.slice(0, 159)}…\n`,
  );
});
