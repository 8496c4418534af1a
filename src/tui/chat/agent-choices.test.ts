import { expect, test } from "bun:test";
import type { ModelDisplayInfo } from "../../contracts/index.ts";
import { createScriptedAgent } from "../../testkit/index.ts";
import { ChatSession } from "./chat-session.ts";

const MODELS: readonly ModelDisplayInfo[] = [
  { model: "openai/gpt-5", displayName: "GPT-5" },
  { model: "openai/gpt-6", displayName: "GPT-6" },
];

/** Like OpenCode, it has names with a provider, and a model of its own choice. */
function chatWith(model: string | undefined): ChatSession {
  const client = Object.assign(createScriptedAgent({ script: () => "fine" }), {
    listModels: async () => MODELS,
    getModelDisplayInfo: async (hint = "gpt-6") => ({ model: `openai/${hint}`, displayName: hint }),
  });
  return new ChatSession(
    {
      ...{ workingDirectory: "/work/shop", agentType: client.agentType, agentTypes: [client.agentType], settings: {} },
      openClient: () => Promise.resolve(client),
      sessionConfigFor: () => (model === undefined ? {} : { model }),
    },
    () => 1_000,
  );
}

test.each([
  { model: "openai/gpt-5", current: "openai/gpt-5" },
  { model: "gpt-5", current: "openai/gpt-5" },
  { model: undefined, current: "openai/gpt-6" },
  { model: "other", current: undefined },
])("in the list of models, with $model in use, $current is marked", async ({ model, current }) => {
  const chat = chatWith(model);
  const marked = (await chat.listModels()).filter(({ isCurrent }) => isCurrent).map((listed) => listed.model);
  expect(marked).toEqual(current === undefined ? [] : [current]);
  await chat.stop();
});

test("the model in use has the context window that the agent reports, as /context shows it", async () => {
  const client = Object.assign(createScriptedAgent({ script: () => "fine", contextWindowTokens: 180_000 }), {
    listModels: async () => MODELS.map((model) => ({ ...model, contextWindowTokens: 200_000 })),
    getModelDisplayInfo: async () => ({ model: "openai/gpt-6", displayName: "GPT-6" }),
  });
  const chat = new ChatSession(
    {
      ...{ workingDirectory: "/work/shop", agentType: client.agentType, agentTypes: [client.agentType], settings: {} },
      ...{ openClient: async () => client, sessionConfigFor: () => ({}) },
    },
    () => 1_000,
  );
  const reported = new Promise<number>((resolve) =>
    chat.subscribe(() => {
      const { contextUsage } = chat.snapshot();
      if (contextUsage !== undefined) resolve(contextUsage.maxTokens);
    }),
  );
  const windows = async () =>
    (await chat.listModels()).map(({ model, contextWindowTokens }) => [model, contextWindowTokens]);
  expect(await windows()).toEqual([
    ["openai/gpt-5", 200_000],
    ["openai/gpt-6", 200_000],
  ]);
  await chat.sendSilently("Hello.");
  expect(await reported).toBe(180_000);
  expect(await windows()).toEqual([
    ["openai/gpt-5", 200_000],
    ["openai/gpt-6", 180_000],
  ]);
  await chat.stop();
});

test("an agent that does not exist changes nothing", async () => {
  const client = createScriptedAgent({ script: ({ prompt }) => `re: ${prompt}` });
  const chat = new ChatSession(
    {
      ...{ workingDirectory: "/work/shop", agentType: client.agentType, agentTypes: [client.agentType], settings: {} },
      openClient: async (name) => {
        if (name !== client.agentType) throw new Error(`There is no agent "${name}".`);
        return client;
      },
      sessionConfigFor: () => ({}),
    },
    () => 1_000,
  );
  await chat.sendSilently("one");
  const before = chat.snapshot();
  await chat.setAgent("nosuch");
  const { model, ...after } = chat.snapshot();
  expect(after).toEqual({ ...after, agentType: before.agentType, sessionId: before.sessionId, status: "idle" });
  expect(model.entries.at(-1)).toMatchObject({ type: "notice", text: 'There is no agent "nosuch".' });
  expect((await chat.sendSilently("two")).content).toBe("re: two");
  expect(chat.snapshot().sessionId).toBe(before.sessionId);
  await chat.stop();
});
