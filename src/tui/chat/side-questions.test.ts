import { expect, test } from "bun:test";
import { createScriptedAgent } from "../../testkit/index.ts";
import { ChatSession } from "./chat-session.ts";

test("a side question is shown as in progress, and is stopped with the turn", async () => {
  const started = Promise.withResolvers<void>();
  const client = createScriptedAgent({
    async script(_turn, { signal }) {
      started.resolve();
      await new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      return "never";
    },
  });
  const chat = new ChatSession(
    {
      workingDirectory: "/work/shop",
      agentType: client.agentType,
      agentTypes: [client.agentType],
      openClient: () => Promise.resolve(client),
      sessionConfigFor: () => ({}),
      settings: {},
    },
    () => 1_000,
  );
  const asked = chat.askAside("Why?");
  await started.promise;
  expect(chat.snapshot().sideQuestionCount).toBe(1);
  await chat.interrupt();
  await asked;
  const { sideQuestionCount, model } = chat.snapshot();
  expect(sideQuestionCount).toBe(0);
  expect(model.entries.map((entry) => "text" in entry && entry.text)).toEqual([
    "Aside: Why?",
    "The side question was stopped.",
  ]);
  await chat.stop();
});
