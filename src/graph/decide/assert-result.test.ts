import { expect, test } from "bun:test";
import { node, TestState } from "../fixtures/test-nodes.ts";
import { graph } from "../index.ts";
import { isWorthRetrying } from "../nodes/shared/agent-retry.ts";

const KEYS = "A node returns any of: stateUpdate, goto, signals, isPassed, request, sleep, enter.";

test.each([
  {
    returned: { stateUpdte: { total: 5 } },
    text: 'an object with the unknown key "stateUpdte". Did you mean "stateUpdate"?',
  },
  {
    returned: { total: 5 },
    text: 'an object with the unknown key "total". Fields of the state belong in stateUpdate: { stateUpdate: { total: … } }.',
  },
  { returned: { stateUpdate: { total: 5 }, xyz: 1 }, text: `an object with the unknown key "xyz". ${KEYS}` },
  {
    returned: "text",
    text: '"text". A node returns nothing, or an object: { stateUpdate: { … } }. What a toolNode() returns is kept in outputs["r"].',
  },
])("a node of one's own that returns $returned fails", async ({ returned, text }) => {
  // The cast is the lie of a file that nobody type-checks.
  const wrong = node("r", () => returned as never);
  const { status, errorInfo } = await graph(TestState).start(wrong).end().compile().run({});
  expect({ status, errorInfo }).toMatchObject({
    status: "failed",
    errorInfo: { nodeId: "r", code: "NODE_RESULT_INVALID", message: `The node "r" returned ${text}` },
  });
});

test.each([undefined, null, {}])("a node may return %p", async (nothing) => {
  const done = node("r", () => nothing as never);
  expect((await graph(TestState).start(done).end().compile().run({})).status).toBe("completed");
});

test("an unknown key without a value loses nothing, and an agent is not asked again for a wrong result", async () => {
  const attempts: number[] = [];
  const wrong = node(
    "wrong",
    ({ attempt }) => {
      attempts.push(attempt);
      // The cast is a lie on purpose: files that are run directly are not type-checked.
      return { output: 1 } as object;
    },
    { retry: { maxAttempts: 3, backoffMs: 0, retryOn: isWorthRetrying } },
  );
  const fine = node("fine", () => ({ output: undefined }) as object);
  const ended = await graph(TestState).start(fine).then(wrong).end().compile().run();
  expect([ended.errorInfo?.code, attempts]).toEqual(["NODE_RESULT_INVALID", [1]]);
});
