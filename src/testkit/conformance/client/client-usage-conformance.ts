import { describe, expect, test } from "bun:test";
import type { AgentEvent } from "../../../contracts/index.ts";
import type { ClientBench } from "./client-bench.ts";
import { requestsWith, say, script } from "./client-script.ts";
import { eventsOf, openTalk } from "./client-talk.ts";
import { ALLOW_ALL, testIfAble } from "./client-world.ts";

/** Tokens, money, and the context window. */
export function describeUsage(bench: ClientBench): void {
  describe("usage", () => {
    describeTokens(bench);
    describeContext(bench);
  });
}

function describeTokens(bench: ClientBench): void {
  const hidesUsage = bench.traits?.hidesUsage === true;

  test.skipIf(hidesUsage)(
    "is what the model's server reported for each call, with cache reads counted separately",
    async () => {
      const call = bench.calls.bash("true");
      script(
        bench,
        {
          type: "message",
          toolCalls: [call],
          usage: { inputTokens: 1_000, outputTokens: 10, cacheReadTokens: 200 },
        },
        { type: "message", text: "Done.", usage: { inputTokens: 50, outputTokens: 5, cacheReadTokens: 1_200 } },
      );
      const { events, reply } = await (await openTalk(bench, { permissions: ALLOW_ALL })).complete("Run it.");
      const { costUsd: _, ...usage } = reply.usage;
      expect(usage).toEqual({ inputTokens: 1_050, outputTokens: 15, cacheReadTokens: 1_400, cacheWriteTokens: 0 });
      expect(eventsOf(events, "usage").length).toBe(bench.traits?.sumsUsage === true ? 1 : 2);
    },
  );

  test.skipIf(hidesUsage)("of a second turn does not include the first one's", async () => {
    script(bench, { type: "message", text: "Yes.", usage: { inputTokens: 700, outputTokens: 7 } });
    const talk = await openTalk(bench);
    await talk.complete("One?");
    const { reply } = await talk.complete("Two?");
    expect([reply.usage.inputTokens, reply.usage.outputTokens]).toEqual([700, 7]);
  });

  testIfAble(bench, "cost")("has a price", async () => {
    script(bench, { type: "message", text: "Yes.", usage: { inputTokens: 10_000, outputTokens: 1_000 } });
    const { reply } = await (await openTalk(bench)).complete("How much?");
    expect(reply.usage.costUsd).toBeGreaterThan(0);
  });
}

function describeContext(bench: ClientBench): void {
  testIfAble(bench, "contextUsage")("of the context grows with the conversation and is a fraction", async () => {
    script(bench, { type: "message", text: "Short.", usage: { inputTokens: 3_000, outputTokens: 30 } });
    const talk = await openTalk(bench);
    await talk.complete("Tell me.");
    const early = await talk.session.getContextUsage();
    script(bench, { type: "message", text: "Long.", usage: { inputTokens: 9_000, outputTokens: 90 } });
    await talk.complete("Tell me more. ".repeat(500));
    const late = await talk.session.getContextUsage();
    expect(late.usedTokens).toBeGreaterThan(early.usedTokens);
    for (const { usedTokens, maxTokens, fraction } of [early, late]) {
      expect(usedTokens).toBeGreaterThan(0);
      expect(fraction).toBeCloseTo(maxTokens > 0 ? usedTokens / maxTokens : 0, 6);
    }
  });

  testIfAble(bench, "systemToolsTokens")("of the system prompt and the tools is a part of the context's", async () => {
    script(bench, { type: "message", text: "Yes.", usage: { inputTokens: 30_000, outputTokens: 30 } });
    const talk = await openTalk(bench, { systemPrompt: "Talk like a heron. ".repeat(20) });
    await talk.complete("Ready?");
    const tokens = await talk.session.getSystemToolsTokens();
    expect([Number.isSafeInteger(tokens), tokens > 0]).toEqual([true, true]);
  });

  testIfAble(bench, "summarize")("of the context shrinks with a summary; the conversation continues", async () => {
    script(bench, say("A long story about a heron-121."));
    const talk = await openTalk(bench);
    await talk.complete("Tell it.");
    script(bench, say("And they lived."));
    await talk.complete("And then?");
    const compacted: AgentEvent[] = [];
    const unsubscribe = bench.client.on("compacted", (event) => compacted.push(event));
    script(bench, say("Summary: a heron-122."));
    await talk.session.summarize();
    unsubscribe();
    expect(compacted).toEqual([{ type: "compacted", sessionId: talk.id, at: expect.any(Number) }]);
    script(bench, say("It continued."));
    const { reply } = await talk.complete("And now, turn-123?");
    expect([reply.content, requestsWith(bench, "turn-123").length]).toEqual(["It continued.", 1]);
  });
}
