import { describe, expect, test } from "bun:test";
import {
  type AgentEvent,
  AgentTurnError,
  ContextOverflowError,
  NotSignedInError,
  RateLimitedError,
  TurnStalledError,
} from "../../contracts/index.ts";
import { rejectionOf } from "../../testkit/conformance/rejection-of.ts";
import { AgentTurn } from "./agent-turn.ts";
import { startManualTurn } from "./fixtures/manual-turn.ts";

const START: AgentEvent = { type: "turn-start", sessionId: "s", at: 7 };
const usage = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4 };

function end(outcome: "completed" | "aborted" | "failed"): AgentEvent {
  return { type: "turn-end", sessionId: "s", at: 7, outcome };
}

describe("the events of a turn", () => {
  test("start with turn-start and end with turn-end, for the listener and the reader alike", async () => {
    const { turn, heard } = startManualTurn();
    turn.publish({ type: "text-delta", sessionId: "s", text: "Hi." });
    turn.publish({ type: "usage", sessionId: "s", usage });
    turn.complete();
    await turn.settled;
    expect(heard).toEqual([
      START,
      { type: "text-delta", sessionId: "s", at: 7, text: "Hi." },
      { type: "usage", sessionId: "s", at: 7, usage },
      end("completed"),
    ]);
    expect(await Array.fromAsync(turn.events)).toEqual(heard);
    expect(turn.result()).toMatchObject({ type: "text", content: "Hi.", usage, toolUses: 0, deniedPermissions: [] });
  });

  test("are over after turn-end: what comes later is dropped, and the first end holds", () => {
    const { turn, heard } = startManualTurn();
    turn.complete();
    turn.publish({ type: "text-delta", sessionId: "s", text: "too late" });
    turn.fail(new AgentTurnError("manual", "too late"));
    expect(heard).toEqual([START, end("completed")]);
    expect(turn.result().content).toBe("");
  });

  test("come once, even when a listener ends the turn again while it hears of the end", () => {
    const error = new AgentTurnError("manual", "broken");
    const { turn, heard } = startManualTurn({
      onEvent: (event) => {
        if (event.type !== "error" && event.type !== "turn-end") return;
        turn.fail(error);
        void turn.abort("again");
        turn.publish({ type: "text-delta", sessionId: "s", text: "too late" });
      },
    });
    turn.fail(error);
    expect(heard).toEqual([
      START,
      { type: "error", sessionId: "s", at: 7, message: error.message, code: "AGENT_TURN_FAILED" },
      end("failed"),
    ]);
    expect(() => turn.result()).toThrow(error);
  });

  test("the reply is not available before the end", () => {
    expect(() => startManualTurn().turn.result()).toThrow("A reply was asked for before the turn had settled.");
  });
});

describe("the reply", () => {
  test("has the structured answer, which is its text where there is none", () => {
    const { turn } = startManualTurn();
    turn.complete({ structured: { answer: 42 } });
    expect(turn.result()).toMatchObject({ content: '{"answer":42}', structured: { answer: 42 } });
  });

  test("is the vendor's error at the start, as one of Atomic's errors", async () => {
    const turn = new AgentTurn({
      now: () => 7,
      agentType: "manual",
      sessionId: "s",
      stallTimeoutMs: 60_000,
      interrupt: async () => {},
      onEvent: () => {},
    });
    turn.start(() => Promise.reject(new Error("no route")));
    await turn.settled;
    expect(() => turn.result()).toThrow('The turn of the agent "manual" failed: no route');
  });
});

describe("an abort", () => {
  test("waits for the vendor's report, ends as aborted whatever that is, and throws its reason", async () => {
    const told = Promise.withResolvers<void>();
    const { turn, heard } = startManualTurn({ interrupt: async () => told.resolve() });
    const reason = new Error("changed my mind");
    const aborting = turn.abort(reason);
    await told.promise;
    expect([turn.hasEnded, turn.signal.aborted, turn.signal.reason]).toEqual([false, true, reason]);
    turn.publish({ type: "text-delta", sessionId: "s", text: "last words" });
    turn.fail(new AgentTurnError("manual", "aborted by the user"));
    await aborting;
    expect(heard.slice(1)).toEqual([{ type: "text-delta", sessionId: "s", at: 7, text: "last words" }, end("aborted")]);
    expect(() => turn.result()).toThrow(reason);
  });

  test.each([
    { title: "a vendor that says at once that it ended", interrupt: async (turn: AgentTurn) => turn.complete() },
    { title: "a vendor that says nothing", interrupt: async () => {} },
  ])("by who hears of the start keeps the message back from $title", async ({ interrupt }) => {
    const heard: AgentEvent[] = [];
    let hasBegun = false;
    const turn: AgentTurn = new AgentTurn({
      now: () => 7,
      agentType: "manual",
      sessionId: "s",
      stallTimeoutMs: 60_000,
      interrupt,
      onEvent: (event) => {
        heard.push(event);
        if (event.type === "turn-start") void turn.abort("never mind");
      },
    });
    turn.start(async () => {
      hasBegun = true;
    });
    await turn.settled;
    expect([hasBegun, heard]).toEqual([false, [START, end("aborted")]]);
    expect(() => turn.result()).toThrow("never mind");
  });

  test("does not wait forever for a vendor that reports nothing, or whose interrupt fails", async () => {
    const { turn, heard } = startManualTurn({
      interrupt: () => Promise.reject(new Error("gone")),
      interruptGraceMs: 10,
    });
    await turn.abort("enough");
    expect(heard).toEqual([START, end("aborted")]);
  });

  test("interrupts the vendor once, however often it is called, and an ended turn not at all", async () => {
    let count = 0;
    const { turn } = startManualTurn({
      interrupt: async (interrupted) => {
        count += 1;
        interrupted.complete();
      },
    });
    await Promise.all([turn.abort("one"), turn.abort("two")]);
    await turn.abort("three");
    expect(count).toBe(1);
  });
});

describe("the watchdog", () => {
  test("stops a turn without a sign of life and says for how long it was silent", async () => {
    const { turn, heard } = startManualTurn({ stallTimeoutMs: 10 });
    await turn.settled;
    const error = new TurnStalledError("manual", 10);
    expect(heard).toEqual([
      START,
      { type: "stalled", sessionId: "s", at: 7, silentMs: 10 },
      { type: "error", sessionId: "s", at: 7, message: error.message, code: "TURN_STALLED" },
      end("failed"),
    ]);
    expect(() => turn.result()).toThrow(error);
  });

  test("throws the provider's last error, if there was one", async () => {
    const error = new RateLimitedError("manual", "slow down", 5_000);
    const { turn } = startManualTurn({ stallTimeoutMs: 10, stallError: () => error });
    await turn.settled;
    expect(() => turn.result()).toThrow(error);
  });

  test("is off while a person is asked, and restarts afterwards", async () => {
    const { turn, heard } = startManualTurn({ stallTimeoutMs: 20 });
    const answer = turn.waitForPerson(async () => {
      // Another turn's time is over before the person answers, so this one's would be, too.
      await startManualTurn({ stallTimeoutMs: 20 }).turn.settled;
      return "yes";
    });
    expect(await answer).toBe("yes");
    expect(heard).toEqual([START]);
    await turn.settled;
    expect(heard.at(-1)).toEqual(end("failed"));
  });

  test("takes a time longer than any timer can wait for a very long one", async () => {
    const { turn, heard } = startManualTurn({ stallTimeoutMs: Number.POSITIVE_INFINITY });
    await new Promise((resolve) => setImmediate(resolve));
    turn.complete();
    expect(heard).toEqual([START, end("completed")]);
  });
});

describe("a rejected key", () => {
  test.each([
    {
      title: "with a login",
      hasEndpoint: false,
      advice: 'The agent "manual" is not signed in (bad key). Run: manual login',
    },
    {
      title: "with a program that is not on the PATH",
      hasEndpoint: false,
      loginCommand: "/opt/manual login",
      advice: 'The agent "manual" is not signed in (bad key). Run: /opt/manual login',
    },
    {
      title: "at the user's own endpoint",
      hasEndpoint: true,
      advice:
        'The endpoint of the agent "manual" rejected its key (bad key). Correct "agents.manual.endpoint.apiKey" in ~/.atomic/config.json, or in the project\'s .atomic/config.json.',
    },
  ])("$title", async ({ hasEndpoint, loginCommand, advice }) => {
    const { turn, heard } = startManualTurn({ hasEndpoint, loginCommand });
    const cause = { status: 401 };
    turn.fail(new NotSignedInError("manual", "manual login", { detail: "bad key", cause }));
    await turn.settled;
    expect(eventMessages(heard)).toEqual([advice]);
    expect(() => turn.result()).toThrow(
      expect.objectContaining({ code: "NOT_SIGNED_IN", message: advice, detail: "bad key", cause }),
    );
  });

  function eventMessages(events: readonly AgentEvent[]): readonly string[] {
    return events.flatMap((event) => (event.type === "error" ? [event.message] : []));
  }
});

describe("a turn that waits for the network", () => {
  const WAITING: AgentEvent = { type: "waiting", sessionId: "s", at: 7, reason: "network", message: "refused" };
  const UNREACHABLE = new AgentTurnError("manual", "nothing listens", { isRetryable: false });

  test("fails with the error of its endpoint's check, instead of the vendor's retries", async () => {
    const { turn, heard } = startManualTurn({
      checkEndpoint: () => Promise.reject(UNREACHABLE),
      interrupt: async (interrupted) => interrupted.complete(),
    });
    turn.publish(WAITING);
    await turn.settled;
    expect(heard).toEqual([
      ...[START, WAITING],
      { type: "error", sessionId: "s", at: 7, message: UNREACHABLE.message, code: "AGENT_TURN_FAILED" },
      end("failed"),
    ]);
    expect(() => turn.result()).toThrow(UNREACHABLE);
  });

  test("is checked once at a time, and continues while the endpoint answers", async () => {
    const answers = Promise.withResolvers<void>();
    let count = 0;
    const check = () => {
      count += 1;
      return answers.promise;
    };
    const { turn, heard } = startManualTurn({ checkEndpoint: check });
    turn.publish(WAITING);
    turn.publish(WAITING);
    expect(count).toBe(1);
    answers.resolve();
    await answers.promise;
    await Promise.resolve();
    turn.publish({ ...WAITING, reason: "overload" });
    expect(count).toBe(1);
    turn.publish(WAITING);
    expect(count).toBe(2);
    turn.complete();
    expect(heard.at(-1)).toEqual(end("completed"));
  });

  test("has no check that outlives it: its signal is aborted, and a late rejection changes nothing", async () => {
    const late = Promise.withResolvers<void>();
    const signals: AbortSignal[] = [];
    const { turn, heard } = startManualTurn({
      checkEndpoint: (signal) => {
        signals.push(signal);
        return late.promise;
      },
    });
    turn.publish(WAITING);
    turn.complete();
    late.reject(UNREACHABLE);
    await turn.settled;
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(heard).toEqual([START, WAITING, end("completed")]);
  });
});

describe("a conversation that stays too long", () => {
  const COMPACTED: AgentEvent = { type: "compacted", sessionId: "s", at: 7 };

  test("fails the turn when compacting it three times in a row has not helped", async () => {
    const { turn, heard } = startManualTurn();
    for (let count = 0; count < 3; count++) turn.publish(COMPACTED);
    await turn.settled;
    const error = new ContextOverflowError("manual", "it stays too long although it was compacted 3 times in a row");
    expect(heard).toEqual([
      START,
      COMPACTED,
      COMPACTED,
      COMPACTED,
      { type: "error", sessionId: "s", at: 7, message: error.message, code: "CONTEXT_OVERFLOW" },
      end("failed"),
    ]);
    expect(() => turn.result()).toThrow(error);
  });

  const WORK: readonly AgentEvent[] = [
    { type: "text-delta", sessionId: "s", at: 7, text: "Hi." },
    { type: "tool-start", sessionId: "s", at: 7, toolId: "1", toolName: "read", kind: "read", input: {} },
  ];

  test.each(WORK)("may be compacted again and again as long as there is output: $type", async (work) => {
    const { turn } = startManualTurn();
    for (let count = 0; count < 6; count++) {
      turn.publish(COMPACTED);
      if (count % 2 === 1) turn.publish(work);
    }
    expect(turn.signal.aborted).toBe(false);
    turn.complete();
    await turn.settled;
  });
});

describe("a person who is being asked", () => {
  test("is left alone as soon as the turn stops, with its reason", async () => {
    const { turn } = startManualTurn();
    let given: AbortSignal | undefined;
    const asking = turn.waitForPerson((signal) => {
      given = signal;
      return new Promise(() => {});
    });
    const reason = new Error("enough");
    void turn.abort(reason);
    expect(await rejectionOf(asking)).toBe(reason);
    expect(given?.reason).toBe(reason);
    expect(await rejectionOf(turn.waitForPerson(async () => "never asked"))).toBe(reason);
  });

  test("is dropped when the vendor withdraws its request, and the turn continues", async () => {
    const { turn } = startManualTurn();
    const back = new AbortController();
    const asking = turn.waitForPerson(() => new Promise(() => {}), { until: back.signal });
    back.abort("taken back");
    expect(await rejectionOf(asking)).toBe("taken back");
    expect([turn.signal.aborted, turn.hasEnded]).toEqual([false, false]);
    turn.complete();
  });
});
