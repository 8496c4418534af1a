import { expect, test } from "bun:test";
import {
  type AgentEvent,
  MaxTurnsReachedError,
  type PermissionPolicy,
  SessionLimits,
  UngatedToolCallError,
} from "../../../contracts/index.ts";
import { PermissionGate } from "../../policy/permission-gate.ts";
import { AgentTurn } from "../../turn/agent-turn.ts";
import { CopilotCallGate } from "./copilot-call-gate.ts";
import { startTranslation, type TranslationState, translateCopilotEvent } from "./copilot-events.ts";
import { parseCopilotEvent } from "./copilot-wire.ts";

const WORK = { workingDirectory: "/work" };
const SHELL: PermissionPolicy = { rules: [{ effect: "allow", tools: ["shell"], commands: ["npm test"] }] };

/** A gate with a turn in progress, and functions that send it a vendor's events. */
function openGate(permissions: PermissionPolicy = SHELL, maxTurns = 100) {
  const events: AgentEvent[] = [];
  const turn = new AgentTurn({
    agentType: "copilot",
    sessionId: "s",
    stallTimeoutMs: 60_000,
    limits: new SessionLimits({ agentType: "copilot", config: { maxTurns } }),
    onEvent: (event) => events.push(event),
    interrupt: async (stopped) => stopped.complete(),
  });
  turn.start(async () => {});
  const known: { state: TranslationState } = { state: startTranslation("s") };
  const config = { permissions };
  const gate = new CopilotCallGate({
    sessionId: "s",
    config,
    ...WORK,
    gate: new PermissionGate({ config, ...WORK }),
    turn: () => turn,
    known: () => known.state,
  });
  gate.noteHooks();
  const tell = (type: string, data: unknown, agentId?: string): void => {
    const event = parseCopilotEvent({ type, data, ...(agentId === undefined ? {} : { agentId }) });
    known.state = translateCopilotEvent(known.state, event).state;
    gate.watch(event, turn);
  };
  const start = (toolCallId: string, toolName: string, input: unknown): void =>
    tell("tool.execution_start", { toolCallId, toolName, arguments: input });
  const outcome = async (): Promise<unknown> => {
    await turn.settled;
    return Promise.try(() => turn.result()).catch((error: unknown) => error);
  };
  return { gate, turn, tell, start, outcome, events };
}

const TEST_CALL = { command: "npm test" };

test("a call is decided by its tool and input, and Copilot's own request for it is then approved", async () => {
  const { gate, start } = openGate();
  start("1", "bash", TEST_CALL);
  expect(await gate.beforeCall({ isOwn: true, toolName: "bash", toolArgs: TEST_CALL })).toEqual({});
  const asked = { kind: "shell", toolCallId: "1", fullCommandText: "npm test" };
  expect(await gate.answerPermission(asked)).toEqual({ kind: "approve-once" });
});

test("anything else that Copilot asks for is decided, too", async () => {
  const { gate, start } = openGate();
  start("1", "bash", TEST_CALL);
  await gate.beforeCall({ isOwn: true, toolName: "bash", toolArgs: TEST_CALL });
  for (const [asked, lack] of [
    [{ kind: "shell", fullCommandText: "npm test; rm -rf ." }, 'the command "rm -rf ."'],
    [{ kind: "read", path: "/etc/passwd" }, 'reading "/etc/passwd"'],
    [{ kind: "url", url: "https://example.com" }, 'network access by "bash"'],
    [{ kind: "teleport" }, 'the tool "bash"'],
  ] as const) {
    const { kind, ...answer } = { feedback: "", ...(await gate.answerPermission({ ...asked, toolCallId: "1" })) };
    expect([kind, answer.feedback]).toEqual(["reject", expect.stringContaining(`Denied: no rule allows ${lack}`)]);
  }
});

test("the hook waits for a call that is announced after it", async () => {
  const { gate, start } = openGate();
  const answer = gate.beforeCall({ isOwn: true, toolName: "bash", toolArgs: TEST_CALL });
  start("1", "bash", { command: "rm -rf ." });
  start("2", "bash", TEST_CALL);
  expect(await answer).toEqual({});
  expect(gate.allowsCall("2", TEST_CALL)).toBe(true);
  expect(gate.allowsCall("1", { command: "rm -rf ." })).toBe(false);
});

test("a call that the gate never saw is rejected, and ends its turn", async () => {
  const { gate, start, outcome } = openGate({ rules: [], otherwise: "allow" });
  start("1", "bash", TEST_CALL);
  const asked = { kind: "shell", toolCallId: "1", fullCommandText: "npm test" };
  expect(await gate.answerPermission(asked)).toEqual({ kind: "reject", feedback: "Atomic has not seen this call." });
  expect(await outcome()).toEqual(new UngatedToolCallError("copilot", "bash"));
});

test.each([
  { title: "one without a decision", isSeen: false },
  { title: "one that was denied", isSeen: true },
])("a call that ran without being allowed ends its turn: $title", async ({ isSeen }) => {
  const { gate, start, tell, outcome } = openGate({ rules: [] });
  const input = { query: "x" };
  start("1", "app-search", input);
  if (isSeen) await gate.beforeCall({ isOwn: true, toolName: "app-search", toolArgs: input });
  tell("tool.execution_complete", { toolCallId: "1", success: true, result: { content: "found" } });
  expect(await outcome()).toEqual(new UngatedToolCallError("copilot", "app-search"));
});

test("a call that was denied, or writes output after its end, does not end the turn", async () => {
  const { gate, turn, start, tell } = openGate();
  start("1", "bash", { command: "rm" });
  const answer = await gate.beforeCall({ isOwn: true, toolName: "bash", toolArgs: { command: "rm" } });
  expect(answer).toEqual({
    permissionDecision: "deny",
    permissionDecisionReason: expect.stringContaining('Denied: no rule allows the command "rm"'),
  });
  tell("tool.execution_complete", { toolCallId: "1", success: false, error: { message: "denied" } });
  start("2", "bash", TEST_CALL);
  await gate.beforeCall({ isOwn: true, toolName: "bash", toolArgs: TEST_CALL });
  tell("tool.execution_complete", { toolCallId: "2", success: true });
  tell("tool.execution_partial_result", { toolCallId: "2", partialOutput: "later" });
  expect(turn.hasEnded).toBe(false);
  turn.complete();
});

test("a quiet tool needs no approval, unless a rule matches it", async () => {
  const sql = { isOwn: true, toolName: "sql", toolArgs: { query: "SELECT 1" } };
  const open = openGate({ rules: [], otherwise: "deny" });
  open.start("1", "sql", sql.toolArgs);
  expect(await open.gate.beforeCall(sql)).toEqual({});
  const strict = openGate({ rules: [{ effect: "deny", tools: ["other"] }], otherwise: "allow" });
  strict.start("1", "sql", sql.toolArgs);
  expect(await strict.gate.beforeCall(sql)).toMatchObject({ permissionDecision: "deny" });
  const listed = openGate({ rules: [{ effect: "deny", exceptTools: ["read"] }], otherwise: "allow" });
  listed.start("1", "sql", sql.toolArgs);
  expect(await listed.gate.beforeCall(sql)).toEqual({
    permissionDecision: "deny",
    permissionDecisionReason: 'Denied: "sql" is not among the tools that may be used here: "read".',
  });
  open.turn.complete();
  strict.turn.complete();
  listed.turn.complete();
});

test("a path that means another file to each process is denied, whatever the policy allows", async () => {
  const { gate, turn, start } = openGate({ rules: [], otherwise: "allow" });
  start("1", "view", { path: "/proc/self/environ" });
  expect(await gate.beforeCall({ isOwn: true, toolName: "view", toolArgs: { path: "/proc/self/environ" } })).toEqual({
    permissionDecision: "deny",
    permissionDecisionReason: '"/proc/self/environ" means another file to each process. Name the file itself.',
  });
  turn.complete();
});

test("a patch that moves a file needs what reading it needs", async () => {
  const { gate, start } = openGate({
    rules: [
      { effect: "allow", tools: ["edit"] },
      { effect: "deny", tools: ["read"], paths: ["*.pem"] },
    ],
  });
  const answers: unknown[] = [];
  for (const file of ["a.txt", "key.pem"]) {
    const patch = `*** Begin Patch\n*** Update File: ${file}\n*** Move to: public.txt\n@@\n+x\n*** End Patch`;
    start(file, "apply_patch", patch);
    answers.push((await gate.beforeCall({ isOwn: true, toolName: "apply_patch", toolArgs: patch })).permissionDecision);
  }
  expect(answers).toEqual([undefined, "deny"]);
});

test("the turn is stopped with the last call of the last message; sub-agents' calls do not count", async () => {
  const { gate, turn, tell, start, outcome } = openGate({ rules: [], otherwise: "deny" }, 1);
  tell("assistant.turn_start", {});
  turn.noteModelCall();
  start("1", "bash", TEST_CALL);
  start("2", "task", {});
  tell("tool.execution_start", { toolCallId: "3", toolName: "view", arguments: {} }, "agent");
  await gate.beforeCall({ isOwn: true, toolName: "bash", toolArgs: TEST_CALL }); // denied
  await gate.afterCall({ isOwn: false });
  expect(turn.signal.aborted).toBe(false);
  await gate.afterCall({ isOwn: true });
  expect(await outcome()).toEqual(new MaxTurnsReachedError("copilot", 1));
});

test("a call that the hook allowed and the runtime's own request denies counts as ended, once", async () => {
  const { gate, turn, tell, start, outcome } = openGate(SHELL, 1);
  tell("assistant.turn_start", {});
  turn.noteModelCall();
  start("1", "bash", TEST_CALL);
  start("2", "bash", TEST_CALL);
  await gate.beforeCall({ isOwn: true, toolName: "bash", toolArgs: TEST_CALL });
  await gate.beforeCall({ isOwn: true, toolName: "bash", toolArgs: TEST_CALL });
  const fetching = { kind: "url", toolCallId: "1", url: "https://example.com" };
  const answers = [await gate.answerPermission(fetching), await gate.answerPermission(fetching)];
  expect(answers.map(({ kind }) => kind)).toEqual(["reject", "reject"]);
  expect(turn.signal.aborted).toBe(false);
  await gate.afterCall({ isOwn: true });
  expect(await outcome()).toEqual(new MaxTurnsReachedError("copilot", 1));
});
