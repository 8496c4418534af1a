import { expect, test } from "bun:test";
import type { CodingAgentClient } from "../../contracts/index.ts";
import { createScriptedAgent } from "../../testkit/index.ts";
import { ChatSession } from "./chat-session.ts";
import type { ChatState } from "./chat-state.ts";

function chatOf(client: CodingAgentClient, resumeSessionId?: string): ChatSession {
  return new ChatSession(
    {
      workingDirectory: "/work/shop",
      agentType: client.agentType,
      agentTypes: [client.agentType],
      openClient: () => Promise.resolve(client),
      sessionConfigFor: () => ({ workingDirectory: "/work/shop" }),
      settings: {},
      ...(resumeSessionId === undefined ? {} : { resumeSessionId }),
    },
    () => 1_000,
  );
}

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

function texts({ model }: ChatState): readonly string[] {
  return model.entries.flatMap((entry) => ("text" in entry ? [`${entry.type} ${entry.text}`] : []));
}

const NOT_RECORDED = "notice The agent has its earlier messages; Atomic has not recorded them.";

/** An agent with a conversation, whose resuming waits for `open`, and whose answer to "wait" never comes. */
async function storedConversation() {
  const gate = Promise.withResolvers<void>();
  const never = new Promise<string>(() => undefined);
  const agent = createScriptedAgent({ script: ({ prompt }) => (prompt === "wait" ? never : `re: ${prompt}`) });
  await agent.start();
  const { id } = await agent.createSession({});
  const resumed: string[] = [];
  const resumeSession = agent.resumeSession.bind(agent);
  const client = Object.assign(agent, {
    async resumeSession(...call: Parameters<typeof resumeSession>) {
      await gate.promise;
      resumed.push(call[0]);
      return await resumeSession(...call);
    },
  });
  return { client, id, resumed, open: gate.resolve };
}

test("messages that are typed while a conversation opens are sent in it, those before the start too", async () => {
  const { client, id, resumed, open } = await storedConversation();
  const chat = chatOf(client, id);
  chat.send("one");
  const started = chat.start();
  chat.send("two");
  expect(chat.snapshot()).toMatchObject({ status: "starting" });
  open();
  await started;
  const state = await whenState(chat, ({ status, queue }) => status === "idle" && queue.length === 0);
  expect(texts(state)).toEqual([NOT_RECORDED, "user one", "text re: one", "user two", "text re: two"]);
  expect([state.sessionId, resumed, state.unsent]).toEqual([id, [id], []]);
  await chat.stop();
});

test("messages for a conversation that does not exist are not sent anywhere", async () => {
  const { client, open } = await storedConversation();
  const chat = chatOf(client, "ses_unknown");
  const started = chat.start();
  chat.send("one");
  chat.send("two");
  open();
  await started;
  const state = chat.snapshot();
  expect(texts(state)).toHaveLength(1);
  expect(texts(state)[0]).toContain("ses_unknown");
  expect([state.status, state.queue, state.sessionId]).toEqual(["idle", [], undefined]);
  expect(chat.takeUnsent().map(({ text }) => text)).toEqual(["one", "two"]);
  expect(chat.snapshot().unsent).toEqual([]);
  await chat.stop();
});

test("a message that is typed while another conversation is chosen during a turn is sent in that one", async () => {
  const { client, id, open } = await storedConversation();
  const chat = chatOf(client);
  chat.send("wait");
  await whenState(chat, ({ status }) => status === "working");
  const resumed = chat.resume(id);
  chat.send("two");
  open();
  await resumed;
  const state = await whenState(chat, ({ status, queue }) => status === "idle" && queue.length === 0);
  expect(texts(state)).toEqual([NOT_RECORDED, "user two", "text re: two"]);
  expect(state.sessionId).toBe(id);
  await chat.stop();
});

test.each([
  { title: "the model changes", change: (chat: ChatSession) => chat.setModel("other") },
  { title: "the conversation is copied", change: (chat: ChatSession) => chat.fork() },
])("a message that is typed while $title is sent after that", async ({ change }) => {
  const { client, open } = await storedConversation();
  const chat = chatOf(client);
  chat.send("one");
  await whenState(chat, ({ status, model }) => status === "idle" && model.entries.length > 1);
  const changed = change(chat);
  chat.send("two");
  expect(chat.snapshot().queue.map(({ text }) => text)).toEqual(["two"]);
  open();
  await changed;
  const state = await whenState(chat, ({ status, queue }) => status === "idle" && queue.length === 0);
  expect(texts(state).slice(-2)).toEqual(["user two", "text re: two"]);
  await chat.stop();
});

test("where nothing is stored, the list has the names that were given while the program runs", async () => {
  const chat = chatOf(createScriptedAgent({ script: () => "Hello" }));
  await chat.start();
  chat.send("Hi");
  await whenState(chat, ({ status, model }) => status === "idle" && model.entries.some(({ type }) => type === "text"));
  await chat.rename("The basket");
  const { sessionId } = chat.snapshot();
  expect((await chat.listSessions()).map(({ id, name }) => [id, name])).toEqual([[sessionId ?? "", "The basket"]]);
  await chat.stop();
});
