import { describe, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentEvent, Session, SessionConfig } from "../../contracts/index.ts";
import { createScriptedAgent } from "./create-scripted-agent.ts";
import type { AgentScript } from "./scripted-turn.ts";

const createSessionId = (): string => "s1";

/** All events of a turn, without their session. */
async function collect(session: Session, message = "Go"): Promise<readonly object[]> {
  const events: object[] = [];
  for await (const { sessionId: _sessionId, at: _at, ...event } of session.stream(message)) events.push(event);
  return events;
}

function openSession(script: AgentScript, config: SessionConfig = {}): Promise<Session> {
  return createScriptedAgent({ createSessionId, script, now: () => 1_000 }).createSession(config);
}

describe("while it makes up its answer, a script", () => {
  test("speaks, thinks and reports tokens between its tools, and the reply has all of it", async () => {
    const session = await openSession(async (_turn, tools) => {
      await tools.think("Hm.");
      await tools.say("Before.");
      tools.spend({ inputTokens: 10, outputTokens: 1 });
      await tools.perform({ type: "run-command", command: "true" });
      tools.spend({ inputTokens: 20, outputTokens: 2, cacheReadTokens: 5 });
      return "After.";
    });
    const reply = await session.send("Go");
    expect(reply).toEqual({
      type: "text",
      content: "Before.\n\nAfter.",
      usage: { inputTokens: 30, outputTokens: 3, cacheReadTokens: 5, cacheWriteTokens: 0 },
      toolUses: 1,
      deniedPermissions: [],
    });
  });

  test("says that it waits, and until when", async () => {
    const session = await openSession(() => ({
      actions: [{ type: "wait", reason: "rate-limit", message: "Too many calls.", delayMs: 5 }],
      text: "Done.",
    }));
    expect((await collect(session))[1]).toEqual({
      type: "waiting",
      reason: "rate-limit",
      message: "Too many calls.",
      retryAt: 1_005,
    });
  });

  test("waits for what is said to it meanwhile", async () => {
    const waiting = Promise.withResolvers<void>();
    const session = await openSession(async (_turn, tools) => {
      const first = tools.nextSteering();
      waiting.resolve();
      return `${String(await first)} ${String(tools.takeSteering())} ${tools.takeSteering().length}`;
    });
    const sending = session.send("Go");
    await waiting.promise;
    await session.steer("left");
    await session.steer("right");
    expect((await sending).content).toBe("left right 0");
  });

  test("receives the parts of a message, images included", async () => {
    const agent = createScriptedAgent({ createSessionId });
    const parts = [
      { type: "text", text: "Look:" },
      { type: "image", mimeType: "image/png", data: "AAAA" },
      { type: "file", path: "a.txt" },
    ] as const;
    await (await agent.createSession()).send(parts);
    expect(agent.turns).toEqual([{ prompt: "Look:\n@a.txt", parts, turnIndex: 0, sessionId: "s1", config: {} }]);
  });
});

describe("a sub-agent", () => {
  test("is answered by the same script; only what it does and spends is seen", async () => {
    const session = await openSession(({ subagentId, prompt }) =>
      subagentId === undefined
        ? { actions: [{ type: "run-subagent", title: "Look", prompt: "Look around." }], text: "All done." }
        : { actions: [{ type: "run-command", command: "echo seen" }], text: `Did: ${prompt}`, usage: SPENT },
    );
    const events = await collect(session);
    const texts = ["text-delta", "usage", "turn-start", "turn-end"];
    expect(events.filter((event) => !texts.includes((event as AgentEvent).type))).toEqual([
      {
        type: "tool-start",
        toolId: "s1-tool-1",
        toolName: "run_subagent",
        kind: "agent",
        input: { title: "Look", prompt: "Look around." },
      },
      { type: "subagent-start", subagentId: "subagent-s1-tool-1", title: "Look", task: "Look around." },
      {
        type: "tool-start",
        toolId: "s1-tool-2",
        toolName: "run_command",
        kind: "shell",
        input: { command: "echo seen" },
      },
      { type: "tool-end", toolId: "s1-tool-2", toolName: "run_command", isError: false, output: "seen\n" },
      { type: "subagent-end", subagentId: "subagent-s1-tool-1", isError: false, result: "Did: Look around." },
      {
        type: "tool-end",
        toolId: "s1-tool-1",
        toolName: "run_subagent",
        isError: false,
        output: "Did: Look around.",
      },
    ]);
    expect(events.filter((event) => (event as AgentEvent).type === "usage")).toContainEqual({
      type: "usage",
      usage: { inputTokens: 7, outputTokens: 3, cacheReadTokens: 0, cacheWriteTokens: 0 },
    });
  });

  const SPENT = { inputTokens: 7, outputTokens: 3 };
});

describe("a tool", () => {
  test("that is not allowed in the session reports it, and does not run", async () => {
    const session = await openSession(
      async (_turn, tools) => (await tools.perform({ type: "run-command", command: "true" })).output,
      { allowedTools: ["read"] },
    );
    expect((await session.send("Go")).content).toBe(
      'The tool "run_command" is not among the allowedTools of this session.',
    );
  });

  test("reads a file", async () => {
    const workingDirectory = await mkdtemp(join(tmpdir(), "atomic-scripted-"));
    await writeFile(join(workingDirectory, "a.txt"), "from the file");
    const session = await openSession(
      async (_turn, tools) => (await tools.perform({ type: "read-file", path: "a.txt" })).output,
      { workingDirectory },
    );
    expect((await session.send("Go")).content).toBe("from the file");
    await rm(workingDirectory, { recursive: true });
  });
});

describe("the list of conversations", () => {
  test("has the last one used first, with a title, and only those of the folder", async () => {
    let nextId = 1;
    let time = 100;
    const agent = createScriptedAgent({
      workingDirectory: "/work",
      createSessionId: () => `s${nextId++}`,
      now: () => time++,
    });
    const first = await agent.createSession({ title: "Mine" });
    const second = await agent.createSession();
    await agent.createSession({ workingDirectory: "/elsewhere" });
    await second.send("Fix the bug\nand more");
    await first.send("Hello");
    expect(await agent.listSessions()).toEqual([
      { id: "s1", title: "Mine", workingDirectory: "/work", updatedAt: 124 },
      { id: "s2", title: "Fix the bug", workingDirectory: "/work", updatedAt: 115 },
    ]);
    expect((await agent.listSessions({ workingDirectory: "/elsewhere" })).map(({ id }) => id)).toEqual(["s3"]);
  });

  test("a copy of a conversation says whose it is", async () => {
    let nextId = 1;
    const agent = createScriptedAgent({ createSessionId: () => `s${nextId++}` });
    const original = await agent.createSession();
    await original.send("One");
    const fork = await agent.forkSession(original.id);
    await fork.send("Two");
    expect(agent.turns.at(-1)).toEqual({
      prompt: "Two",
      turnIndex: 1,
      sessionId: "s2",
      config: {},
      forkedFrom: "s1",
    });
  });
});
