import { describe, expect, test } from "bun:test";
import type { PermissionPolicy, PermissionRequest, ToolInterceptor } from "../../../contracts/index.ts";
import { PermissionGate } from "../../policy/permission-gate.ts";
import { startManualTurn } from "../../turn/fixtures/manual-turn.ts";
import type { OpenCodeCall } from "./opencode-call.ts";
import { OpenCodeCallGate } from "./opencode-call-gate.ts";

const BASH: OpenCodeCall = {
  sessionId: "ses_1",
  callId: "call_1",
  tool: "bash",
  input: { command: "make" },
  directory: "/work",
  isMcp: false,
};
const PLACE = { sessionId: "ses_1", callId: "call_1" };
const ASKED: PermissionRequest = {
  id: "per_1",
  sessionId: "s",
  kind: "shell",
  toolName: "bash",
  title: "bash: make",
  paths: [],
  command: "make",
};
const MAKE: PermissionPolicy = { rules: [{ effect: "allow", commands: ["make"] }] };

function createGate(permissions: PermissionPolicy, beforeTool?: ToolInterceptor, { turn } = startManualTurn()) {
  const gate = new PermissionGate({ config: { permissions }, workingDirectory: "/work" });
  return new OpenCodeCallGate({ agentType: "opencode", sessionId: "s", gate, beforeTool, turn: () => turn });
}

describe("a permission that OpenCode asks for", () => {
  test("is allowed when its call was, and decided again when it asks for more or for something else", async () => {
    const calls = createGate(MAKE);
    expect(await calls.decide(BASH)).toEqual({ type: "continue" });
    expect(calls.judgeAsked(ASKED, PLACE)).toEqual({ type: "decided" });
    const outside = { ...ASKED, paths: ["/etc"] };
    expect(calls.judgeAsked(outside, PLACE)).toEqual({ type: "open", request: outside });
    const other = { ...ASKED, command: "rm x" };
    expect(calls.judgeAsked(other, PLACE)).toEqual({ type: "open", request: other });
    const edit: PermissionRequest = { ...ASKED, kind: "edit", paths: ["/work/a"] };
    expect(calls.judgeAsked(edit, PLACE)).toEqual({ type: "open", request: edit });
  });

  test("is decided again when its call was denied", async () => {
    const calls = createGate({ rules: [] });
    expect(await calls.decide(BASH)).toMatchObject({ type: "block" });
    expect(calls.judgeAsked(ASKED, PLACE)).toEqual({ type: "open", request: ASKED });
  });

  test("is an error when its call was never seen, even if another session has a call with the same id", async () => {
    const calls = createGate(MAKE);
    await calls.decide({ ...BASH, sessionId: "ses_2" });
    expect(calls.judgeAsked(ASKED, PLACE)).toMatchObject({ type: "ungated", error: { toolName: "bash" } });
  });
});

test("a call that is reported again is decided again, and the last decision counts", async () => {
  const calls = createGate(MAKE);
  expect(await calls.decide(BASH)).toEqual({ type: "continue" });
  expect(await calls.decide({ ...BASH, input: { command: "rm x" } })).toMatchObject({ type: "block" });
  expect(calls.judgeAsked(ASKED, PLACE)).toEqual({ type: "open", request: ASKED });
});

test("a call that ran without a decision is an error, except the structured answer", async () => {
  const calls = createGate(MAKE);
  await calls.decide(BASH);
  expect(calls.ungated("bash", PLACE)).toBeUndefined();
  expect(calls.ungated("StructuredOutput", { ...PLACE, callId: "call_2" })).toBeUndefined();
  expect(calls.ungated("bash", { ...PLACE, callId: "call_2" })).toMatchObject({ code: "UNGATED_TOOL_CALL" });
});

test("the policy judges the call as the interceptor changed it", async () => {
  const calls = createGate(MAKE, async () => ({ type: "continue", input: { command: "rm x" } }));
  expect(await calls.decide(BASH)).toMatchObject({ type: "block" });
});

test("a call that the interceptor blocks is listed as denied, with its reason", async () => {
  const manual = startManualTurn();
  const calls = createGate(MAKE, async () => ({ type: "block", reason: "not today" }), manual);
  expect(await calls.decide(BASH)).toEqual({ type: "block", reason: "not today" });
  expect(manual.heard.filter(({ type }) => type === "permission-denied")).toEqual([
    {
      ...{ type: "permission-denied", sessionId: "s", at: 7 },
      denied: { toolName: "bash", kind: "shell", title: "bash: make", reason: "not today" },
    },
  ]);
});

test("an interceptor that fails blocks the call, and nothing runs between turns", async () => {
  const calls = createGate(MAKE, async () => {
    throw new Error("broken");
  });
  expect(await calls.decide(BASH)).toEqual({ type: "block", reason: "The call could not be checked: broken" });
  const gate = new PermissionGate({ config: {}, workingDirectory: "/work" });
  const idle = new OpenCodeCallGate({ agentType: "opencode", sessionId: "s", gate, turn: () => undefined });
  expect(await idle.decide(BASH)).toEqual({ type: "block", reason: "No turn runs in which this could be called." });
});

test("quiet tools need no approval, whatever the policy says", async () => {
  const calls = createGate({ rules: [], otherwise: "deny" });
  expect(await calls.decide({ ...BASH, tool: "todowrite", input: { todos: [] } })).toEqual({ type: "continue" });
});

test("a patch that moves a file needs what reading it needs", async () => {
  const calls = createGate({
    rules: [
      { effect: "allow", tools: ["edit"] },
      { effect: "deny", tools: ["read"], paths: ["*.pem"] },
    ],
  });
  const move = (file: string): OpenCodeCall => ({
    ...BASH,
    tool: "apply_patch",
    input: { patchText: `*** Begin Patch\n*** Update File: ${file}\n*** Move to: public.txt\n@@\n+x\n*** End Patch` },
  });
  expect([await calls.decide(move("a.txt")), (await calls.decide(move("key.pem"))).type]).toEqual([
    { type: "continue" },
    "block",
  ]);
});

test("a quiet tool that the list of tools does not name is blocked", async () => {
  const calls = createGate({ rules: [{ effect: "deny", exceptTools: ["read"] }], otherwise: "allow" });
  expect(await calls.decide({ ...BASH, tool: "todowrite", input: { todos: [] } })).toEqual({
    type: "block",
    reason: 'Denied: "todowrite" is not among the tools that may be used here: "read".',
  });
});
