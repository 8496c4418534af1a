import { describe, expect, test } from "bun:test";
import { z } from "zod";
import type { TestState } from "../../fixtures/test-nodes.ts";
import type { ExecutionContext } from "../../model/execution-context.ts";
import { askUserNode } from "./ask-user-node.ts";
import { type WaitNodeConfig, waitNode } from "./wait-node.ts";

// The cast is true as far as these nodes look: they read nothing but the state.
const CONTEXT = { state: { value: "caching" } } as ExecutionContext<TestState>;
const YES_OR_NO = [{ label: "yes" }, { label: "no" }];

describe("a wait node asks", () => {
  test.each<{ title: string; config: Omit<WaitNodeConfig<TestState>, "id">; request: object }>([
    { title: "whether to continue", config: {}, request: { question: "Continue?", options: YES_OR_NO } },
    { title: "its prompt", config: { prompt: "Ship?" }, request: { question: "Ship?", options: YES_OR_NO } },
    {
      title: "a prompt made of the state",
      config: { prompt: ({ state }) => `Ship ${state.value}?` },
      request: { question: "Ship caching?", options: YES_OR_NO },
    },
    {
      title: "with its own options",
      config: { options: [{ label: "a" }] },
      request: { question: "Continue?", options: [{ label: "a" }] },
    },
    {
      title: "without options when it has a schema",
      config: { schema: z.string() },
      request: { question: "Continue?" },
    },
    {
      title: "for a while, then takes the first option",
      config: { autoApprove: { afterMs: 5 } },
      request: { question: "Continue?", options: YES_OR_NO, autoApprove: { afterMs: 5, value: "yes" } },
    },
    {
      title: "for a while, then takes its value",
      config: { autoApprove: { afterMs: 5, value: "no" } },
      request: { question: "Continue?", options: YES_OR_NO, autoApprove: { afterMs: 5, value: "no" } },
    },
    {
      title: "for a while, then says yes when there is nothing to choose",
      config: { schema: z.string(), autoApprove: { afterMs: 5 } },
      request: { question: "Continue?", autoApprove: { afterMs: 5, value: "yes" } },
    },
  ])("$title", async ({ config, request }) => {
    expect<unknown>(await waitNode<TestState>({ id: "w", ...config }).execute(CONTEXT)).toEqual({ request });
  });
});

test.each([
  { title: "nothing", prompt: () => undefined, returned: "undefined" },
  { title: "a number", prompt: () => 5, returned: "5" },
  { title: "a promise", prompt: async () => "Ship?", returned: "a promise" },
])("a prompt that returns $title fails the node instead of asking", ({ prompt, returned }) => {
  // The cast is what a file without types could do.
  const waiting = waitNode<TestState>({ id: "w", prompt: prompt as never });
  expect(() => waiting.execute({ ...CONTEXT, nodeId: "w" })).toThrow(
    `The function "prompt" of the node "w" returned ${returned}. It must return a text: look for a misspelled field of the state.`,
  );
});

describe("an ask-user node asks", () => {
  test.each([
    {
      title: "a fixed question",
      options: { question: "Which?", header: "Choice", options: [{ label: "a" }] },
      question: "Which?",
    },
    {
      title: "a question made of the state",
      options: (state: Readonly<TestState>) => ({ question: `Which ${state.value}?` }),
      question: "Which caching?",
    },
  ])("$title", async ({ options, question }) => {
    const asking = askUserNode<TestState>({ id: "ask", name: "Ask", description: "d", options });
    expect(asking).toMatchObject({ id: "ask", type: "ask_user", name: "Ask", description: "d" });
    expect(await asking.execute(CONTEXT)).toMatchObject({ request: { question } });
  });
});
