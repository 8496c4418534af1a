import { afterAll, expect, test } from "bun:test";
import { isOfConversation, toolResultsOf } from "../../../testkit/conformance/client/client-script.ts";
import { PLAN_MODE_CALLS, preparePlanMode, worktreesIn } from "../../fixtures/plan-mode-calls.ts";
import { startClaudeBench } from "./fixtures/claude-bench.ts";

const bench = await startClaudeBench(process.env.PATH ?? "");
const { client, models, script, workFolder } = bench;
afterAll(() => bench.stop());

test("in plan mode no worktree is created, and the agent learns that it stays in plan mode", async () => {
  await preparePlanMode(bench);
  script(...PLAN_MODE_CALLS);
  const session = await client.createSession({
    permissionMode: "plan",
    permissions: { rules: [], otherwise: "allow" },
  });
  const { content, deniedPermissions } = await session.send("Plan it.");
  expect([content, worktreesIn(workFolder)]).toEqual(["Planned.", []]);
  expect(deniedPermissions.map(({ toolName }) => toolName)).toEqual(["EnterWorktree", "Agent"]);
  const last = models.requests.findLast(isOfConversation);
  const results = last === undefined ? [] : toolResultsOf(last);
  expect(results.slice(-2)).toEqual([
    expect.stringContaining("WorktreeCreate hook failed"),
    expect.stringContaining("this session stays in plan mode"),
  ]);
});
