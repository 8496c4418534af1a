import { afterAll, describe, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import {
  AgentTurnError,
  NotSignedInError,
  RateLimitedError,
  SessionDestroyedError,
  StructuredOutputError,
} from "../../../contracts/index.ts";
import { call, say } from "../../../testkit/conformance/client/client-script.ts";
import { rejectionOf } from "../../../testkit/conformance/rejection-of.ts";
import { collectEvents, plainEvents } from "../../fixtures/turn-events.ts";
import { createCopilotClient } from "./copilot-client.ts";
import { startCopilotBench } from "./fixtures/copilot-bench.ts";

const bench = await startCopilotBench(process.env.PATH ?? "");
const { client, models, script } = bench;
afterAll(() => bench.stop());

const ANSWER_SCHEMA = { type: "object", properties: { answer: { type: "number" } }, required: ["answer"] };

function lastBody(): string {
  return JSON.stringify(models.requests.at(-1)?.body);
}

describe("a model call", () => {
  test.each(["openai-chat", "openai-responses", "anthropic-messages"] as const)(
    "over %s counts the tokens that the server reports, separates thinking, and sends the effort",
    async (protocol) => {
      const other = bench.createClient({
        endpoint: { protocol, baseUrl: `${models.url}/v1`, models: [{ id: "scripted" }] },
      });
      const usage = { inputTokens: 1234, outputTokens: 56, cacheReadTokens: 78 };
      script({ type: "message", thinking: "hm", text: "yes", usage });
      const session = await other.createSession({ reasoningEffort: "high" });
      const events = await collectEvents(session, "Well?");
      // Copilot may report a call's usage before all of its text.
      expect<unknown>(plainEvents(events.filter(({ type }) => type !== "usage"))).toEqual([
        { type: "turn-start" },
        { type: "thinking-delta", text: "hm" },
        { type: "text-delta", text: "yes" },
        { type: "turn-end", outcome: "completed" },
      ]);
      expect<unknown>(plainEvents(events, "usage")).toEqual([
        { type: "usage", usage: { ...usage, cacheWriteTokens: 0 } },
      ]);
      expect(models.requests.at(-1)?.protocol).toBe(protocol);
      expect(lastBody()).toMatch(/"(?:reasoning_effort|effort)":"high"|"thinking":\{"type":"enabled"/);
      await other.stop();
    },
  );

  test.each([
    { status: 401, expected: NotSignedInError },
    { status: 429, expected: RateLimitedError },
    { status: 400, expected: AgentTurnError },
  ])("rejected with $status fails the turn, and the session stays usable", async ({ status, expected }) => {
    // The header keeps the runtime from retrying for seconds.
    models.setScript(() => ({ type: "error", status, message: "no", headers: { "x-should-retry": "false" } }));
    const session = await client.createSession();
    expect(await rejectionOf(session.send("Go."))).toBeInstanceOf(expected);
    script(say("better"));
    expect((await session.send("Again.")).content).toBe("better");
  });
});

describe("a session", () => {
  test("has the appended system prompt, or only the one that replaces Copilot's", async () => {
    script(say("ok"));
    await (await client.createSession({ systemPrompt: "Rhyme always-31." })).send("Go.");
    expect([lastBody().includes("Rhyme always-31."), lastBody().includes("GitHub Copilot")]).toEqual([true, true]);
    const replaced = await client.createSession({ systemPrompt: { mode: "replace", text: "Only this-32." } });
    await replaced.send("Go.");
    expect([lastBody().includes("Only this-32."), lastBody().includes("GitHub Copilot")]).toEqual([true, false]);
  });

  test("has only the allowed tools, and those of Atomic", async () => {
    const other = bench.createClient();
    other.registerTool({
      name: "look_up",
      description: "Looks something up.",
      inputSchema: { type: "object", properties: {} },
      handler: () => "found",
    });
    script(say("ok"));
    await (await other.createSession({ allowedTools: ["read", "grep"] })).send("Go.");
    expect(models.requests.at(-1)?.toolNames.toSorted()).toEqual(["grep", "look_up", "view"]);
    await other.stop();
  });

  test("has no sub-agents if the policy denies them", async () => {
    script(say("ok"));
    await (await client.createSession({ permissions: { rules: [{ effect: "deny", tools: ["agent"] }] } })).send("Go.");
    expect(models.requests.at(-1)?.toolNames).not.toContain("task");
  });

  test("has a title, a directory and a time in the list, also after it was renamed", async () => {
    script(say("ok"));
    const session = await client.createSession({ title: "Tidy up" });
    await session.send("Go.");
    const listed = (await client.listSessions()).find(({ id }) => id === session.id);
    expect(listed).toEqual({
      id: session.id,
      title: "Tidy up",
      workingDirectory: bench.workFolder,
      updatedAt: expect.any(Number),
    });
    expect(await client.listSessions({ workingDirectory: "/nowhere" })).toEqual([]);
  });

  test("reports how full its context is, and is compacted by summarize", async () => {
    script(say("A long story."));
    const session = await client.createSession();
    await session.send("Tell it.");
    const { usedTokens, maxTokens, fraction } = await session.getContextUsage();
    expect([usedTokens > 1_000, maxTokens, fraction]).toEqual([true, 100_000, usedTokens / 100_000]);
    const usage = { inputTokens: 100, outputTokens: 9, cacheReadTokens: 0 };
    models.setScript(() => ({ type: "message", text: "<summary>A story-41.</summary>", usage }));
    const heard: unknown[] = [];
    const unsubscribe = client.on("*", ({ sessionId: _, at: __, ...event }) => heard.push(event));
    await session.summarize();
    unsubscribe();
    expect(heard.filter((event) => !JSON.stringify(event).startsWith('{"type":"vendor"'))).toEqual([
      { type: "turn-start" },
      { type: "usage", usage: { ...usage, cacheWriteTokens: 0 } },
      { type: "compacted" },
      { type: "turn-end", outcome: "completed" },
    ]);
    script(say("It went on."));
    expect((await session.send("And then?")).content).toBe("It went on.");
    expect(lastBody()).toContain("A story-41.");
  });

  test("that is resumed twice at once belongs to the second call", async () => {
    models.setScript(() => say("Noted."));
    const session = await client.createSession();
    await session.send("Remember emu-52.");
    const [first, second] = await Promise.all([client.resumeSession(session.id), client.resumeSession(session.id)]);
    expect(await rejectionOf(first.send("And now?"))).toEqual(new SessionDestroyedError(session.id));
    expect((await second.send("And now?")).content).toBe("Noted.");
    expect(lastBody()).toContain("emu-52");
  });

  test("puts the agent's question to a person, or declines it", async () => {
    script(call("ask_user", { question: "Which?", choices: ["Red", "Blue"] }), say("ok"));
    const asked: unknown[] = [];
    const session = await client.createSession({
      onQuestion: async ({ id: _, sessionId: __, ...question }) => {
        asked.push(question);
        return { type: "answer", values: ["Blue"] };
      },
    });
    await session.send("Ask.");
    expect(asked).toEqual([{ question: "Which?", options: [{ label: "Red" }, { label: "Blue" }], isMultiple: false }]);
    expect(lastBody()).toContain("User selected: Blue");
    const alone = await client.createSession();
    await alone.send("Ask.");
    expect(lastBody()).toContain("Nobody is there to answer. Decide by yourself.");
  });
});

describe("the user's settings", () => {
  test("apply, unless they are left out", async () => {
    await writeFile(path.join(bench.workFolder, "AGENTS.md"), "Follow rule-71.");
    const servers = { mcpServers: { mine: { type: "local", command: "false", args: [], tools: ["*"] } } };
    await writeFile(path.join(bench.homeFolder, ".copilot", "mcp-config.json"), JSON.stringify(servers));
    script(say("ok"));
    const found: unknown[] = [];
    for (const userSettings of [true, false]) {
      const other = bench.createClient({ userSettings });
      const session = await other.createSession();
      await session.send("Go.");
      const states = (await session.getMcpStatus()).map(({ name, status }) => [name, status]);
      found.push([lastBody().includes("rule-71"), states]);
      await other.stop();
    }
    expect(found).toEqual([
      [true, [["mine", "failed"]]],
      [false, [["mine", "disabled"]]],
    ]);
  });
});

describe("an answer with a schema", () => {
  test("is requested again if it is invalid at first", async () => {
    const replies = ["I would say 42.", '{"answer":"42"}', 'Here:\n```json\n{"answer":42}\n```'];
    let count = 0;
    models.setScript(() => say(replies[count++] ?? "too often"));
    const session = await client.createSession();
    const { structured } = await session.send("What is it?", { outputSchema: ANSWER_SCHEMA });
    expect([structured, count]).toEqual([{ answer: 42 }, 3]);
    expect(lastBody()).toContain("/answer must be number");
  });

  test("that stays invalid fails the turn with the reason", async () => {
    models.setScript(() => say("never"));
    const session = await client.createSession();
    const error = await rejectionOf(session.send("What is it?", { outputSchema: ANSWER_SCHEMA }));
    expect(error).toEqual(new StructuredOutputError("copilot", ["the answer is not JSON"], "never"));
  });
});

describe("without a session", () => {
  test("the models of the endpoint are listed and named", async () => {
    expect(await client.listModels()).toEqual([
      { model: "scripted", displayName: "scripted", contextWindowTokens: 100_000 },
    ]);
    expect(await client.getModelDisplayInfo()).toEqual({
      model: "scripted",
      displayName: "scripted",
      contextWindowTokens: 100_000,
    });
    expect(await client.getModelDisplayInfo("other")).toEqual({ model: "other", displayName: "other" });
  });

  test("and without a GitHub login or an endpoint, starting says how to sign in", async () => {
    const { endpoint: _, ...options } = bench.optionsFor();
    const error = await rejectionOf(createCopilotClient(options).start());
    expect(error).toBeInstanceOf(NotSignedInError);
    expect((error as Error).message).toBe(
      'The agent "copilot" is not signed in (Not authenticated). Set COPILOT_GITHUB_TOKEN, or run: copilot login (of GitHub\'s own program: npm install -g @github/copilot)',
    );
  });

  test("start and stop may be called again", async () => {
    const other = bench.createClient();
    await Promise.all([other.start(), other.start()]);
    await other.stop();
    await other.stop();
  });
});
