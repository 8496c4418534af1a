import { describe, expect, test } from "bun:test";
import {
  AgentTurnError,
  AtomicError,
  ContextOverflowError,
  NotSignedInError,
  RateLimitedError,
  TurnStalledError,
} from "../../../contracts/index.ts";
import type { ModelReply } from "../../model-server/model-reply.ts";
import type { ClientBench } from "./client-bench.ts";
import { lastUserText, say, script, scriptRequests } from "./client-script.ts";
import { eventsOf, type HeardTurn, openTalk, type Talk } from "./client-talk.ts";

/** Contains the words by which agents recognise this error of their providers. */
const TOO_LONG = "prompt is too long: 210000 tokens > 200000 maximum context length (context_length_exceeded)";

/** Faults between the agent and its model. */
export function describeFaults(bench: ClientBench): void {
  describe("faults", () => {
    describeRefusals(bench);
    describeOverflow(bench);
    describePassingFaults(bench);
    describeSilence(bench);
  });
}

function describeRefusals(bench: ClientBench): void {
  const hidesKind = bench.traits?.hidesErrorKind === true;
  const hidesRefusals = hidesKind || bench.traits?.repeatsRefusals === true;

  test("a malformed request fails the turn and is not retryable; the session stays usable", async () => {
    script(bench, { type: "error", status: 400, message: "no such field-131" });
    const talk = await openTalk(bench);
    const { error } = await talk.fail("Talk.");
    expect(error).toBeInstanceOf(AgentTurnError);
    expect(String(error)).toContain("no such field-131");
    // By the first line. Where the kind is hidden, it is unknown.
    if (!hidesKind)
      expect([(error as AgentTurnError).statusCode, (error as AgentTurnError).isRetryable]).toEqual([400, false]);
    await talk.expectUsable();
  });

  test("a stream of a turn that fails ends with its turn-end, and does not throw", async () => {
    script(bench, { type: "error", status: 400, message: "no such field-134" });
    const events = await (await openTalk(bench)).stream("Talk.");
    expect(eventsOf(events, "turn-end").map(({ outcome }) => outcome)).toEqual(["failed"]);
    expect(eventsOf(events, "error").map(({ message }) => message.includes("no such field-134"))).toEqual([true]);
  });

  test.skipIf(hidesRefusals)("a rejected key is a missing login, with the command that fixes it", async () => {
    script(bench, { type: "error", status: 401, message: "invalid key-132" });
    const talk = await openTalk(bench);
    const { events, error } = await talk.fail("Talk.");
    expect(error).toBeInstanceOf(NotSignedInError);
    const { loginCommand, message } = error as NotSignedInError; // by the line above
    expect(loginCommand).not.toBe("");
    // The endpoint of a scripted model has no login.
    if (bench.traits?.hasEndpoint === true)
      expect(message).toContain(`"agents.${bench.client.agentType}.endpoint.apiKey"`);
    expect(eventsOf(events, "error").map(({ code }) => code)).toEqual(["NOT_SIGNED_IN"]);
    await talk.expectUsable();
  });

  test.skipIf(hidesRefusals)("a rate limit that persists fails the turn as rate limited", async () => {
    script(bench, { type: "error", status: 429, message: "Rate limit reached-133", headers: { "retry-after": "60" } });
    const talk = await openTalk(bench);
    const { error } = await talk.fail("Talk.", { stallTimeoutMs: 1_500 });
    expect(error).toBeInstanceOf(RateLimitedError);
    await talk.expectUsable();
  });
}

function describeOverflow(bench: ClientBench): void {
  test.skipIf(bench.traits?.hidesErrorKind === true)(
    "a conversation that is too long is compacted by the agent, or fails as a context overflow",
    async () => {
      let hasFailed = false;
      scriptRequests(bench, () => {
        if (hasFailed) return say("back again");
        hasFailed = true;
        return { type: "error", status: 400, message: TOO_LONG };
      });
      const { reply, error } = await (await openTalk(bench)).hear("Talk at length.");
      if (reply === undefined) expect(error).toBeInstanceOf(ContextOverflowError);
      else expect(reply.content).toBe("back again");
    },
  );

  test("a conversation that stays too long fails as a context overflow, and is not compacted for ever", async () => {
    script(bench, { type: "error", status: 400, message: TOO_LONG });
    const { error } = await (await openTalk(bench)).fail("Talk at length.");
    expect(error).toBeInstanceOf(ContextOverflowError);
  });
}

/** Faults of the first call only. */
const PASSING_FAULTS: readonly { readonly title: string; readonly fault: ModelReply }[] = [
  {
    title: "a rate limit",
    fault: { type: "error", status: 429, message: "Rate limit reached", headers: { "retry-after": "1" } },
  },
  { title: "an error of the server", fault: { type: "error", status: 500, message: "it broke" } },
  { title: "an overload", fault: { type: "error", status: 529, message: "Overloaded" } },
  { title: "a connection reset", fault: { type: "reset" } },
  { title: "a connection that breaks", fault: { type: "reset", afterText: "Half of it" } },
  { title: "an invalid answer", fault: { type: "garbage" } },
];

/** Faults that some vendors retry and others do not. */
const UNCERTAIN_FAULTS: readonly string[] = ["a connection that breaks", "an invalid answer"];

function describePassingFaults(bench: ClientBench): void {
  // All at once, because vendors wait for seconds before a retry.
  test("a fault that is temporary costs time, or fails the turn as retryable", async () => {
    const heard = await hearPassingFaults(bench);
    expect(heard.map(({ title }) => title).sort()).toEqual(PASSING_FAULTS.map(({ title }) => title).sort());
    for (const { title, talk, turn } of heard) {
      if (turn.reply !== undefined) expectRepeated(bench, turn, title);
      else expectRepeatable(bench, turn, title);
      await talk.expectUsable();
    }
  });
}

/** A turn whose first model call had a fault. */
interface PassedFault {
  readonly title: string;
  readonly talk: Talk;
  readonly turn: HeardTurn;
}

async function hearPassingFaults(bench: ClientBench): Promise<readonly PassedFault[]> {
  const met = new Set<string>();
  scriptRequests(bench, (request) => {
    const meeting = PASSING_FAULTS.find(({ title }) => lastUserText(request).includes(`Meet ${title}.`));
    if (meeting === undefined || met.has(meeting.title)) return say("back again");
    met.add(meeting.title);
    return meeting.fault;
  });
  return Promise.all(
    PASSING_FAULTS.map(async ({ title }) => {
      const talk = await openTalk(bench);
      return { title, talk, turn: await talk.hear(`Meet ${title}.`, { stallTimeoutMs: 20_000 }) };
    }),
  );
}

function expectRepeated(bench: ClientBench, { events, reply }: HeardTurn, title: string): void {
  expect(reply?.content.endsWith("back again")).toBe(true);
  if (title !== "a rate limit" || bench.traits?.retriesSilently === true) return;
  expect(eventsOf(events, "waiting").map(({ reason }) => reason)).toContain("rate-limit");
}

function expectRepeatable(bench: ClientBench, { error }: HeardTurn, title: string): void {
  expect(error).toBeInstanceOf(AtomicError);
  if (UNCERTAIN_FAULTS.includes(title)) return;
  expect(bench.traits?.retriesByItself ?? false).toBe(false);
  if (bench.traits?.hidesErrorKind === true) return;
  if (error instanceof RateLimitedError) expect(error.retryAfterMs).toBeWithin(1, 1_001);
  else expect([title, (error as AgentTurnError).isRetryable]).toEqual([title, true]); // any other fault is retryable
}

function describeSilence(bench: ClientBench): void {
  const STALL_TIMEOUT_MS = 600;

  test("a silent model is aborted after the stall time, with an event before", async () => {
    script(bench, { type: "stall", afterText: "and then" });
    const talk = await openTalk(bench);
    const { events, error } = await talk.fail("Talk.", { stallTimeoutMs: STALL_TIMEOUT_MS });
    expect(error).toEqual(new TurnStalledError(bench.client.agentType, STALL_TIMEOUT_MS));
    expect(eventsOf(events, "stalled")).toEqual([
      { type: "stalled", sessionId: talk.id, at: expect.any(Number), silentMs: STALL_TIMEOUT_MS },
    ]);
    await talk.expectUsable();
  });

  test("a slow model that keeps sending is not aborted", async () => {
    const text = "slowly but surely the text keeps growing longer"; // eight words: longer than the stall time in all
    scriptRequests(bench, () => ({ type: "message", text, deltaDelayMs: 500 }));
    const { reply } = await (await openTalk(bench)).complete("Talk.", { stallTimeoutMs: 3_000 });
    expect(reply.content).toBe(text);
    script(bench, say("Done."));
  });
}
