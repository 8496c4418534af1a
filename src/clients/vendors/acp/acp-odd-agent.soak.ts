import { afterAll, describe, expect, test } from "bun:test";
import {
  AgentCrashedError,
  AgentTurnError,
  AtomicError,
  BudgetSpentError,
  CapabilityMissingError,
  type CodingAgentClient,
  CostUnknownError,
  NO_USAGE,
  NotSignedInError,
  RateLimitedError,
  type SessionConfig,
  UnknownSessionError,
} from "../../../contracts/index.ts";
import { rejectionOf } from "../../../testkit/conformance/rejection-of.ts";
import { waitUntil } from "../../../testkit/conformance/wait-until.ts";
import { processesWith } from "../../fixtures/running-processes.ts";
import { collectEvents, plainEvents } from "../../fixtures/turn-events.ts";
import { openOddAgentBench } from "./fixtures/odd-agent-bench.ts";
import type { AcpOptions } from "./program/acp-options.ts";

const bench = await openOddAgentBench(process.env.PATH ?? "");
const shared = bench.createClient();
afterAll(() => bench.stop());

async function ask(
  message: string,
  { client = shared, ...config }: SessionConfig & { client?: CodingAgentClient } = {},
) {
  const session = await client.createSession(config);
  return session.send(message);
}

describe("an odd agent", () => {
  test("may print other text than messages; Unicode's line separators do not split a line", async () => {
    expect((await ask("garbage")).content).toBe("after\u2028the garbage");
  });

  test("may send unknown and malformed updates, which are passed on", async () => {
    const events = await collectEvents(await shared.createSession(), "strange");
    expect(plainEvents(events)).toEqual([
      { type: "turn-start" },
      { type: "text-delta", text: "fine" },
      { type: "turn-end", outcome: "completed" },
    ]);
    expect(plainEvents(events, "vendor").map(({ name, data }) => [name, data])).toEqual([
      ["unknown", {}],
      ["unknown", {}],
      ["unknown", {}],
      ["dance", { sessionUpdate: "dance" }],
      ["tool_call", { sessionUpdate: "tool_call" }],
      ["unknown", { sessionUpdate: 3 }],
    ]);
  });

  test("may crash in a turn: the error contains its last output, and the next turn continues in a new process", async () => {
    const client = bench.createClient();
    const session = await client.resumeSession("kept");
    const diedAt = Date.now();
    const error = await rejectionOf(session.send("die"));
    expect(Date.now() - diedAt).toBeLessThan(20_000);
    expect(error).toEqual(new AgentCrashedError("odd", "exit code 7", ["odd: out of luck"]));
    // Replayed history is not part of the answer.
    expect((await session.send("Hello again.")).content).toBe("Hello again.");
  });

  test("accepts a session id for a resumed conversation only if it is the same", async () => {
    const client = bench.createClient();
    expect((await client.resumeSession("kept", { sessionId: "kept" })).id).toBe("kept");
    const other = await rejectionOf(client.resumeSession("kept", { sessionId: "other" }));
    expect(other).toBeInstanceOf(CapabilityMissingError);
  });

  test("that ignores a cancel is ended together with its commands, and does not disturb the next turn", async () => {
    const client = bench.createClient();
    const session = await client.resumeSession("kept", { permissions: { rules: [], otherwise: "allow" } });
    const controller = new AbortController();
    client.on("text-delta", () => controller.abort(new Error("enough")));
    expect(await rejectionOf(session.send("deaf", { signal: controller.signal }))).toEqual(new Error("enough"));
    expect((await session.send("slow")).content).toBe("slow");
  });

  test("that obeys a cancel keeps its process and its session", async () => {
    const session = await shared.createSession();
    const begun = new Promise((resolve) => shared.on("turn-start", resolve));
    const sending = rejectionOf(session.send("wait"));
    await begun;
    await session.abort();
    expect(String(await sending)).toBe("AbortError: The turn was aborted.");
    expect((await session.send("Hello again.")).content).toBe("Hello again.");
  });

  test("that does not answer at its start is ended, and leaves no process", async () => {
    const marker = `marker-${crypto.randomUUID()}`;
    const env = { PATH: process.env.PATH ?? "", MARKER: marker };
    const client = bench.createClient(["--silent"], { startTimeoutMs: 1_500, env });
    const error = await rejectionOf(client.start());
    expect(error).toEqual(new AgentCrashedError("odd", "no answer to initialize within 1500 ms", []));
    expect(processesWith(marker)).toEqual([]);
  });

  test("that does not answer when a session is created is ended, and restarted for the next session", async () => {
    const marker = `marker-${crypto.randomUUID()}`;
    const env = { PATH: process.env.PATH ?? "", MARKER: marker };
    const client = bench.createClient(["--undecided"], { startTimeoutMs: 1_500, env });
    for (const _ of ["first", "second"]) {
      const error = await rejectionOf(client.createSession());
      expect(error).toEqual(new AgentCrashedError("odd", "no answer to session/new within 1500 ms", []));
      expect(processesWith(marker)).toEqual([]);
    }
  });

  test.each<{ title: string; overrides: Partial<AcpOptions>; config: SessionConfig }>([
    { title: "for all sessions", overrides: {}, config: {} },
    {
      title: "for some MCP servers only",
      overrides: { preset: "opencode", binaryPath: process.execPath },
      config: { mcpServers: { own: { type: "stdio", command: "none" } } },
    },
  ])("that is starting $title ends at once when the client is stopped", async ({ overrides, config }) => {
    const marker = `marker-${crypto.randomUUID()}`;
    const env = { PATH: process.env.PATH ?? "", MARKER: marker };
    const client = bench.createClient(["--silent"], { ...overrides, env });
    const opening = rejectionOf(client.createSession(config));
    await waitUntil(() => processesWith(marker).length > 0, "the agent has not been started");
    await client.stop();
    expect(String(await opening)).toBe("AbortError: The client was stopped.");
    expect(processesWith(marker)).toEqual([]);
  });

  test.each<{ title: string; open: (client: CodingAgentClient) => Promise<unknown> }>([
    { title: "created", open: (client) => client.createSession() },
    { title: "resumed", open: (client) => client.resumeSession("kept") },
  ])("is not restarted for a session that is being $title when the client is stopped", async ({ open }) => {
    const marker = `marker-${crypto.randomUUID()}`;
    const client = bench.createClient(["--undecided"], { env: { PATH: process.env.PATH ?? "", MARKER: marker } });
    await client.start();
    const opening = rejectionOf(open(client));
    await client.stop();
    expect(String(await opening)).toBe("AbortError: The client was stopped.");
    expect(processesWith(marker)).toEqual([]);
  });

  test("with another version of the protocol is rejected", async () => {
    const error = await rejectionOf(bench.createClient(["--future"]).start());
    expect((error as Error).message).toBe(
      'The turn of the agent "odd" failed: it speaks version 2 of ACP, and Atomic version 1. Install a version of the agent that does.',
    );
  });
});

describe("the end of a turn", () => {
  test.each([
    ["max_tokens", "the answer is longer than the model may write"],
    ["max_turn_requests", "it made as many model calls as one turn may have"],
    ["refusal", "the model refused to continue"],
    ["boredom", 'it stopped for an unknown reason, "boredom"'],
  ])("%s is a failure that is not retryable", async (reason, detail) => {
    expect(await rejectionOf(ask(`stop ${reason}`))).toEqual(new AgentTurnError("odd", detail, { isRetryable: false }));
  });

  test("that the agent cancelled on its own is a failure", async () => {
    expect(await rejectionOf(ask("stop cancelled"))).toEqual(
      new AgentTurnError("odd", "it cancelled the turn by itself"),
    );
  });

  test("with an error has the matching error class", async () => {
    const limited = await rejectionOf(ask("error -32603 Rate limit reached, try again in 7 s"));
    expect([limited instanceof RateLimitedError, (limited as RateLimitedError).retryAfterMs]).toEqual([true, 7_000]);
    expect(await rejectionOf(ask("error -32000 Who are you"))).toBeInstanceOf(NotSignedInError);
  });

  test("has the tokens of agents with an older format, and the cost since the previous turn", async () => {
    const session = await shared.createSession();
    const usage = { inputTokens: 5, outputTokens: 6, cacheReadTokens: 0, cacheWriteTokens: 0 };
    expect((await session.send("price 0.25")).usage).toEqual({ ...usage, costUsd: 0.25 });
    expect((await session.send("price 0.4")).usage).toEqual({ ...usage, costUsd: 0.15 });
    expect(await session.getContextUsage()).toEqual({ usedTokens: 10, maxTokens: 100, fraction: 0.1 });
    await session.destroy();
    const reopened = await shared.resumeSession(session.id);
    expect((await reopened.send("price 0.5")).usage).toEqual({ ...usage, costUsd: 0.1 });
    // The earlier cost of a conversation that was never open here is unknown.
    const resumed = await shared.resumeSession("kept");
    expect((await resumed.send("price 0.5")).usage).toEqual(usage);
  });

  test("has its cost even when it failed", async () => {
    const client = bench.createClient();
    const costs: unknown[] = [];
    client.on("usage", ({ usage }) => costs.push(usage));
    const session = await client.createSession();
    expect(await rejectionOf(session.send("price 0.25 overloaded"))).toBeInstanceOf(AtomicError);
    await session.send("price 0.375");
    expect(costs).toEqual([
      { ...NO_USAGE, costUsd: 0.25 },
      { ...NO_USAGE, inputTokens: 5, outputTokens: 6, costUsd: 0.125 },
    ]);
  });

  test("has a budget where the conversation's cost is known; otherwise it fails before anything is spent", async () => {
    const session = await shared.createSession();
    await session.send("price 0.5");
    await session.destroy();
    const reopened = await shared.resumeSession(session.id, { maxBudgetUsd: 0.25 });
    await reopened.send("price 0.625");
    expect(await rejectionOf(reopened.send("price 0.875"))).toEqual(
      new BudgetSpentError("odd", { spentUsd: 0.375, maxBudgetUsd: 0.25 }),
    );
    const client = bench.createClient();
    const resumed = await client.resumeSession("kept", { maxBudgetUsd: 0.25 });
    expect(await rejectionOf(resumed.send("die"))).toEqual(new CostUnknownError("odd"));
  });

  test("may have a budget with a free model even where the cost is unknown", async () => {
    const models = [{ id: "m1", costPerMillionInputUsd: 0, costPerMillionOutputUsd: 0 }];
    const endpoint = { protocol: "openai-chat", baseUrl: "http://127.0.0.1:1/v1", models } as const;
    const client = bench.createClient([], { endpoint });
    const resumed = await client.resumeSession("kept", { maxBudgetUsd: 0.25 });
    expect((await resumed.send("Hi.")).content).toBe("Hi.");
  });
});

describe("signing in", () => {
  test("is requested with the agent's own hint", async () => {
    const error = await rejectionOf(ask("Hi.", { client: bench.createClient(["--locked"]) }));
    expect((error as Error).message).toBe(
      `The agent "odd" is not signed in (Authentication required). Run: ${process.execPath} (run odd login)`,
    );
  });

  test("happens automatically with the method of the options", async () => {
    const client = bench.createClient(["--locked"], { authMethod: "key" });
    expect((await ask("Hi.", { client })).content).toBe("Hi.");
  });
});

describe("sessions", () => {
  test("are listed page by page, the latest first; only listed ones can be deleted", async () => {
    const day = (text: string) => Date.parse(`2026-${text}T00:00:00Z`);
    expect(await shared.listSessions()).toEqual([
      { id: "new", title: "new", workingDirectory: "/", updatedAt: day("02-01") },
      { id: "old", title: "Old", workingDirectory: "/", updatedAt: day("01-01") },
    ]);
    await shared.deleteSession("old");
    expect(await rejectionOf(shared.deleteSession("none"))).toEqual(new UnknownSessionError("odd", "none"));
  });

  test("that are deleted do not pass their cost on to a later session with the same id", async () => {
    const client = bench.createClient();
    await (await client.resumeSession("old")).send("price 0.5");
    await client.deleteSession("old");
    const session = await client.resumeSession("old", { maxBudgetUsd: 0.25 });
    expect(await rejectionOf(session.send("price 0.6"))).toEqual(new CostUnknownError("odd"));
  });

  test("start in the mode of the options; an unknown mode is an error that lists the offered ones", async () => {
    const client = bench.createClient([], { mode: "brave" });
    expect(await rejectionOf(client.createSession())).toEqual(
      new AgentTurnError("odd", 'it has no mode "brave". Its modes: yolo, careful.', { isRetryable: false }),
    );
    expect((await ask("Hi.", { client: bench.createClient([], { mode: "careful" }) })).content).toBe("Hi.");
  });

  test("keep their models when the agent reports other settings", async () => {
    const client = bench.createClient();
    await ask("forget", { client });
    expect(await client.listModels()).toEqual([{ model: "m1", displayName: "One" }]);
  });

  test("cannot use features that the agent did not announce", async () => {
    const client = bench.createClient(["--plain"]);
    expect(client.capabilities.resume).toBe(true); // unknown until it is connected
    await client.start();
    const { resume, fork, listSessions, deleteSession, customTools, images, steer } = client.capabilities;
    expect({ resume, fork, listSessions, deleteSession, customTools, images, steer }).toEqual({
      resume: false,
      fork: false,
      listSessions: false,
      deleteSession: false,
      customTools: false,
      images: false,
      steer: false,
    });
    const server = { type: "http", url: "http://127.0.0.1:1/mcp" } as const;
    const refused = [
      () => client.resumeSession("kept"),
      () => client.createSession({ mcpServers: { far: server } }),
      () => client.createSession({ systemPrompt: "Be brief." }),
      () => client.createSession({ reasoningEffort: "high" }),
      () => client.createSession({ allowedTools: ["read"] }),
      () => client.createSession({ beforeTool: async () => ({ type: "continue" }) }),
      async () => (await client.createSession()).send([{ type: "image", mimeType: "image/png", data: "" }]),
    ];
    const errors = await Promise.all(refused.map((call) => rejectionOf(call())));
    expect(errors.map((error) => error instanceof CapabilityMissingError)).toEqual(refused.map(() => true));
  });
});
