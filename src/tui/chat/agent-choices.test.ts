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
