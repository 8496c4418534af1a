import { afterAll, describe, expect, test } from "bun:test";
import { NotSignedInError, RateLimitedError, type Session, TurnStalledError } from "../../../contracts/index.ts";
import { call, say } from "../../../testkit/conformance/client/client-script.ts";
import { rejectionOf } from "../../../testkit/conformance/rejection-of.ts";
import { collectEvents, plainEvents } from "../../fixtures/turn-events.ts";
import { startOpenCodeBench } from "./fixtures/opencode-bench.ts";
import type { OpenCodeSession } from "./opencode-session.ts";

const bench = await startOpenCodeBench(process.env.PATH ?? "");
const { models, script } = bench;
afterAll(() => bench.stop());

describe("the early end of a turn", () => {
  test("an abort in the middle of the text rejects with its reason, reaches the model and leaves the session usable", async () => {
    script({ type: "message", text: "word ".repeat(200), deltaDelayMs: 30 });
    const session = await bench.client.createSession();
    const controller = new AbortController();
    const reason = new Error("changed my mind");
    const aborted = models.abortedRequests;
    const unsubscribe = bench.client.on("text-delta", (event) => {
      if (event.sessionId === session.id) controller.abort(reason);
    });
    expect(await rejectionOf(session.send("Talk.", { signal: controller.signal }))).toBe(reason);
    unsubscribe();
    await models.waitForAbortedRequests(aborted + 1);
    script(say("still here"));
    expect((await session.send("Are you there?")).content).toBe("still here");
  });

  test("an abort right after sending stops the turn, and its last event reports that", async () => {
    script({ type: "message", text: "word ".repeat(200), deltaDelayMs: 30 });
    const session = await bench.client.createSession();
    const controller = new AbortController();
    const unsubscribe = bench.client.on("turn-start", () => controller.abort());
    const events = await collectEvents(session, "Talk.", { signal: controller.signal });
    unsubscribe();
    expect(events.at(-1)).toEqual({
      type: "turn-end",
      sessionId: session.id,
      at: expect.any(Number),
      outcome: "aborted",
    });
    script(say("still here"));
    expect((await session.send("Are you there?")).content).toBe("still here");
  });

  test("leaving the loop early aborts the turn", async () => {
    script({ type: "message", text: "word ".repeat(200), deltaDelayMs: 30 });
    const session = await bench.client.createSession();
    const aborted = models.abortedRequests;
    for await (const event of session.stream("Talk.")) if (event.type === "text-delta") break;
    await models.waitForAbortedRequests(aborted + 1);
    script(say("still here"));
    expect((await session.send("Are you there?")).content).toBe("still here");
  });

  test("an abort also ends the wait for a person", async () => {
    script(call("bash", { command: "touch f.txt", description: "f" }), say("Done."));
    const controller = new AbortController();
    let wasGivenUp = false;
    const session = await bench.client.createSession({
      onPermissionAsk: (_request, { signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => {
            wasGivenUp = true;
            reject(signal.reason);
          });
          controller.abort(new Error("enough"));
        }),
    });
    expect(await rejectionOf(session.send("Touch.", { signal: controller.signal }))).toEqual(new Error("enough"));
    expect(wasGivenUp).toBe(true);
    script(say("still here"));
    expect((await session.send("Are you there?")).content).toBe("still here");
  });

  test("a model that goes silent stalls the turn after the timeout", async () => {
    script({ type: "stall", afterText: "and then" });
    const session = await bench.client.createSession();
    const error = await rejectionOf(session.send("Talk.", { stallTimeoutMs: 700 }));
    expect(error).toEqual(new TurnStalledError("opencode", 700));
    script(say("still here"));
    expect((await session.send("Are you there?")).content).toBe("still here");
  });

  test("a person may think for longer than the stall timeout", async () => {
    script(call("bash", { command: "touch g.txt", description: "g" }), say("Done."));
    const session = await bench.client.createSession({
      onPermissionAsk: async () => {
        await Bun.sleep(4_000);
        return { type: "allow" };
      },
    });
    expect((await session.send("Touch.", { stallTimeoutMs: 3_000 })).content).toBe("Done.");
  });

  test("a provider that keeps failing stalls the turn after the timeout, with the provider's message", async () => {
    script({ type: "error", status: 429, message: "Rate limit reached", headers: { "retry-after": "60" } });
    const session = await bench.client.createSession();
    const error = await rejectionOf(session.send("Talk.", { stallTimeoutMs: 700 }));
    expect(error).toBeInstanceOf(RateLimitedError);
    expect((error as RateLimitedError).message).toStartWith(
      'The provider of "opencode" limits the rate of calls: Rate limit reached. Try again in ',
    );
  });

  test("errors of the provider become errors that a caller can act on", async () => {
    const session = await bench.client.createSession();
    script({ type: "error", status: 400, message: "Bad request: no such field" });
    expect(await rejectionOf(session.send("Talk."))).toMatchObject({
      code: "AGENT_TURN_FAILED",
      statusCode: 400,
      isRetryable: false,
      message: 'The turn of the agent "opencode" failed: Bad request: no such field',
    });
    script({ type: "error", status: 401, message: "Invalid key" });
    const events = await collectEvents(session, "Talk.");
    expect(plainEvents(events.slice(-2))).toEqual([
      {
        type: "error",
        code: "NOT_SIGNED_IN",
        message: new NotSignedInError("opencode", "", { detail: "Invalid key", isAtEndpoint: true }).message,
      },
      { type: "turn-end", outcome: "failed" },
    ]);
    script(say("fine again"));
    expect((await session.send("Talk.")).content).toBe("fine again");
  });

  test("an unknown model fails the turn and names the model", async () => {
    const session = await bench.client.createSession({ model: "atomic/nope" });
    expect(await rejectionOf(session.send("Talk."))).toMatchObject({
      message: expect.stringMatching(
        /^The turn of the agent "opencode" failed: Model not found: atomic\/nope\. The agent's endpoint has: .*--model /,
      ),
      isRetryable: false,
    });
  });
});

describe("a lost connection to the events", () => {
  /** Drops the session's events up to the first of a type, then reads the session again as a reconnect does. */
  function loseEvents(session: Session, lastType: string): void {
    const receiver = session as OpenCodeSession; // what `createOpenCodeClient` creates
    const receive = receiver.receive.bind(receiver);
    receiver.receive = ({ type }) => {
      if (type !== lastType) return;
      receiver.receive = receive;
      receiver.onReconnect();
    };
  }

  test("loses neither the text nor the end of a turn", async () => {
    script({ type: "message", text: "said meanwhile", usage: { inputTokens: 10, outputTokens: 2 } });
    const session = await bench.client.createSession();
    loseEvents(session, "session.idle");
    const usage = { inputTokens: 10, outputTokens: 2, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd: 0.000014 };
    expect<unknown>(plainEvents(await collectEvents(session, "Talk."))).toEqual([
      { type: "turn-start" },
      { type: "text-delta", text: "said meanwhile" },
      { type: "usage", usage },
      { type: "turn-end", outcome: "completed" },
    ]);
  });

  test("leaves no permission unanswered", async () => {
    script(call("bash", { command: "true", description: "t" }), say("Done."));
    const session = await bench.client.createSession({ permissions: { rules: [], otherwise: "allow" } });
    loseEvents(session, "permission.asked");
    expect(await session.send("Run it.")).toMatchObject({ content: "Done.", toolUses: 1, deniedPermissions: [] });
  });
});
