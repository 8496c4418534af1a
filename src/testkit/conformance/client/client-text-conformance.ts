import { describe, expect, test } from "bun:test";
import type { AgentEvent } from "../../../contracts/index.ts";
import { type ClientBench, can } from "./client-bench.ts";
import { encodedBodyOf, lastUserText, requestsWith, say, script, scriptRequests } from "./client-script.ts";
import { eventsOf, joinDeltas, openTalk } from "./client-talk.ts";
import { testIfAble } from "./client-world.ts";

/** Characters that careless programs lose or change: emoji with joiners, right to left, combining marks, line separators. */
const UNUSUAL_TEXT =
  "👩‍👩‍👧 سلام שלום e\u0301 \u{1D11E} a\u2028b\u2029c 'single' \"double\" \\back\\ <tag> & $HOME `x` %s";

const SESSION_COUNT = 4;

/** The text of messages and answers. */
export function describeText(bench: ClientBench): void {
  describe("text", () => {
    describeStreams(bench);
    describeContents(bench);
  });
}

function describeStreams(bench: ClientBench): void {
  test("comes in deltas between turn-start and turn-end, and as a whole in the reply", async () => {
    script(bench, say("one two three four five six"));
    const { events, reply } = await (await openTalk(bench)).complete("Count.");
    const deltas = eventsOf(events, "text-delta");
    expect([joinDeltas(events, "text-delta"), reply.content]).toEqual(Array(2).fill("one two three four five six"));
    expect([deltas.length > 1, reply.toolUses, reply.deniedPermissions]).toEqual([true, 0, []]);
    expect(events.at(-1)).toEqual({
      type: "turn-end",
      sessionId: events[0]?.sessionId ?? "",
      at: expect.any(Number),
      outcome: "completed",
    });
  });

  test("stream() yields the events that listeners receive", async () => {
    script(bench, say("heard twice"));
    const talk = await openTalk(bench);
    const heard: AgentEvent[] = [];
    const unsubscribe = bench.client.on("*", (event) => {
      if (event.sessionId === talk.id) heard.push(event);
    });
    const streamed = await talk.stream("Speak.");
    unsubscribe();
    expect(streamed).toEqual(heard);
    expect(joinDeltas(streamed, "text-delta")).toBe("heard twice");
  });

  test("a listener of one type receives only that type, and nothing after it unsubscribed", async () => {
    script(bench, say("a b c"));
    const talk = await openTalk(bench);
    const heard: AgentEvent[] = [];
    const unsubscribe = bench.client.on("text-delta", (event) => {
      if (event.sessionId === talk.id) heard.push(event);
    });
    await talk.complete("Speak.");
    unsubscribe();
    await talk.complete("Again.");
    expect([new Set(heard.map(({ type }) => type)), joinDeltas(heard, "text-delta")]).toEqual([
      new Set(["text-delta"]),
      "a b c",
    ]);
  });

  testIfAble(bench, "thinking")("thinking is separate from the text", async () => {
    script(bench, { type: "message", thinking: "pondering hard", text: "the answer" });
    const { events, reply } = await (await openTalk(bench)).complete("Think.");
    expect(joinDeltas(events, "thinking-delta").trim()).toBe("pondering hard");
    expect([joinDeltas(events, "text-delta"), reply.content]).toEqual(["the answer", "the answer"]);
  });

  test(`${SESSION_COUNT} sessions at once do not cross`, async () => {
    scriptRequests(bench, (request) => ({ type: "message", text: `echo ${lastUserText(request)}`, deltaDelayMs: 10 }));
    const talks = await Promise.all(Array.from({ length: SESSION_COUNT }, () => openTalk(bench)));
    const turns = await Promise.all(talks.map((talk, index) => talk.complete(`number-${index}`)));
    expect(turns.map(({ reply }) => /^echo [\s\S]*?(number-\d)/.exec(reply.content)?.[1])).toEqual(
      talks.map((_talk, index) => `number-${index}`),
    );
  });
}

function describeContents(bench: ClientBench): void {
  test("unusual characters pass unchanged, in the prompt and in the answer", async () => {
    script(bench, say(UNUSUAL_TEXT));
    const { reply } = await (await openTalk(bench)).complete(`unusual ${UNUSUAL_TEXT}`);
    expect(reply.content).toBe(UNUSUAL_TEXT);
    expect(requestsWith(bench, `unusual ${UNUSUAL_TEXT}`).length).toBeGreaterThan(0);
  });

  test("a message of several parts arrives whole", async () => {
    script(bench, say("Read."));
    const talk = await openTalk(bench);
    await talk.complete([
      { type: "text", text: "first-part-771" },
      { type: "text", text: "second-part-772" },
    ]);
    expect(
      requestsWith(bench, "first-part-771").map((request) => /second-part-772/.test(lastUserText(request))),
    ).toEqual([true]);
  });

  testIfAble(bench, "images")("an image reaches the model", async () => {
    script(bench, say("A dot."));
    await (await openTalk(bench)).complete([
      { type: "text", text: "What is on picture-4711?" },
      { type: "image", mimeType: "image/png", data: PICTURE },
    ]);
    expect(requestsWith(bench, "picture-4711").some((request) => encodedBodyOf(request).includes(PICTURE))).toBe(true);
  });

  test("a file reaches the model by its name or its content", async () => {
    script(bench, say("A project."));
    await (await openTalk(bench)).complete([
      { type: "text", text: "What is in file-part-4712?" },
      { type: "file", path: "README.md" },
    ]);
    expect(requestsWith(bench, "file-part-4712").some((request) => /README\.md/.test(encodedBodyOf(request)))).toBe(
      true,
    );
  });

  test(`thinking is ${can(bench, "thinking") ? "no part of" : "not shown beside"} the reply`, async () => {
    script(bench, { type: "message", thinking: "secret-thought", text: "plain" });
    const { reply } = await (await openTalk(bench)).complete("Think.");
    expect(reply.content).toBe("plain");
  });
}

/** A PNG of one red pixel, in base64. */
const PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
