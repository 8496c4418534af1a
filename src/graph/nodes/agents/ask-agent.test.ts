import { expect, test } from "bun:test";
import type { AgentQuestion, PermissionDecision, PermissionRequest } from "../../../contracts/index.ts";
import { createSessionConfig, withFeedback } from "./ask-agent.ts";

test.each([
  { title: "the task alone", feedback: undefined, expected: "Plan" },
  {
    title: "why an earlier answer was rejected",
    feedback: "too short",
    expected: "Plan\n\nYour previous answer was rejected: too short",
  },
  {
    title: "the beginning and the end of a long complaint",
    feedback: `a${"x".repeat(5_000)}z`,
    expected: `Plan\n\nYour previous answer was rejected: a${"x".repeat(1_999)}\n… (1002 characters left out) …\n${"x".repeat(1_999)}z`,
  },
])("a prompt says $title", ({ feedback, expected }) => {
  expect(withFeedback("Plan", { feedback })).toBe(expected);
});

test.each([
  { title: "alone", item: undefined, step: "Review" },
  { title: "with the item of a map", item: "a.ts", step: "Review (a.ts)" },
  { title: "with an item that is no text", item: { file: "a.ts" }, step: 'Review ({"file":"a.ts"})' },
])("a permission request names its step $title", async ({ item, step }) => {
  const asked: PermissionRequest[] = [];
  const services = {
    workingDirectory: "/work",
    sessionConfig: {
      onPermissionAsk: async (request: PermissionRequest) => {
        asked.push(request);
        return { type: "deny", reason: "no" } as const;
      },
    },
  };
  const context = { services, runId: "r", nodeId: "n", modelFor: () => undefined, item, emit: () => undefined };
  const { onPermissionAsk } = await createSessionConfig({ title: "Review", agentType: undefined }, context);
  const request: PermissionRequest = { id: "1", sessionId: "s", kind: "read", toolName: "t", title: "t", paths: [] };
  await onPermissionAsk?.(request, { signal: new AbortController().signal });
  expect(asked).toEqual([{ ...request, step }]);
});

test("an agent's own question names its step", async () => {
  const asked: unknown[] = [];
  const onQuestion = async (question: AgentQuestion) => {
    asked.push(question);
    return { type: "answer", values: ["Red"] } as const;
  };
  const services = { workingDirectory: "/work", sessionConfig: { onQuestion } };
  const about = { runId: "r", nodeId: "n", modelFor: () => undefined, item: "a.ts", emit: () => undefined };
  const config = await createSessionConfig({ title: "Review", agentType: undefined }, { services, ...about });
  const question: AgentQuestion = { id: "1", sessionId: "s", question: "Which?", options: [], isMultiple: false };
  const { signal } = new AbortController();
  expect(await config.onQuestion?.(question, { signal })).toEqual({ type: "answer", values: ["Red"] });
  expect(asked).toEqual([{ ...question, step: "Review (a.ts)" }]);
});

test.each<{ title: string; decision: PermissionDecision; messages: readonly string[] }>([
  {
    title: "allowed, with how long and where",
    decision: { type: "allow", scope: "project", answered: "at the terminal" },
    messages: ["Allowed for good in this project at the terminal: bash: touch a"],
  },
  { title: "allowed", decision: { type: "allow" }, messages: ["Allowed once: bash: touch a"] },
  {
    title: "denied, with where",
    decision: { type: "deny", reason: "no", answered: "at the terminal" },
    messages: ["Denied at the terminal: bash: touch a"],
  },
  { title: "nothing where nobody answered", decision: { type: "deny", reason: "too late" }, messages: [] },
])("the log has the answer to a permission request: $title", async ({ decision, messages }) => {
  const logged: unknown[] = [];
  const context = {
    services: { sessionConfig: { onPermissionAsk: async () => decision } },
    ...{ runId: "r", nodeId: "n", modelFor: () => undefined, item: undefined },
    emit: (event: unknown) => void logged.push(event),
  };
  const { onPermissionAsk } = await createSessionConfig({ title: "Work", agentType: undefined }, context);
  const about = { sessionId: "s", kind: "shell", toolName: "bash", title: "bash: touch a", paths: [] } as const;
  const { signal } = new AbortController();
  expect(await onPermissionAsk?.({ id: "1", ...about }, { signal })).toEqual(decision);
  expect(logged).toEqual(messages.map((message) => ({ type: "log", message })));
});

test("what the run denies and protects applies to a node with permissions of its own, too", async () => {
  const deny = { effect: "deny", tools: ["shell"], commands: ["rm *"] } as const;
  const ofRun = {
    rules: [{ effect: "allow", tools: ["edit"] }, deny],
    otherwise: "deny",
    protectedPaths: ["deploy/**"],
  } as const;
  const services = { sessionConfig: { permissions: ofRun } };
  const context = {
    services,
    runId: "r",
    nodeId: "n",
    modelFor: () => undefined,
    item: undefined,
    emit: () => undefined,
  };
  const own = { rules: [{ effect: "allow", tools: ["shell"] }], otherwise: "allow" } as const;
  const expected = { rules: [...own.rules, deny], otherwise: "allow", protectedPaths: ["deploy/**"] };
  const wishes = { title: "Work", agentType: undefined };
  const policies = await Promise.all([
    createSessionConfig({ ...wishes, permissions: own }, context),
    createSessionConfig({ ...wishes, sessionConfig: { permissions: own } }, context),
    createSessionConfig(wishes, context),
  ]);
  expect<unknown>(policies.map(({ permissions }) => permissions)).toEqual([expected, expected, ofRun]);
});
