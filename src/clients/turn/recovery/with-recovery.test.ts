import { describe, expect, test } from "bun:test";
import {
  AgentCrashedError,
  type AgentEvent,
  AgentTurnError,
  type CodingAgentClient,
  NotSignedInError,
  RateLimitedError,
  type Session,
  SessionBusyError,
} from "../../../contracts/index.ts";
import { createFakeAgent, type FakeAgent, type FakeEvent, type FakeScript } from "../../fixtures/fake-agent.ts";
import type { RecoveryPolicy } from "./decide-recovery.ts";
import type { RecoveryClock } from "./recovered-turn.ts";
import { withRecovery } from "./with-recovery.ts";

const CRASH = new AgentCrashedError("fake", "signal SIGKILL", []);
const USAGE = { inputTokens: 10, outputTokens: 3, cacheReadTokens: 0, cacheWriteTokens: 0 };
const LS = { type: "tool-start", toolId: "t1", toolName: "Bash", kind: "shell", input: "ls" } as const;
const LS_END = { type: "tool-end", toolId: "t1", toolName: "Bash", isError: false, output: "a" } as const;

function say(...texts: readonly string[]): FakeScript {
  return ({ publish }) => {
    publish(...texts.map((text) => ({ type: "text-delta", text }) as const), { type: "usage", usage: USAGE });
  };
}

function failAfter(script: FakeScript, error: unknown = CRASH): FakeScript {
  return async (tools) => {
    await script(tools);
    throw error;
  };
}

/** A clock that stands still; pauses end at once and are noted. */
function standingClock(): RecoveryClock & { readonly pauses: number[] } {
  const pauses: number[] = [];
  const sleep = async (durationMs: number) => void pauses.push(durationMs);
  return { now: () => 1_000_000, random: () => 0, sleep, pauses };
}

interface Bench {
  readonly agent: FakeAgent;
  readonly session: Session;
  readonly heard: AgentEvent[];
  readonly pauses: readonly number[];
}

async function open(scripts: readonly FakeScript[], policy: RecoveryPolicy = {}): Promise<Bench> {
  const agent = createFakeAgent(scripts);
  const clock = standingClock();
  const client = withRecovery(agent, { baseDelayMs: 100, ...policy }, clock);
  const heard: AgentEvent[] = [];
  client.on("*", (event) => heard.push(event));
  return { agent, session: await client.createSession({ model: "big" }), heard, pauses: clock.pauses };
}

async function eventsOf(session: Session): Promise<readonly FakeEvent[]> {
  const events: FakeEvent[] = [];
  for await (const { sessionId: _sessionId, at: _at, ...event } of session.stream("Go.")) events.push(event);
  return events;
}

async function textsOf(session: Session): Promise<readonly string[]> {
  return (await eventsOf(session)).flatMap((event) => (event.type === "text-delta" ? [event.text] : []));
}

function waitingFor(delayMs: number, next = "Then the message is sent again."): FakeEvent {
  return { type: "waiting", reason: "crash", message: `${next} ${CRASH.message}`, retryAt: 1_000_000 + delayMs };
}

describe("a turn that fails and then succeeds", () => {
  test("is one turn, for its reader and for listeners, and all its usage counts", async () => {
    const { session, heard, agent, pauses } = await open([
      failAfter(say("Hel")),
      failAfter(say()),
      say("Hello", " you"),
    ]);
    const events = await eventsOf(session);
    expect(events).toEqual([
      { type: "turn-start" },
      { type: "text-delta", text: "Hel" },
      { type: "usage", usage: USAGE },
      waitingFor(100),
      { type: "usage", usage: USAGE },
      waitingFor(200),
      { type: "text-delta", text: "lo" },
      { type: "text-delta", text: " you" },
      { type: "usage", usage: USAGE },
      { type: "turn-end", outcome: "completed" },
    ]);
    expect<unknown>(heard).toEqual(events.map((event) => ({ ...event, sessionId: "s1", at: expect.any(Number) })));
    expect(agent.sent).toEqual(Array(3).fill({ sessionId: "s1", prompt: "Go.", model: "big" }));
    expect(pauses).toEqual([100, 200]);
  });

  test("has the reply that its reader saw, and the usage of all attempts", async () => {
    const { session } = await open([failAfter(say("One way: ")), say("Another way.")]);
    expect(await session.send("Go.")).toEqual({
      type: "text",
      content: "One way: \n\nAnother way.",
      usage: { inputTokens: 20, outputTokens: 6, cacheReadTokens: 0, cacheWriteTokens: 0 },
      toolUses: 0,
      deniedPermissions: [],
    });
  });

  test("shows a different answer whole, in a paragraph of its own", async () => {
    const { session } = await open([failAfter(say("One way: ")), say("Ano", "ther.")]);
    expect(await textsOf(session)).toEqual(["One way: ", "\n\nAno", "ther."]);
  });

  test("passes on that the agent starts an answer again, but not where the reader has seen none of it", async () => {
    const restart: FakeEvent = { type: "text-restart" };
    const half: FakeScript = ({ publish }) => publish({ type: "text-delta", text: "Half of" });
    const again: FakeScript = ({ publish }) =>
      publish(
        ...[{ type: "text-delta", text: "Half" } as const, restart],
        ...[{ type: "text-delta", text: "\n\nHalf of it, " } as const, restart],
        ...[{ type: "text-delta", text: "\n\nAll of it." } as const, { type: "usage", usage: USAGE } as const],
      );
    const { session } = await open([failAfter(half), again]);
    const shown = (await eventsOf(session)).map((event) => (event.type === "text-delta" ? event.text : event.type));
    expect(shown).toEqual([
      ...["turn-start", "Half of", "waiting", " it, ", "text-restart", "\n\nAll of it.", "usage", "turn-end"],
    ]);
    const { session: other } = await open([failAfter(half), again]);
    expect((await other.send("Go.")).content).toBe("All of it.");
  });

  test("keeps its structured answer", async () => {
    const { session } = await open([failAfter(say()), () => ({ size: 2 })]);
    expect(await session.send("Go.", { outputSchema: { type: "object" } })).toMatchObject({
      content: '{"size":2}',
      structured: { size: 2 },
    });
  });
});

describe("a turn that fails after a tool ran", () => {
  const interrupted = failAfter(({ publish }) =>
    publish({ type: "text-delta", text: "I look." }, LS, LS_END, { type: "text-delta", text: "There is" }),
  );

  test("continues instead of restarting, and its answer is the whole text", async () => {
    const { session, agent } = await open([interrupted, say("a file.")]);
    const reply = await session.send("List the files.");
    expect(reply).toMatchObject({ content: "I look.\n\nThere is\n\na file.", toolUses: 1 });
    expect(agent.sent.map(({ prompt }) => prompt)).toEqual(["List the files.", "Continue where you were interrupted."]);
  });

  test("says what is tried next", async () => {
    const { session } = await open([interrupted, say("a file.")]);
    const waits = (await eventsOf(session)).filter(({ type }) => type === "waiting");
    expect(waits).toEqual([waitingFor(100, "Then the agent is to continue.")]);
  });

  test("continues also after the next attempt failed without a tool, and shows the same text as the answer", async () => {
    const justTool = failAfter(({ publish }) => publish(LS, LS_END));
    const { session, agent } = await open([justTool, failAfter(say("A")), say("B")]);
    expect(await textsOf(session)).toEqual(["A", "\n\nB"]);
    expect(agent.sent.map(({ prompt }) => prompt).slice(1)).toEqual(
      Array(2).fill("Continue where you were interrupted."),
    );
  });

  test("leaves the paragraph after a tool to the reader", async () => {
    const toolLast = failAfter(({ publish }) => publish({ type: "text-delta", text: "I look." }, LS, LS_END));
    const { session } = await open([toolLast, failAfter(say()), say("Done.")]);
    expect(await textsOf(session)).toEqual(["I look.", "Done."]);
  });

  test("begins the next turn with its own message again", async () => {
    const { session, agent } = await open([interrupted, say("a file."), say("Bye.")]);
    await session.send("List the files.");
    expect(await session.send("Bye?")).toMatchObject({ content: "Bye.", toolUses: 0 });
    expect(agent.sent.at(-1)?.prompt).toBe("Bye?");
  });
});

describe("a turn that fails in the end", () => {
  test("shows its error once and throws it", async () => {
    const { session, heard } = await open([failAfter(say()), failAfter(say())], { maxAttempts: 2 });
    const thrown: unknown = await session.send("Go.").catch((error: unknown) => error);
    expect(thrown).toBe(CRASH);
    expect(heard.map(({ type }) => type)).toEqual(["turn-start", "usage", "waiting", "usage", "error", "turn-end"]);
    expect(heard.at(-1)).toMatchObject({ type: "turn-end", sessionId: "s1", outcome: "failed" });
  });

  test("is not retried where that cannot help", async () => {
    const { session, agent } = await open([failAfter(say(), new NotSignedInError("fake", "fake login"))]);
    await expect(session.send("Go.")).rejects.toThrow('The agent "fake" is not signed in. Run: fake login');
    expect(agent.sent).toHaveLength(1);
  });

  test("fails with an error of its own for what is no error of Atomic's", async () => {
    const agent = createFakeAgent([]);
    const client = withRecovery(agent, {}, standingClock());
    const session = await client.createSession();
    await expect(session.send("Go.")).rejects.toThrow(
      'The turn of the agent "fake" failed: The fake agent has no script left.',
    );
  });
});

describe("another model takes over", () => {
  test("when the first has no attempts left, in the same conversation and for the rest of the session", async () => {
    const limit = new RateLimitedError("fake", "quota", 3_600_000);
    const { session, agent, pauses } = await open(
      [failAfter(say("x"), limit), failAfter(say("x")), failAfter(say("x")), say("Done."), say("Bye.")],
      { maxAttempts: 2, fallbackModels: ["small", "tiny"] },
    );
    const events = await eventsOf(session);
    expect(events.filter(({ type }) => type === "waiting")).toEqual([
      {
        type: "waiting",
        reason: "rate-limit",
        message: `${limit.message} The model "small" takes over.`,
        retryAt: 1_000_000,
      },
      waitingFor(100),
      {
        type: "waiting",
        reason: "crash",
        message: `${CRASH.message} The model "tiny" takes over.`,
        retryAt: 1_000_000,
      },
    ]);
    await session.send("Bye?");
    expect(agent.sent.map(({ model }) => model)).toEqual(["big", "small", "small", "tiny", "tiny"]);
    expect(agent.calls).toEqual(["destroy s1", "resume s1 small", "destroy s1", "resume s1 tiny"]);
    expect(pauses).toEqual([100]);
  });

  test("not where the agent cannot take up a conversation", async () => {
    const agent = createFakeAgent([failAfter(say())], { resume: false });
    const client = withRecovery(agent, { maxAttempts: 1, fallbackModels: ["small"] }, standingClock());
    await expect((await client.createSession()).send("Go.")).rejects.toBe(CRASH);
    expect(agent.calls).toEqual([]);
  });

  test("and when the conversation is gone, the turn fails with that", async () => {
    const agent = createFakeAgent([failAfter(say())]);
    const client = withRecovery(agent, { maxAttempts: 1, fallbackModels: ["small"] }, standingClock());
    const session = await client.createSession();
    await agent.deleteSession("s1");
    await expect(session.send("Go.")).rejects.toThrow('The agent "fake" has no session "s1". Create a new session.');
  });
});

describe("an abort", () => {
  const untilAborted: FakeScript = ({ publish, signal }) => {
    publish({ type: "text-delta", text: "I" });
    return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  };

  /** Opens a session and stops it as soon as an event of this type comes. */
  async function abortAt(type: AgentEvent["type"], scripts: readonly FakeScript[], clock: Partial<RecoveryClock> = {}) {
    const agent = createFakeAgent(scripts);
    const client = withRecovery(agent, {}, { ...standingClock(), ...clock });
    const controller = new AbortController();
    const ends: unknown[] = [];
    client.on("turn-end", ({ outcome }) => ends.push(outcome));
    client.on(type, () => setImmediate(() => controller.abort(new Error("enough"))));
    const session = await client.createSession();
    const thrown: unknown = await session.send("Go.", { signal: controller.signal }).catch((error: unknown) => error);
    return { thrown: String(thrown), ends, session, sent: agent.sent.length };
  }

  test("in an attempt ends the turn with its reason, and the session stays usable", async () => {
    const { session, ...rest } = await abortAt("text-delta", [untilAborted, say("Again.")]);
    expect(rest).toEqual({ thrown: "Error: enough", ends: ["aborted"], sent: 1 });
    expect(await session.send("Once more.")).toMatchObject({ content: "Again." });
  });

  test("in a pause ends it, too", async () => {
    const sleep: RecoveryClock["sleep"] = (_, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    const { session, ...rest } = await abortAt("waiting", [failAfter(say()), say("Again.")], { sleep });
    expect(rest).toEqual({ thrown: "Error: enough", ends: ["aborted"], sent: 1 });
    expect(await session.send("Once more.")).toMatchObject({ content: "Again." });
  });

  test("by the reader who leaves ends it", async () => {
    const { session, agent } = await open([untilAborted, say("Again.")]);
    for await (const event of session.stream("Go.")) if (event.type === "text-delta") break;
    expect(await session.send("Once more.")).toMatchObject({ content: "Again." });
    expect(agent.sent).toHaveLength(2);
  });

  test("of the agent's own is passed on as one", async () => {
    const agent = createFakeAgent([untilAborted]);
    const client = withRecovery(agent, {}, standingClock());
    const inner = await agent.createSession();
    agent.createSession = async () => inner;
    const session = await client.createSession();
    const ends: unknown[] = [];
    client.on("turn-end", ({ outcome }) => ends.push(outcome));
    client.on("text-delta", () => setImmediate(() => void inner.abort()));
    await expect(session.send("Go.")).rejects.toThrow("The turn was aborted.");
    expect(ends).toEqual(["aborted"]);
  });

  test("by stop ends all turns", async () => {
    const agent = createFakeAgent([untilAborted]);
    const client = withRecovery(agent, {}, standingClock());
    const session = await client.createSession();
    client.on("text-delta", () => setImmediate(() => void client.stop()));
    await expect(session.send("Go.")).rejects.toThrow("The client was stopped.");
    expect(agent.calls).toEqual(["stop"]);
  });

  test.each([
    { title: "by stop", stop: (client: CodingAgentClient) => client.stop(), reason: "The client was stopped." },
    {
      title: "by destroy",
      stop: (_: unknown, session: Session) => session.destroy(),
      reason: "The session was destroyed.",
    },
  ])("$title reaches the messages that wait, too", async ({ stop, reason }) => {
    const agent = createFakeAgent([untilAborted, say("Too late.")]);
    const client = withRecovery(agent, {}, standingClock());
    const session = await client.createSession();
    const stopped = Promise.withResolvers<void>();
    client.on("text-delta", () => setImmediate(() => stop(client, session).then(stopped.resolve, stopped.reject)));
    const messages = ["one", "two"].map((message) => session.send(message, { whenBusy: "wait" }));
    const reasons = (await Promise.allSettled(messages)).map((result) => "reason" in result && String(result.reason));
    await stopped.promise;
    expect(reasons).toEqual([`AbortError: ${reason}`, `AbortError: ${reason}`]);
    expect(agent.sent.map(({ prompt }) => prompt)).toEqual(["one"]);
  });
});

describe("the session", () => {
  test("runs one turn at a time, pauses included", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const agent = createFakeAgent([failAfter(say()), say("First."), say("Second.")]);
    const client = withRecovery(agent, {}, { ...standingClock(), sleep: () => promise });
    const session = await client.createSession();
    const first = session.send("first");
    await expect(session.send("busy")).rejects.toThrow(SessionBusyError);
    await expect(session.summarize()).rejects.toThrow(SessionBusyError);
    const second = session.send("second", { whenBusy: "wait" });
    resolve();
    expect((await Promise.all([first, second])).map(({ content }) => content)).toEqual(["First.", "Second."]);
  });

  test("hands the rest on, and what happens outside of turns, too", async () => {
    const { session, agent, heard } = await open([]);
    await session.steer("Faster.");
    await session.summarize();
    expect(await session.getContextUsage()).toEqual({ usedTokens: 1, maxTokens: 4, fraction: 0.25 });
    expect(await session.getMcpStatus()).toEqual([]);
    await session.destroy();
    expect(heard).toMatchObject([{ type: "compacted", sessionId: "s1" }]);
    expect(agent.calls).toEqual(["steer s1 Faster.", "destroy s1"]);
  });

  test("shows an error that is not the end of an attempt", async () => {
    const note = { type: "error", message: "odd", code: "ODD" } as const;
    const { session } = await open([({ publish }) => publish(note, { type: "text-delta", text: "Fine." })]);
    expect(await eventsOf(session)).toEqual([
      { type: "turn-start" },
      note,
      { type: "text-delta", text: "Fine." },
      { type: "turn-end", outcome: "completed" },
    ]);
  });

  test("waits for real time by default", async () => {
    const agent = createFakeAgent([failAfter(say(), new AgentTurnError("fake", "oops")), say("Done.")]);
    const session = await withRecovery(agent, { baseDelayMs: 5 }).createSession();
    expect(await session.send("Go.")).toMatchObject({ content: "Done." });
  });
});
