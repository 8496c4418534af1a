import { expect, test } from "bun:test";
import type { CodingAgentClient } from "../../contracts/index.ts";
import { type AgentScript, createScriptedAgent } from "../../testkit/index.ts";
import type { ChatHost } from "../host/chat-host.ts";
import type { ChatEntry } from "./chat-entry.ts";
import { ChatSession } from "./chat-session.ts";
import type { ChatState } from "./chat-state.ts";

function hostOf(client: CodingAgentClient, host: Partial<ChatHost> = {}): ChatHost {
  return {
    workingDirectory: "/work/shop",
    agentType: client.agentType,
    agentTypes: [client.agentType],
    openClient: () => Promise.resolve(client),
    sessionConfigFor: () => ({}),
    settings: {},
    ...host,
  };
}

function chatWith(script: AgentScript, host: Partial<ChatHost> = {}): ChatSession {
  return new ChatSession(hostOf(createScriptedAgent({ script, evaluatePermission: "policy" }), host), () => 1_000);
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

/** The entries without what differs between two runs. */
function shown(state: ChatState): readonly string[] {
  return state.model.entries.map(describe);
}

function describe(entry: ChatEntry): string {
  switch (entry.type) {
    case "tool":
      return `tool ${entry.toolName} ${entry.status}`;
    case "shell":
      return `shell ${entry.command} ${entry.output.trim()} ${entry.exitCode ?? entry.ending}`;
    case "subagent":
      return `subagent ${entry.title}`;
    case "turn-end":
      return `turn-end ${entry.outcome}`;
    case "notice":
      return `${entry.tone} ${entry.text}`;
    default:
      return `${entry.type} ${entry.text}`;
  }
}

test("a message is shown, sent and answered", async () => {
  const chat = chatWith(({ prompt }) => `You said ${prompt}.`);
  chat.send("hello");
  const state = await whenState(chat, ({ status, model }) => status === "idle" && model.entries.length > 0);
  expect(shown(state)).toEqual(["user hello", "text You said hello.", "turn-end completed"]);
  expect(state.model.turn).toBeUndefined();
  expect(state.sessionId).toBeString();
  await chat.stop();
});

test("messages during a turn wait in a queue that can be edited, and are sent in order", async () => {
  const gate = Promise.withResolvers<void>();
  const prompts: string[] = [];
  const chat = chatWith(async ({ prompt }) => {
    prompts.push(prompt);
    await gate.promise;
    return "ok";
  });
  chat.send("one");
  chat.send("two");
  chat.send("three");
  chat.send("four");
  expect(chat.snapshot().queue.map(({ text }) => text)).toEqual(["two", "three", "four"]);
  const [two, three] = chat.snapshot().queue;
  chat.editQueued(two?.id ?? "", "two, changed");
  expect(chat.removeQueued(three?.id ?? "")?.text).toBe("three");
  gate.resolve();
  await whenState(chat, ({ status, queue }) => status === "idle" && queue.length === 0 && prompts.length === 3);
  expect(prompts).toEqual(["one", "two, changed", "four"]);
  await chat.stop();
});

/** An agent that starts until it is stopped. */
function startingAgent(): { readonly client: CodingAgentClient; readonly calls: readonly string[] } {
  const calls: string[] = [];
  const starting = Promise.withResolvers<void>();
  starting.promise.catch(() => undefined);
  const client: CodingAgentClient = Object.assign(Object.create(createScriptedAgent({ script: () => "never" })), {
    start() {
      calls.push("start");
      return starting.promise;
    },
    async createSession() {
      await starting.promise;
    },
    async stop() {
      calls.push("stop");
      starting.reject(new DOMException("The client was stopped.", "AbortError"));
    },
  });
  return { client, calls };
}

test("a turn ends at once while the agent starts, and so does the chat, which stops the agent", async () => {
  const { client, calls } = startingAgent();
  const chat = new ChatSession(hostOf(client), () => 1_000);
  chat.send("one");
  await whenState(chat, ({ status }) => status === "starting");
  await chat.interrupt();
  const state = await whenState(chat, ({ status }) => status === "idle");
  expect([shown(state), calls]).toEqual([["user one", "turn-end aborted"], ["start"]]);
  chat.send("two");
  await chat.stop();
  expect(calls).toEqual(["start", "stop"]);
  expect(shown(chat.snapshot())).toEqual(["user one", "turn-end aborted", "user two", "turn-end aborted"]);
});

test("an agent that opens when the chat has ended does not start", async () => {
  const { client, calls } = startingAgent();
  const opening = Promise.withResolvers<CodingAgentClient>();
  const chat = new ChatSession(hostOf(client, { openClient: () => opening.promise }), () => 1_000);
  const started = chat.start();
  await chat.stop();
  opening.resolve(client);
  await started;
  expect(calls).toEqual(["stop"]);
});

test("an interrupted turn ends as aborted, and the session stays usable", async () => {
  const started = Promise.withResolvers<void>();
  let count = 0;
  const chat = chatWith(async (_turn, { signal }) => {
    count += 1;
    if (count > 1) return "again";
    started.resolve();
    await new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    return "never";
  });
  chat.send("one");
  await started.promise;
  await chat.interrupt();
  await whenState(chat, ({ status }) => status === "idle");
  chat.send("two");
  const state = await whenState(chat, ({ status }) => status === "idle");
  expect(shown(state)).toEqual(["user one", "turn-end aborted", "user two", "text again", "turn-end completed"]);
  await chat.stop();
});

test("a failed turn says why once", async () => {
  const chat = chatWith(() => {
    throw new Error("The model is on fire.");
  });
  chat.send("one");
  const state = await whenState(chat, ({ status, model }) => status === "idle" && model.entries.length > 1);
  expect(shown(state).filter((line) => line.includes("on fire"))).toHaveLength(1);
  expect(shown(state).at(-1)).toBe("turn-end failed");
  await chat.stop();
});

test("an agent that cannot be opened is a notice, and the next message tries again", async () => {
  let attempts = 0;
  const client = createScriptedAgent({ script: () => "here" });
  const chat = new ChatSession(
    hostOf(client, {
      openClient() {
        attempts += 1;
        return attempts === 1 ? Promise.reject(new Error("Not installed.")) : Promise.resolve(client);
      },
    }),
    () => 1_000,
  );
  await chat.start();
  expect(shown(chat.snapshot())).toEqual(["error Not installed."]);
  chat.send("hello");
  const state = await whenState(chat, ({ status, model }) => status === "idle" && model.entries.length > 2);
  expect(shown(state)).toEqual(["error Not installed.", "user hello", "text here", "turn-end completed"]);
  await chat.stop();
});

test("after a rewind the next message carries what came before", async () => {
  const prompts: string[] = [];
  const chat = chatWith(({ prompt }) => {
    prompts.push(prompt);
    return `answer ${prompts.length}`;
  });
  chat.send("one");
  await whenState(chat, ({ status, model }) => status === "idle" && model.entries.length === 3);
  chat.send("two");
  const { model } = await whenState(chat, ({ status, model }) => status === "idle" && model.entries.length === 6);
  expect(await chat.rewind(model.entries[3]?.id ?? "")).toBe("two");
  expect(shown(chat.snapshot()).slice(0, 3)).toEqual(["user one", "text answer 1", "turn-end completed"]);
  chat.send("two again");
  await whenState(chat, ({ status }) => status === "idle");
  await whenState(chat, () => prompts.length === 3);
  expect(prompts[2]).toContain("User: one\n\nAgent: answer 1");
  expect(prompts[2]?.endsWith("two again")).toBe(true);
  await chat.stop();
});

test("the user's own command is shown, and the agent receives its output with the next message", async () => {
  const prompts: string[] = [];
  const chat = chatWith(
    ({ prompt }) => {
      prompts.push(prompt);
      return "seen";
    },
    {
      runShell(_command, { onOutput }) {
        onOutput("cart.ts\n");
        return Promise.resolve(0);
      },
    },
  );
  await chat.runShell("ls src");
  chat.send("What is there?");
  const state = await whenState(chat, ({ status, model }) => status === "idle" && model.entries.length > 2);
  expect(shown(state)[0]).toBe("shell ls src cart.ts 0");
  expect(prompts).toEqual(["The user ran a command:\n\n$ ls src\ncart.ts\n\n(exit code 0)\n\nWhat is there?"]);
  await chat.stop();
});

test("a command that did not run says why, and the agent does not hear of it", async () => {
  const prompts: string[] = [];
  const chat = chatWith(
    ({ prompt }) => {
      prompts.push(prompt);
      return "seen";
    },
    { runShell: () => Promise.reject(new Error("The command did not run: Rule 1 denies it.")) },
  );
  await chat.runShell("rm x");
  chat.send("Hi");
  const state = await whenState(chat, ({ status, model }) => status === "idle" && model.entries.length > 3);
  expect(shown(state).slice(0, 2)).toEqual(["shell rm x  not-run", "error The command did not run: Rule 1 denies it."]);
  expect(prompts).toEqual(["Hi"]);
  await chat.stop();
});

test("a command that the user stops has no exit code, and the agent receives its output so far", async () => {
  const prompts: string[] = [];
  const chat = chatWith(
    ({ prompt }) => {
      prompts.push(prompt);
      return "seen";
    },
    {
      async runShell(_command, { onOutput, signal }) {
        onOutput("one\n");
        await chat.interrupt();
        signal.throwIfAborted();
        return 0;
      },
    },
  );
  await chat.runShell("sleep 9");
  chat.send("Hi");
  const state = await whenState(chat, ({ status, model }) => status === "idle" && model.entries.length > 2);
  expect(shown(state)[0]).toBe("shell sleep 9 one stopped");
  expect(prompts).toEqual(["The user ran a command:\n\n$ sleep 9\none\n\n(stopped)\n\nHi"]);
  await chat.stop();
});

test("permission requests wait for the person, who answers each", async () => {
  const chat = chatWith(async (_turn, tools) => {
    const results = await Promise.all([
      tools.perform({ type: "run-command", command: "npm test" }),
      tools.perform({ type: "run-command", command: "npm test" }),
    ]);
    return results.map(({ isDenied }) => String(isDenied)).join(" ");
  });
  chat.send("test it");
  const { asks } = await whenState(chat, (state) => state.asks.length === 2);
  for (const ask of asks) if (ask.type === "permission") ask.answer({ type: "deny", reason: "Not now." });
  const state = await whenState(chat, ({ status }) => status === "idle");
  expect(state.asks).toEqual([]);
  expect(shown(state)).toContain("text true true");
  await chat.stop();
});

test("a side question leaves no trace in the conversation", async () => {
  const prompts: string[] = [];
  const chat = chatWith(({ prompt }) => {
    prompts.push(prompt);
    return "fine";
  });
  chat.send("one");
  await whenState(chat, ({ status, model }) => status === "idle" && model.entries.length === 3);
  const { sessionId } = chat.snapshot();
  await chat.askAside("What is a monad?");
  expect(shown(chat.snapshot()).at(-1)).toBe("info **Aside:** fine");
  expect(chat.snapshot().sessionId).toBe(sessionId);
  await chat.stop();
});

test("a message that is not shown waits for its turn, and its answer can be hidden", async () => {
  const chat = chatWith(({ prompt }) => `re: ${prompt}`);
  chat.send("one");
  chat.send("two");
  const reply = await chat.sendSilently("hidden", { isHidden: true });
  expect(reply.content).toBe("re: hidden");
  const state = await whenState(chat, ({ status, queue }) => status === "idle" && queue.length === 0);
  expect(shown(state)).toEqual([
    ...["user one", "text re: one", "turn-end completed", "turn-end completed"],
    ...["user two", "text re: two", "turn-end completed"],
  ]);
  await chat.stop();
});

test("a conversation that is cleared during a turn is empty, and stays so", async () => {
  const started = Promise.withResolvers<void>();
  const chat = chatWith(async (_turn, { signal }) => {
    started.resolve();
    await new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    return "never";
  });
  chat.send("one");
  chat.send("two");
  await started.promise;
  await chat.clear();
  expect(chat.snapshot()).toMatchObject({ status: "idle", sessionId: undefined });
  expect(chat.snapshot().queue).toEqual([{ id: "q1", text: "two", attachments: [], isHeld: true }]);
  expect(shown(chat.snapshot())).toEqual([]);
  await chat.stop();
});

test("the model cannot change during a turn, and changes after it", async () => {
  const gate = Promise.withResolvers<void>();
  const chat = chatWith(async () => {
    await gate.promise;
    return "ok";
  });
  chat.send("one");
  await chat.setModel("other");
  expect(chat.snapshot().modelName).toBeUndefined();
  gate.resolve();
  const { model } = await whenState(chat, ({ status }) => status === "idle");
  expect(model.entries.map(describe)).toContain("warning Wait for the end of the turn, or stop it first.");
  await chat.setModel("other", "high");
  expect(chat.snapshot()).toMatchObject({ modelName: "other", effort: "high" });
  await chat.stop();
});

test("a side question changes nothing, whatever the policy allows and the agent can do", async () => {
  const denied: boolean[] = [];
  const client = createScriptedAgent({
    evaluatePermission: "policy",
    capabilities: { planMode: false, fork: false },
    async script(_turn, tools) {
      denied.push((await tools.perform({ type: "run-command", command: "touch made" })).isDenied);
      return "done";
    },
  });
  const permissions = { rules: [{ effect: "allow", tools: ["shell"] }] } as const;
  const chat = new ChatSession(hostOf(client, { sessionConfigFor: () => ({ permissions }) }), () => 1_000);
  await chat.askAside("May you?");
  expect(denied).toEqual([true]);
  await chat.stop();
});

test("the plan mode of the options can be left", async () => {
  const denied: boolean[] = [];
  const client = createScriptedAgent({
    evaluatePermission: "policy",
    async script(_turn, tools) {
      denied.push((await tools.perform({ type: "run-command", command: "true" })).isDenied);
      return "done";
    },
  });
  const permissions = { rules: [{ effect: "allow", tools: ["shell"] }] } as const;
  const config = { permissions, permissionMode: "plan" } as const;
  const chat = new ChatSession(hostOf(client, { sessionConfigFor: () => config }), () => 1_000);
  chat.send("one");
  await whenState(chat, ({ status }) => status === "idle");
  await whenState(chat, () => denied.length === 1);
  await whenState(chat, ({ status }) => status === "idle");
  await chat.setMode("default");
  chat.send("two");
  await whenState(chat, () => denied.length === 2);
  await whenState(chat, ({ status }) => status === "idle");
  expect(denied).toEqual([true, false]);
  await chat.stop();
});
