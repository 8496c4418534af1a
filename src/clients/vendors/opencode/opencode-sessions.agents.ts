import { afterAll, describe, expect, test } from "bun:test";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { NoTurnRunningError, type PermissionPolicy, UnknownSessionError } from "../../../contracts/index.ts";
import { call, say } from "../../../testkit/conformance/client/client-script.ts";
import { rejectionOf } from "../../../testkit/conformance/rejection-of.ts";
import { collectEvents, plainEvents } from "../../fixtures/turn-events.ts";
import { startOpenCodeBench } from "./fixtures/opencode-bench.ts";

const ALLOW_ALL: PermissionPolicy = { rules: [], otherwise: "allow" };

const bench = await startOpenCodeBench(process.env.PATH ?? "");
const { client, models, script } = bench;
afterAll(() => bench.stop());

/** The last request to the model, as text. */
function lastRequest(): string {
  return JSON.stringify(models.requests.at(-1)?.body);
}

/** The tool names in the last request to the model. */
function offeredTools(): readonly string[] {
  return (models.requests.at(-1)?.toolNames ?? []).toSorted();
}

describe("conversations", () => {
  test("are listed with the latest first, by folder, and can be deleted", async () => {
    const workingDirectory = path.join(path.dirname(bench.workFolder), "listed");
    await mkdir(workingDirectory);
    const before = Date.now();
    const first = await client.createSession({ workingDirectory, title: "First" });
    const second = await client.createSession({ workingDirectory, title: "Second" });
    script(say("Hello."));
    await first.send("Hello.");
    const listed = await client.listSessions({ workingDirectory });
    expect(listed).toEqual([
      { id: first.id, title: "First", workingDirectory, updatedAt: expect.any(Number) },
      { id: second.id, title: "Second", workingDirectory, updatedAt: expect.any(Number) },
    ]);
    expect(listed.every(({ updatedAt = 0 }) => updatedAt >= before && updatedAt <= Date.now())).toBe(true);
    await client.deleteSession(first.id);
    expect((await client.listSessions({ workingDirectory })).map(({ id }) => id)).toEqual([second.id]);
    expect(await rejectionOf(client.resumeSession(first.id))).toBeInstanceOf(UnknownSessionError);
    expect(await rejectionOf(client.deleteSession(first.id))).toBeInstanceOf(UnknownSessionError);
  });

  test("are forked: the copy knows the whole conversation and then continues independently", async () => {
    script(say("I am Ada."));
    const original = await client.createSession();
    await original.send("Who are you?");
    const fork = await client.forkSession(original.id, { title: "A copy" });
    script(say("Still Ada."));
    expect((await fork.send("And now?")).content).toBe("Still Ada.");
    expect(lastRequest()).toContain("I am Ada.");
    await original.send("And you?");
    expect(lastRequest()).not.toContain("Still Ada.");
    expect(fork.id).not.toBe(original.id);
    expect(await rejectionOf(client.forkSession("ses_nope"))).toBeInstanceOf(UnknownSessionError);
    expect(await rejectionOf(client.resumeSession("nope"))).toBeInstanceOf(UnknownSessionError);
  });

  test("that are resumed have the rules of their new settings", async () => {
    const { id } = await client.createSession({ allowedTools: ["read"] });
    script(say("Hello."));
    for (const allowedTools of [["grep"], ["grep"], ["read", "glob"], undefined]) {
      const settings = allowedTools === undefined ? {} : { allowedTools };
      await (await client.resumeSession(id, settings)).send("Hello.");
      if (allowedTools === undefined) expect(offeredTools()).toContain("bash");
      else expect(offeredTools()).toEqual(allowedTools.toSorted());
    }
  });

  test("that are forked require approval like any other", async () => {
    const original = await client.createSession();
    const fork = await client.forkSession(original.id);
    script(call("bash", { command: "touch forked.txt", description: "t" }), say("Done."));
    expect((await fork.send("Touch.")).deniedPermissions.map(({ title }) => title)).toEqual(["bash: touch forked.txt"]);
  });
});

describe("a message in the middle of a turn", () => {
  test("is read in that turn, after the running tools", async () => {
    const session = await client.createSession({ permissions: ALLOW_ALL });
    // Not by the number of model calls: whether the message counts as one of the user's depends on its timing.
    models.setScript(({ messages }) =>
      messages.some(({ text }) => text.includes("Also say two."))
        ? say("Both done.")
        : call("bash", { command: "echo one", description: "one" }),
    );
    const steered = { isDone: false };
    const unsubscribe = client.on("tool-start", () => {
      if (!steered.isDone) void session.steer("Also say two.");
      steered.isDone = true;
    });
    const events = await collectEvents(session, "Say one.");
    unsubscribe();
    expect(plainEvents(events, "turn-start", "turn-end")).toEqual([
      { type: "turn-start" },
      { type: "turn-end", outcome: "completed" },
    ]);
    expect(lastRequest()).toContain("Also say two.");
  });

  test("that arrives with the end of the answer is answered in that turn, too", async () => {
    const session = await client.createSession();
    models.setScript(({ messages }) => say(messages.at(-1)?.text.includes("One more") ? "Second." : "First."));
    const steered = { isDone: false };
    const unsubscribe = client.on("usage", () => {
      if (!steered.isDone) void session.steer("One more thing.");
      steered.isDone = true;
    });
    const reply = await session.send("Begin.");
    unsubscribe();
    expect(reply.content).toBe("First.\n\nSecond.");
    script(say("Third."));
    expect(await session.send("And?")).toMatchObject({ content: "Third.", toolUses: 0 });
  });

  test("is rejected when no turn is in progress", async () => {
    const session = await client.createSession();
    expect(await rejectionOf(session.steer("Hello?"))).toEqual(new NoTurnRunningError(session.id));
  });
});

describe("the settings of a session", () => {
  test("list models with their efforts", async () => {
    expect(await client.listModels()).toEqual([
      {
        model: "atomic/scripted",
        displayName: "scripted",
        contextWindowTokens: 100_000,
        reasoningEfforts: ["low", "medium", "high"],
      },
    ]);
  });

  test.each([
    { reasoningEffort: "high", expected: "high" },
    { reasoningEffort: "max", expected: "high" },
    { reasoningEffort: "none", expected: "low" },
    { reasoningEffort: undefined, expected: undefined },
  ] as const)("set the effort $reasoningEffort as $expected", async ({ reasoningEffort, expected }) => {
    script(say("Hm."));
    const session = await client.createSession(reasoningEffort === undefined ? {} : { reasoningEffort });
    await session.send("Think.");
    const body = models.requests.at(-1)?.body as { readonly reasoning_effort?: string }; // the field in the protocol
    expect(body.reasoning_effort).toBe(expected);
  });

  test("replace the agent's own system prompt, or add to it", async () => {
    script(say("Yes."));
    const system = async (systemPrompt: Parameters<typeof client.createSession>[0]) => {
      await (await client.createSession(systemPrompt)).send("Hello.");
      return (models.requests.at(-1)?.messages ?? []).filter(({ role }) => role === "system").map(({ text }) => text);
    };
    const text = "You are a parrot.";
    expect(await system({ systemPrompt: { mode: "replace", text } })).toEqual([text]);
    const [appended = ""] = await system({ systemPrompt: { mode: "append", text } });
    expect(appended.length).toBeGreaterThan(1_000);
    expect(appended).toEndWith(text);
    expect(await system({ systemPrompt: text })).toEqual([appended]);
  });

  test("are kept when the conversation is compacted in the middle of a turn", async () => {
    const usage = { inputTokens: 99_000, outputTokens: 100 };
    const file = path.join(bench.workFolder, "README.md");
    models.setScript((request) => {
      const conversation = JSON.stringify(request.messages);
      if (conversation.includes("Continue if you have next steps")) return say("Over.");
      if (request.toolNames.length === 0) return say("What was said so far.");
      return { type: "message", toolCalls: [{ name: "read", input: { filePath: file } }], usage };
    });
    const session = await client.createSession({ systemPrompt: { mode: "replace", text: "You are a parrot." } });
    const events = await collectEvents(session, "Read.");
    expect(plainEvents(events, "compacted", "turn-end")).toEqual([
      { type: "compacted" },
      { type: "turn-end", outcome: "completed" },
    ]);
    expect(models.requests.at(-1)?.messages[0]).toMatchObject({ role: "system", text: "You are a parrot." });
  });

  test("restrict the agent, and its sub-agents, to some of its tools", async () => {
    models.setScript((request) => {
      const isSubagent = JSON.stringify(request.messages).includes("Look around.");
      if (isSubagent || request.messages.at(-1)?.role === "tool") return say("Done.");
      const task = { description: "look", subagent_type: "general", prompt: "Look around." };
      return { type: "message", toolCalls: [{ name: "task", input: task }] };
    });
    const allowedTools = ["read", "grep", "task"];
    const session = await client.createSession({ allowedTools, permissions: ALLOW_ALL });
    const seen = models.requests.length;
    await session.send("Go.");
    const offered = models.requests.slice(seen).map(({ toolNames }) => toolNames.toSorted());
    expect(offered).toEqual([
      ["grep", "read", "task"],
      ["grep", "read", "task"],
      ["grep", "read", "task"],
    ]);
    script(say("Hello."));
    await (await client.createSession({ allowedTools: ["write"] })).send("Hello.");
    expect(offeredTools()).toEqual(["edit", "write"]);
    await (await client.createSession()).send("Hello.");
    expect(offeredTools()).toContain("bash");
  });

  test("do not keep the model from learning that a tool does not exist", async () => {
    script(call("bash", { command: "touch not-offered.txt", description: "t" }), say("I see."));
    const session = await client.createSession({ allowedTools: ["read"], permissions: ALLOW_ALL });
    const events = await collectEvents(session, "Touch.");
    expect(plainEvents(events, "tool-end")).toMatchObject([
      { isError: false, output: expect.stringContaining("bash") },
    ]);
  });
});

describe("a message", () => {
  test("may have images, which the model gets, and files, which are only named", async () => {
    const data = (await readFile(path.join(import.meta.dir, "fixtures", "dot.png"))).toString("base64");
    await writeFile(path.join(bench.workFolder, "notes.txt"), "what stands in the notes");
    script(say("A dot."));
    const session = await client.createSession();
    const reply = await session.send([
      { type: "text", text: "What is this?" },
      { type: "image", mimeType: "image/png", data },
      { type: "file", path: "notes.txt" },
    ]);
    expect(reply.content).toBe("A dot.");
    expect([lastRequest().includes(`data:image/png;base64,${data}`), lastRequest().includes("@notes.txt")]).toEqual([
      true,
      true,
    ]);
    expect(lastRequest()).not.toContain("what stands in the notes");
  });
});
