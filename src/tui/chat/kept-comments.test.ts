import { expect, test } from "bun:test";
import { type CodingAgentClient, withResolvers } from "../../contracts/index.ts";
import { createScriptedAgent } from "../../testkit/index.ts";
import type { ChangedLine } from "../../view/index.ts";
import type { ChatHost, StoredConversation } from "../host/chat-host.ts";
import { attachmentsIn } from "../input/attachments.ts";
import { ChatSession } from "./chat-session.ts";
import { ALREADY_SENT } from "./comment-label.ts";
import { checkLine, formatComments } from "./diff-comments.ts";
import { parseComments } from "./stored-comments.ts";

const LINE: ChangedLine = { path: "a.ts", number: 1, text: "x();", isRemoved: false };
const OTHER: ChangedLine = { ...LINE, number: 2, text: "y();" };

/** What the chats of one machine store. */
class Storage {
  readonly conversations: StoredConversation[] = [];
  readonly entries = new Map<string, string>();

  ofHost(): NonNullable<ChatHost["conversations"]> {
    return {
      list: async () => this.conversations.toReversed(),
      save: async (conversation) => {
        const at = this.conversations.findIndex(({ sessionId }) => sessionId === conversation.sessionId);
        this.conversations.splice(at === -1 ? this.conversations.length : at, 1, conversation);
      },
      saveEntries: async (id, json) => void this.entries.set(id, json),
      loadEntries: async (id) => this.entries.get(id),
    };
  }
}

function open(client: CodingAgentClient, storage: Storage, host: Partial<ChatHost> = {}): ChatSession {
  return new ChatSession(
    {
      ...{ workingDirectory: "/work/shop", agentType: client.agentType, agentTypes: [client.agentType], settings: {} },
      ...{ openClient: async () => client, sessionConfigFor: () => ({}), conversations: storage.ofHost() },
      ...host,
    },
    () => 1_000,
  );
}

/** A chat with an answered message, and what it stores. */
async function answered() {
  const agent = createScriptedAgent({ script: () => "Done." });
  await agent.start();
  const storage = new Storage();
  const chat = open(agent, storage);
  await chat.sendSilently("Go.");
  const resumeSessionId = chat.snapshot().sessionId ?? "";
  /** Resolves when what was just written is stored. */
  const stored = () => chat.rename("The cart");
  return { agent, storage, chat, resumeSessionId, stored };
}

test("after a crash, comments that were not sent are back, with those that were; a changed line is known", async () => {
  const { agent, storage, chat, resumeSessionId, stored } = await answered();
  chat.comments.write(LINE, "Sent.");
  chat.comments.markSent(chat.comments.startSending());
  chat.comments.write(OTHER, "Why?");
  chat.comments.hold("p1", [{ id: "c1", line: LINE, text: "In a request." }]);
  await stored();
  // The first chat does not end.
  const readFile = async (): Promise<string> => "x();\nz();\n";
  const next = open(agent, storage, { resumeSessionId, readFile });
  const read = Promise.withResolvers<void>();
  next.comments.subscribe(() => next.comments.contents().size > 0 && read.resolve());
  await next.start();
  await read.promise;
  const { comments, sent } = next.comments.snapshot();
  expect(sent.map(({ text }) => text)).toEqual(["Sent."]);
  const states = comments.map(({ line, text }) => [
    text,
    checkLine(line, next.comments.contents().get(line.path)).type,
  ]);
  expect(states).toEqual([
    ["Why?", "changed"],
    ["In a request.", "unchanged"],
  ]);
  const notices = next.snapshot().model.entries.flatMap((entry) => (entry.type === "notice" ? [entry.text] : []));
  expect(notices).toEqual(["2 comments that you did not send: in the transcript, below the lines."]);
});

test("another conversation has comments of its own", async () => {
  const { chat, resumeSessionId, stored } = await answered();
  chat.comments.write(OTHER, "Why?");
  await stored();
  await chat.clear();
  const last = chat.snapshot().model.entries.at(-1);
  expect(last).toMatchObject({
    type: "notice",
    text: "Not sent: 1 comment of the old conversation. /resume shows it again.",
  });
  expect(chat.comments.snapshot().comments).toEqual([]);
  await chat.resume(resumeSessionId);
  expect(chat.comments.snapshot().comments).toEqual([{ id: "c1", line: OTHER, text: "Why?" }]);
  await chat.stop();
});

test("a copy of a conversation has its name with a note, its messages and its comments, and can have another name", async () => {
  const { storage, chat, resumeSessionId, stored } = await answered();
  chat.comments.write(OTHER, "Why?");
  await stored();
  await chat.fork();
  const copy = chat.snapshot().sessionId ?? "";
  expect([copy !== resumeSessionId, chat.snapshot().title]).toEqual([true, "The cart (fork)"]);
  const names = () => storage.conversations.map(({ sessionId, name }) => [sessionId, name]);
  expect(names()).toEqual([
    [resumeSessionId, "The cart"],
    [copy, "The cart (fork)"],
  ]);
  expect(storage.entries.get(copy)).toContain('"Why?"');
  await chat.rename("The basket");
  await chat.fork();
  expect([chat.snapshot().title, names()[1]]).toEqual(["The basket (fork)", [copy, "The basket"]]);
  await chat.stop();
});

test("a copy of a conversation without a name has none", async () => {
  const { chat, storage } = await answered();
  await chat.fork();
  expect([chat.snapshot().title, storage.conversations.map(({ name }) => name)]).toEqual([
    undefined,
    [undefined, undefined],
  ]);
  await chat.stop();
});

/** The stored comments of a conversation: each text, and whether it was sent. */
function storedComments(storage: Storage, sessionId: string): readonly unknown[] {
  const { sent, unsent } = parseComments(storage.entries.get(sessionId) ?? "[]");
  return [...sent.map(({ text }) => [text, "sent"]), ...unsent.map(({ text }) => [text, "unsent"])];
}

test("comments in a queued message are stored as unsent until the agent reacts to it", async () => {
  const [answer, begun, reacted] = [withResolvers<string>(), withResolvers<void>(), withResolvers<string>()];
  const agent = createScriptedAgent({
    script: ({ prompt }) => {
      if (prompt === "Go.") return "Done.";
      if (prompt === "wait") return answer.promise;
      begun.resolve();
      return reacted.promise;
    },
  });
  await agent.start();
  const storage = new Storage();
  const chat = open(agent, storage);
  await chat.sendSilently("Go.");
  const id = chat.snapshot().sessionId ?? "";
  chat.send("wait");
  chat.comments.write(OTHER, "Why?");
  chat.send("A comment", [], chat.comments.startSending());
  await chat.rename("The cart");
  expect([chat.snapshot().queue.length, storedComments(storage, id)]).toEqual([1, [["Why?", "unsent"]]]);
  answer.resolve("Done.");
  await begun.promise;
  await chat.rename("The cart");
  expect(storedComments(storage, id)).toEqual([["Why?", "unsent"]]);
  const sent = new Promise<void>((resolve) =>
    chat.comments.subscribe(() => chat.comments.snapshot().sent.length > 0 && resolve()),
  );
  reacted.resolve("Because.");
  await sent;
  await chat.rename("The cart");
  expect(storedComments(storage, id)).toEqual([["Why?", "sent"]]);
  await chat.stop();
});

test("comments in a queued message that is removed are unsent again", async () => {
  const agent = createScriptedAgent({ script: () => new Promise<string>(() => undefined) });
  await agent.start();
  const chat = open(agent, new Storage());
  chat.send("wait");
  chat.comments.write(OTHER, "Why?");
  chat.send("A comment", [], chat.comments.startSending());
  expect(chat.comments.snapshot()).toMatchObject({ comments: [], sending: [{ text: "Why?" }] });
  chat.removeQueued(chat.snapshot().queue[0]?.id ?? "");
  expect(chat.comments.snapshot()).toMatchObject({ comments: [{ text: "Why?" }], sending: [] });
  await chat.stop();
});

test("comments of a message that is taken back into the input are sent with it, once", async () => {
  const prompts: string[] = [];
  const first = withResolvers<string>();
  const agent = createScriptedAgent({
    script: ({ prompt }) => {
      prompts.push(prompt);
      return prompts.length === 1 ? first.promise : "Done.";
    },
  });
  await agent.start();
  const chat = open(agent, new Storage());
  const idle = (count: number) =>
    new Promise<void>((resolve) => {
      const look = () => chat.snapshot().status === "idle" && prompts.length === count && resolve();
      chat.subscribe(look);
      look();
    });
  chat.send("wait");
  chat.comments.write(OTHER, "Why?");
  chat.send(formatComments(chat.comments.snapshot()), [], chat.comments.startSending());
  const taken = chat.removeQueued(chat.snapshot().queue[0]?.id ?? "");
  expect(taken?.text).toBe("[1 comment, a.ts:2]");
  // What is written meanwhile counts.
  chat.comments.write(OTHER, "Why not?");
  chat.send(`${taken?.text} And test it.`, taken?.attachments);
  expect(chat.comments.snapshot()).toMatchObject({ comments: [], sending: [{ text: "Why not?" }] });
  first.resolve("Done.");
  await idle(2);
  expect(prompts[1]).toBe("A comment on your change:\n\na.ts:2\n> y();\nWhy not? And test it.");
  expect(chat.comments.snapshot()).toMatchObject({ comments: [], sending: [], sent: [{ text: "Why not?" }] });
  chat.send(taken?.text ?? "", taken?.attachments);
  expect(chat.snapshot().model.entries.at(-1)).toMatchObject({ type: "notice", text: ALREADY_SENT });
  expect([chat.snapshot().status, prompts.length]).toEqual(["idle", 2]);
  await chat.stop();
});

test("comments whose label is deleted from the message stay open", async () => {
  const agent = createScriptedAgent({ script: () => new Promise<string>(() => undefined) });
  await agent.start();
  const chat = open(agent, new Storage());
  chat.send("wait");
  chat.comments.write(OTHER, "Why?");
  chat.send(formatComments(chat.comments.snapshot()), [], chat.comments.startSending());
  const taken = chat.removeQueued(chat.snapshot().queue[0]?.id ?? "");
  chat.send("Never mind.", attachmentsIn("Never mind.", taken?.attachments ?? []));
  expect(chat.comments.snapshot()).toMatchObject({ comments: [{ text: "Why?" }], sending: [] });
  await chat.stop();
});

test("comments in a conversation that the agent cannot resume are stored with it", async () => {
  const { agent, storage, resumeSessionId } = await answered();
  const lost = Object.assign(agent, { resumeSession: () => Promise.reject(new Error("It is gone.")) });
  const next = open(lost, storage, { resumeSessionId });
  await next.start();
  expect(next.snapshot().sessionId).toBeUndefined();
  next.comments.write(OTHER, "Why?");
  await next.rename("The cart");
  expect(storedComments(storage, resumeSessionId)).toEqual([["Why?", "unsent"]]);
  // A new conversation is another one.
  await next.clear();
  await next.rename("Another");
  expect(storedComments(storage, resumeSessionId)).toEqual([["Why?", "unsent"]]);
});
