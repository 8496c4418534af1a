import { afterAll, expect, test } from "bun:test";
import { BudgetSpentError } from "../../../contracts/index.ts";
import { rejectionOf } from "../../../testkit/conformance/rejection-of.ts";
import type { ModelToolCall } from "../../../testkit/index.ts";
import { startClaudeBench } from "./fixtures/claude-bench.ts";

const bench = await startClaudeBench(process.env.PATH ?? "");
const { client, models } = bench;
afterAll(() => bench.stop());

const READ: ModelToolCall = { name: "Read", input: { file_path: "README.md" } };
const DELEGATE: ModelToolCall = {
  name: "Agent",
  input: { description: "Look around", subagent_type: "general-purpose", prompt: "Look." },
};

test.each([
  { title: "a turn", first: READ, spentUsd: 0.009 },
  // The sub-agent's output tokens are reported at the end of the turn.
  { title: "a turn's sub-agent", first: DELEGATE, spentUsd: 0.007 },
])("$title makes no further model call once the budget is spent", async ({ first, spentUsd }) => {
  const asked: string[] = [];
  models.setScript(({ body }) => {
    const isOwn = JSON.stringify(body).includes("the-task-of-the-turn");
    asked.push(isOwn ? "turn" : "sub-agent");
    // A call costs $0.0045, of which reading is $0.0025.
    return { type: "message", toolCalls: [isOwn ? first : READ], usage: { inputTokens: 2_500, outputTokens: 1_000 } };
  });
  const session = await client.createSession({ maxBudgetUsd: 0.006, permissions: { rules: [], otherwise: "allow" } });
  const error = await rejectionOf(session.send("Do the-task-of-the-turn."));
  expect(error).toBeInstanceOf(BudgetSpentError);
  expect(error).toMatchObject({ spent: { spentUsd: expect.closeTo(spentUsd, 6) } });
  expect(asked).toEqual(["turn", first === READ ? "turn" : "sub-agent"]);
  expect(await rejectionOf(session.send("Go on."))).toMatchObject({ spent: { spentUsd: expect.closeTo(0.009, 6) } });
  await session.destroy();
});
