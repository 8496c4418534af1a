import { expect, test } from "bun:test";
import { createScriptedAgent } from "../../testkit/index.ts";
import { ChatSession } from "./chat-session.ts";
import type { ChatState } from "./chat-state.ts";

/** Resolves when the state fits. */
function whenState(chat: ChatSession, isWanted: (state: ChatState) => boolean): Promise<ChatState> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (!isWanted(chat.snapshot())) return;
      unsubscribe();
      resolve(chat.snapshot());
    };
    const unsubscribe = chat.subscribe(look);
    look();
  });
}

/** A chat whose agent never answers the message "one", which it has received, and two messages that wait for its end. */
async function waiting() {
  const prompts: string[] = [];
  const client = createScriptedAgent({
    script({ prompt }) {
      prompts.push(prompt);
      return prompt === "one" ? new Promise<string>(() => undefined) : "ok";
    },
  });
  const chat = new ChatSession(
    {
      ...{ workingDirectory: "/work/shop", agentType: "scripted", agentTypes: ["scripted"], settings: {} },
      ...{ openClient: async () => client, sessionConfigFor: () => ({}) },
    },
    () => 1_000,
  );
  chat.send("one");
  await whenState(chat, ({ status }) => status === "working" && prompts.length === 1);
  chat.send("two");
  chat.send("three");
  return { chat, prompts };
}

const HELD = [
  ["two", true],
  ["three", true],
];

test.each([
  { command: "/clear", leave: (chat: ChatSession) => chat.clear() },
  {
    command: "/rewind",
    leave: (chat: ChatSession) => {
      const [first] = chat.snapshot().model.entries;
      return chat.rewind(first?.id ?? "");
    },
  },
])("$command keeps the queue until the person sends it", async ({ leave }) => {
  const { chat, prompts } = await waiting();
  await leave(chat);
  expect(chat.snapshot().queue.map(({ text, isHeld }) => [text, isHeld])).toEqual(HELD);
  chat.sendHeld();
  await whenState(chat, ({ status, queue }) => status === "idle" && queue.length === 0 && prompts.length === 3);
  expect(prompts.slice(1)).toEqual(["two", "three"]);
  await chat.stop();
});

test("who stops a turn keeps the queue: it is sent when they say so, a new message at once", async () => {
  const { chat, prompts } = await waiting();
  await chat.interrupt();
  await whenState(chat, ({ status }) => status === "idle");
  chat.send("instead");
  await whenState(chat, ({ status }) => status === "idle" && prompts.length === 2);
  const held = chat.snapshot().queue.map(({ text, isHeld }) => [text, isHeld]);
  expect([prompts, held]).toEqual([["one", "instead"], HELD]);
  chat.sendHeld();
  await whenState(chat, ({ status, queue }) => status === "idle" && queue.length === 0 && prompts.length === 4);
  expect(prompts.slice(2)).toEqual(["two", "three"]);
  await chat.stop();
});
