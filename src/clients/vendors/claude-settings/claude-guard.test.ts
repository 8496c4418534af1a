import { expect, test } from "bun:test";
import { type PermissionMode, type PermissionPolicy, UngatedToolCallError } from "../../../contracts/index.ts";
import type { AgentTurn } from "../../turn/agent-turn.ts";
import { startManualTurn } from "../../turn/fixtures/manual-turn.ts";
import { ClaudeGuard } from "./claude-guard.ts";

const SIGNAL = new AbortController().signal;

/** A guard that allows every call, in a turn that has begun. */
function openGuard(permissionMode: PermissionMode = "default", rules: PermissionPolicy["rules"] = []) {
  const { turn } = startManualTurn();
  const place = { sessionId: "s", workingDirectory: "/work", homeFolder: "/home/user" };
  const config = { permissions: { rules, otherwise: "allow" }, permissionMode } as const;
  const state: { turn: AgentTurn | undefined } = { turn };
  const guard = new ClaudeGuard({ agentType: "claude", config, ...place, turn: () => state.turn });
  const see = (toolId: string, name = "Bash", input: object = { command: "ls" }) =>
    guard.beforeTool({ tool_name: name, tool_input: input }, toolId, { signal: SIGNAL });
  const outcome = async () => {
    await turn.settled;
    return Promise.try(() => turn.result()).catch((error: unknown) => error);
  };
  return { guard, turn, see, outcome, state };
}

test("a permission request for a call that the hook never saw is denied and aborts the turn", async () => {
  const { guard, see, outcome } = openGuard();
  await see("seen");
  const asked = { signal: SIGNAL, toolUseID: "unseen" };
  expect(await guard.canUseTool("Bash", { command: "ls" }, asked)).toEqual({
    behavior: "deny",
    message: "Atomic was not asked about this call before.",
  });
  expect(await outcome()).toEqual(new UngatedToolCallError("claude", "Bash"));
});

test("a call that ran without the hook seeing it aborts the turn", async () => {
  const { guard, see, outcome } = openGuard();
  await see("seen");
  guard.noteToolEnd({ toolId: "unseen", toolName: "Write", isError: false });
  expect(await outcome()).toEqual(new UngatedToolCallError("claude", "Write"));
});

test("a call that the hook saw, or that failed, or ends between turns, aborts nothing", async () => {
  const { guard, turn, see, state } = openGuard();
  await see("seen");
  guard.noteToolEnd({ toolId: "seen", toolName: "Bash", isError: false });
  guard.noteToolEnd({ toolId: "unknown", toolName: "NoSuchTool", isError: true });
  expect(turn.signal.aborted).toBe(false);
  state.turn = undefined;
  guard.noteToolEnd({ toolId: "late", toolName: "Bash", isError: false });
  expect(turn.signal.aborted).toBe(false);
  turn.complete();
});

test("what the hook saw and allowed runs", async () => {
  const { guard, turn, see } = openGuard();
  expect(await see("seen")).toEqual({
    hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "ask" },
  });
  const asked = { signal: SIGNAL, toolUseID: "seen" };
  const input = { command: "ls" };
  expect(await guard.canUseTool("Bash", input, asked)).toEqual({ behavior: "allow", updatedInput: input });
  expect(turn.signal.aborted).toBe(false);
  turn.complete();
});

test("between turns the hook and the permission callback deny", async () => {
  const { guard, turn, see, state } = openGuard();
  turn.complete();
  state.turn = undefined;
  const reason = "No turn is in progress in which this could be approved.";
  expect(await see("late")).toEqual({
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "deny",
      permissionDecisionReason: reason,
    },
  });
  expect(await guard.canUseTool("Bash", {}, { signal: SIGNAL, toolUseID: "late" })).toEqual({
    behavior: "deny",
    message: reason,
  });
});

test.each([
  { name: "EnterWorktree", input: { name: "wt" }, reason: "in plan mode nothing is changed" },
  { name: "ExitWorktree", input: { action: "remove" }, reason: "in plan mode nothing is changed" },
  { name: "Agent", input: { prompt: "Look.", isolation: "worktree" }, reason: "in plan mode nothing is changed" },
  { name: "ExitPlanMode", input: { plan: "Do it." }, reason: "this session stays in plan mode" },
])("plan mode denies $name, which no rule matches", async ({ name, input, reason }) => {
  const usual = openGuard();
  expect((await usual.see("1", name, input)).hookSpecificOutput.permissionDecision).not.toBe("deny");
  const planning = openGuard("plan");
  const { hookSpecificOutput } = await planning.see("1", name, input);
  expect(hookSpecificOutput).toMatchObject({
    permissionDecision: "deny",
    permissionDecisionReason: expect.stringContaining(reason),
  });
  for (const { turn } of [usual, planning]) turn.complete();
});

test("plan mode denies a worktree that a user's hook requests", async () => {
  const { guard, turn, see } = openGuard("plan");
  await see("1", "Agent", { prompt: "Look." });
  const asked = { signal: SIGNAL, toolUseID: "1" };
  const changed = { prompt: "Look.", isolation: "worktree" };
  expect(await guard.canUseTool("Agent", changed, asked)).toMatchObject({ behavior: "deny" });
  turn.complete();
});

test("quiet tools and questions that the list of tools does not name are denied, the structured answer never", async () => {
  const { turn, see } = openGuard("default", [{ effect: "deny", exceptTools: ["read", "question"] }]);
  const decisions: unknown[] = [];
  for (const name of ["TodoWrite", "AskUserQuestion", "StructuredOutput"]) {
    decisions.push((await see(name, name, {})).hookSpecificOutput);
  }
  expect(decisions).toEqual([
    {
      hookEventName: "PreToolUse",
      permissionDecision: "deny",
      permissionDecisionReason: 'Denied: "TodoWrite" is not among the tools that may be used here: "read", "question".',
    },
    { hookEventName: "PreToolUse", permissionDecision: "ask" },
    { hookEventName: "PreToolUse", permissionDecision: "allow" },
  ]);
  turn.complete();
});
