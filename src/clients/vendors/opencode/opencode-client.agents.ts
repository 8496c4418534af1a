import { afterAll, describe, expect, test } from "bun:test";
import {
  type AgentEvent,
  SessionBusyError,
  StructuredOutputError,
  UnknownSessionError,
} from "../../../contracts/index.ts";
import { call, say } from "../../../testkit/conformance/client/client-script.ts";
import { joinDeltas } from "../../../testkit/conformance/client/client-talk.ts";
import { rejectionOf } from "../../../testkit/conformance/rejection-of.ts";
import { collectEvents, plainEvents } from "../../fixtures/turn-events.ts";
import { startOpenCodeBench } from "./fixtures/opencode-bench.ts";

const bench = await startOpenCodeBench(process.env.PATH ?? "");
const { models, script } = bench;
afterAll(() => bench.stop());

describe("a turn", () => {
  test("streams the text in deltas between turn-start and turn-end, with the server's own token counts", async () => {
    script({ type: "message", text: "one two three", usage: { inputTokens: 1234, outputTokens: 56 } });
    const session = await bench.client.createSession();
    const events = await collectEvents(session, "Count.");
    const deltas = events.filter((event) => event.type === "text-delta");
    expect(deltas.length).toBeGreaterThan(1);
    expect(joinDeltas(events, "text-delta")).toBe("one two three");
    expect(
      plainEvents(events).filter((event) => !deltas.some((delta) => (event as AgentEvent).type === delta.type)),
    ).toEqual([
      { type: "turn-start" },
      {
        type: "usage",
        usage: { inputTokens: 1234, outputTokens: 56, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd: 0.001346 },
      },
      { type: "turn-end", outcome: "completed" },
    ]);
  });

  test("streams thinking separately from the text", async () => {
    script({ type: "message", thinking: "pondering hard", text: "the answer" });
    const events = await collectEvents(await bench.client.createSession(), "Think.");
    expect([joinDeltas(events, "thinking-delta"), joinDeltas(events, "text-delta")]).toEqual([
      "pondering hard",
      "the answer",
    ]);
  });

  test("remembers the turn before it, and a second session knows nothing of it", async () => {
    script(say("First answer."));
    const session = await bench.client.createSession({ systemPrompt: "Be very brief." });
    await session.send("First question.");
    script(say("Second answer."));
    await session.send("Second question.");
    const texts =
      models.requests
        .at(-1)
        ?.messages.map((message) => message.text)
        .join("\n") ?? "";
    expect([
      texts.includes("First question."),
      texts.includes("First answer."),
      texts.includes("Be very brief."),
    ]).toEqual([true, true, true]);
    await (await bench.client.createSession()).send("Other question.");
    expect(JSON.stringify(models.requests.at(-1)?.body)).not.toContain("First question.");
  });

  test("runs alone: a second message throws SessionBusyError and does not disturb the first", async () => {
    script({ type: "message", text: "slow answer here", deltaDelayMs: 50 });
    const session = await bench.client.createSession();
    const first = session.send("Slowly.");
    expect(await rejectionOf(session.send("Again."))).toEqual(new SessionBusyError(session.id));
    expect((await first).content).toBe("slow answer here");
  });

  test("runs in parallel with turns of other sessions, with separate events", async () => {
    models.setScript((request) => ({
      type: "message",
      text: `echo ${request.messages.findLast((message) => message.role === "user")?.text}`,
      deltaDelayMs: 10,
    }));
    const sessions = await Promise.all([
      bench.client.createSession(),
      bench.client.createSession(),
      bench.client.createSession(),
    ]);
    const replies = await Promise.all(sessions.map((session, index) => session.send(`number ${index}`)));
    expect(replies.map((reply) => reply.content)).toEqual(["echo number 0", "echo number 1", "echo number 2"]);
  });

  test("returns the parsed answer for a JSON Schema", async () => {
    script(call("StructuredOutput", { answer: 42 }));
    const session = await bench.client.createSession();
    const schema = { type: "object", properties: { answer: { type: "number" } }, required: ["answer"] };
    const reply = await session.send("What is it?", { outputSchema: schema });
    expect([reply.structured, reply.content, reply.toolUses]).toEqual([{ answer: 42 }, '{"answer":42}', 0]);
  });

  test("without a valid answer for its schema fails with StructuredOutputError", async () => {
    script(say("no object"));
    const session = await bench.client.createSession();
    const error = await rejectionOf(session.send("What is it?", { outputSchema: { type: "object" } }));
    expect(error).toBeInstanceOf(StructuredOutputError);
    expect((error as StructuredOutputError).content).toBe("no object");
  });
});

test("a model whose price is 0 fits any budget", async () => {
  const { endpoint } = bench.optionsFor();
  if (endpoint === undefined) throw new Error("The bench has an endpoint.");
  const free = endpoint.models.map((model) => ({ ...model, costPerMillionInputUsd: 0, costPerMillionOutputUsd: 0 }));
  const other = bench.createClient({ endpoint: { ...endpoint, models: free } });
  script(say("Yes."));
  const { content, usage } = await (await other.createSession({ maxBudgetUsd: 1 })).send("Ready?");
  await other.stop();
  expect([content, usage.inputTokens > 0, usage.costUsd]).toEqual(["Yes.", true, 0]);
});

describe("the conversation", () => {
  test("is compacted by summarize, which reports it", async () => {
    script({ type: "message", text: "A long story.", usage: { inputTokens: 5000, outputTokens: 500 } });
    const session = await bench.client.createSession();
    await session.send("Tell it.");
    expect(await session.getContextUsage()).toEqual({ usedTokens: 5500, maxTokens: 100_000, fraction: 0.055 });
    const compacted: AgentEvent[] = [];
    const unsubscribe = bench.client.on("compacted", (event) => compacted.push(event));
    models.setScript(() => ({ type: "message", text: "A story.", usage: { inputTokens: 5600, outputTokens: 40 } }));
    await session.summarize();
    unsubscribe();
    expect(compacted).toEqual([{ type: "compacted", sessionId: session.id, at: expect.any(Number) }]);
    expect(await session.getContextUsage()).toEqual({ usedTokens: 40, maxTokens: 100_000, fraction: 0.0004 });
    script(say("It went on."));
    expect((await session.send("And then?")).content).toBe("It went on.");
  });

  test("shows its model's name to people", async () => {
    expect(await bench.client.getModelDisplayInfo()).toEqual({
      model: "atomic/scripted",
      displayName: "scripted",
      contextWindowTokens: 100_000,
      reasoningEfforts: ["low", "medium", "high"],
    });
  });

  test("cannot be resumed if it is unknown", async () => {
    const error = await rejectionOf(bench.client.resumeSession("ses_nope"));
    expect(error).toBeInstanceOf(UnknownSessionError);
    expect((error as Error).message).toBe('The agent "opencode" has no session "ses_nope". Create a new session.');
  });
});
