import { expect, test } from "bun:test";
import type { AgentCapabilities, SessionConfig } from "../../contracts/index.ts";
import { createScriptedAgent } from "../../testkit/index.ts";
import { ChatSession } from "./chat-session.ts";
import type { ChatState } from "./chat-state.ts";
import { formatEntries } from "./stored-entries.ts";

const FILES = "Files stay as they are: what the agent changed since is not undone.";

/** A chat with three answered messages, the second at 2,000 ms, and what its agent does when the conversation is copied. */
async function answered(capabilities: Partial<AgentCapabilities> = {}) {
  const prompts: string[] = [];
  const forks: unknown[] = [];
  const agent = createScriptedAgent({
    capabilities,
    script({ prompt }) {
      prompts.push(prompt);
      return `Answer ${prompts.length}.`;
    },
  });
  const inner = agent.forkSession.bind(agent);
  const client = Object.assign(agent, {
    forkSession: async (id: string, { forkBefore, ...config }: SessionConfig = {}) => {
      forks.push(forkBefore);
      if (forkBefore === 1_000) throw new Error("Nothing was said before.");
      return await inner(id, config);
    },
  });
  let time = 0;
  const chat = new ChatSession(
    {
      ...{ workingDirectory: "/work/shop", agentType: "scripted", agentTypes: ["scripted"], settings: {} },
      ...{ openClient: async () => client, sessionConfigFor: () => ({}) },
    },
    () => time,
  );
  const send = async (text: string): Promise<void> => {
    const count = prompts.length + 1;
    chat.send(text);
    await whenState(chat, ({ status }) => status === "idle" && prompts.length === count);
  };
  for (const text of ["one", "two", "three"]) {
    time += 1_000;
    await send(text);
  }
  const rewind = async (text: string): Promise<void> => {
    const entry = chat.snapshot().model.entries.find((entry) => entry.type === "user" && entry.text === text);
    expect(await chat.rewind(entry?.id ?? "")).toBe(text);
  };
  const notice = (): string => {
    const last = chat.snapshot().model.entries.findLast(({ type }) => type === "notice");
    return last?.type === "notice" ? last.text : "";
  };
  return { chat, client, prompts, forks, send, rewind, notice };
}

/** Resolves when the state fits. */
function whenState(chat: ChatSession, isWanted: (state: ChatState) => boolean): Promise<ChatState> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (isWanted(chat.snapshot())) resolve(chat.snapshot());
    };
    chat.subscribe(look);
    look();
  });
}

test("an agent that can copy a part of its conversation continues there, and receives no text", async () => {
  const { chat, prompts, forks, send, rewind, notice } = await answered({ forkBefore: true });
  await rewind("two");
  expect(forks).toEqual([2_000]);
  expect(notice()).toBe(`Rewound: scripted is where it was before that message. ${FILES}`);
  await chat.compact();
  expect(chat.snapshot().compactionSummary).toBeString();
  await send("two again");
  expect(prompts.at(-1)).toBe("two again");
  await chat.stop();
});

test("another agent receives as text what came before with the next message, and has nothing to compact before", async () => {
  const { chat, prompts, forks, send, rewind, notice } = await answered();
  await rewind("two");
  expect(forks).toEqual([]);
  expect(notice()).toBe(`Rewound. scripted receives what came before as text, with your next message. ${FILES}`);
  await chat.compact();
  expect(notice()).toBe(
    "There is nothing to compact yet: scripted receives the conversation so far as text, with your next message.",
  );
  await send("two again");
  expect(prompts.at(-1)).toContain("User: one\n\nAgent: Answer 1.");
  await chat.stop();
});

test("before the first message there is nothing to copy", async () => {
  const { chat, prompts, forks, send, rewind, notice } = await answered({ forkBefore: true });
  await rewind("one");
  expect([forks, notice()]).toEqual([[], `Rewound. ${FILES}`]);
  await send("one again");
  expect(prompts.at(-1)).toBe("one again");
  await chat.stop();
});

test("while the agent starts, nothing is rewound: neither what is shown nor what is stored", async () => {
  const { chat: earlier, client } = await answered({ forkBefore: true });
  const { model, sessionId = "" } = earlier.snapshot();
  let stored = formatEntries(model.entries);
  const gate = Promise.withResolvers<void>();
  const resumeSession = client.resumeSession.bind(client);
  const slow = Object.assign(client, {
    async resumeSession(...call: Parameters<typeof resumeSession>) {
      await gate.promise;
      return await resumeSession(...call);
    },
  });
  const chat = new ChatSession(
    {
      ...{ workingDirectory: "/work/shop", agentType: "scripted", agentTypes: ["scripted"], settings: {} },
      ...{ openClient: async () => slow, sessionConfigFor: () => ({}), resumeSessionId: sessionId },
      conversations: {
        ...{ list: async () => [], save: async () => undefined, loadEntries: async () => stored },
        saveEntries: async (_id, entries) => {
          stored = entries;
        },
      },
    },
    () => 5_000,
  );
  const started = chat.start();
  const { model: shown } = await whenState(chat, (state) => state.model.entries.length > 0);
  const third = shown.entries.findLast(({ type }) => type === "user");
  expect(await chat.rewind(third?.id ?? "")).toBeUndefined();
  gate.resolve();
  await started;
  const { entries } = chat.snapshot().model;
  expect(entries.slice(0, -1)).toEqual([...shown.entries]);
  expect(entries.at(-1)).toMatchObject({ type: "notice", text: "Wait until scripted has started.", tone: "warning" });
  expect(await chat.rewind(third?.id ?? "")).toBe("three");
  await chat.stop();
  await earlier.stop();
  expect(stored).not.toContain("three");
});

test("who stops while the conversation is copied keeps the message that waits for it", async () => {
  const { chat, client, prompts, rewind } = await answered({ forkBefore: true });
  const copied = Promise.withResolvers<void>();
  const fork = client.forkSession;
  client.forkSession = async (...parameters) => {
    await copied.promise;
    return await fork(...parameters);
  };
  const rewinding = rewind("two");
  await whenState(chat, ({ status }) => status === "starting");
  chat.send("hey");
  await chat.interrupt();
  copied.resolve();
  await rewinding;
  const { status, queue } = chat.snapshot();
  expect([status, queue.map(({ text, isHeld }) => [text, isHeld]), prompts]).toEqual([
    "idle",
    [["hey", true]],
    ["one", "two", "three"],
  ]);
  await chat.stop();
});
