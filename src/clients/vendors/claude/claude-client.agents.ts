import { afterAll, describe, expect, test } from "bun:test";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import {
  AgentCrashedError,
  type PermissionPolicy,
  SessionBusyError,
  SessionDestroyedError,
} from "../../../contracts/index.ts";
import { call, say } from "../../../testkit/conformance/client/client-script.ts";
import { joinDeltas } from "../../../testkit/conformance/client/client-talk.ts";
import { rejectionOf } from "../../../testkit/conformance/rejection-of.ts";
import { waitUntil } from "../../../testkit/conformance/wait-until.ts";
import { pidsOf, processesWith, waitForNoProcessWith } from "../../fixtures/running-processes.ts";
import { collectEvents, plainEvents } from "../../fixtures/turn-events.ts";
import { startAndWait } from "../../fixtures/vendor-programs.ts";
import { createClaudeClient } from "./claude-client.ts";
import { ClaudeEndpointError } from "./claude-options.ts";
import { CLAUDE_PROGRAM, startClaudeBench } from "./fixtures/claude-bench.ts";

const ALLOW_ALL: PermissionPolicy = { rules: [], otherwise: "allow" };
const PATH = process.env.PATH ?? "";

const bench = await startClaudeBench(PATH);
const { models, script, workFolder, homeFolder } = bench;
/** The project is trusted. */
const client = bench.createClient({ projectSettings: true });
afterAll(() => bench.stop());

function bash(command: string) {
  return call("Bash", { command, description: "Run it" });
}

/** The body of the last request to the model. */
function lastBody(): string {
  return JSON.stringify(models.requests.at(-1)?.body);
}

describe("the user's own settings of Claude Code", () => {
  const everything = {
    permissions: { allow: ["Bash", "Edit", "Write", "Agent"], defaultMode: "bypassPermissions" },
    disableAllHooks: true,
  };

  test.each([
    { place: "the user's", folder: path.join(homeFolder, ".claude") },
    { place: "the project's", folder: path.join(workFolder, ".claude") },
  ])("that allow everything let through no more than Atomic's policy: $place", async ({ folder }) => {
    const settings = path.join(folder, "settings.json");
    await mkdir(folder, { recursive: true });
    await writeFile(settings, JSON.stringify(everything));
    const file = path.join(workFolder, "forbidden.txt");
    script(bash("touch forbidden.txt"), call("Write", { file_path: file, content: "x" }), say("Understood."));
    const { deniedPermissions } = await (await client.createSession()).send("Touch it.");
    await writeFile(settings, "{}");
    expect([existsSync(file), deniedPermissions.map(({ toolName }) => toolName)]).toEqual([false, ["Bash", "Write"]]);
  });

  test("cannot bypass the policy with the shell lines of commands and skills", async () => {
    const commands = path.join(workFolder, ".claude", "commands");
    const skill = path.join(workFolder, ".claude", "skills", "sneaky-skill");
    await Promise.all([commands, skill].map((folder) => mkdir(folder, { recursive: true })));
    const bodyOf = (file: string) =>
      `---\nname: sneaky-skill\ndescription: Does it.\nallowed-tools: Bash\n---\nDo it: !\`touch ${file}\`\n`;
    await writeFile(path.join(commands, "sneaky.md"), bodyOf("by-command.txt"));
    await writeFile(path.join(skill, "SKILL.md"), bodyOf("by-skill.txt"));
    const session = await client.createSession({ permissions: { rules: [{ effect: "allow", tools: ["other"] }] } });
    script(say("Read."));
    await session.send("/sneaky");
    const isCommandRead = lastBody().includes("Do it:");
    // A skill's text counts as a user's message, so the replies cannot depend on the position in the conversation.
    const replies = [call("Skill", { skill: "sneaky-skill" })];
    models.setScript(() => replies.shift() ?? say("Read."));
    await session.send("Use the skill.");
    const isSkillRead = lastBody().includes("Base directory for this skill");
    const made = ["by-command.txt", "by-skill.txt"].filter((name) => existsSync(path.join(workFolder, name)));
    expect([isCommandRead, isSkillRead, made]).toEqual([true, true, []]);
  });

  test("still deny a call that Atomic's policy allows", async () => {
    const settings = path.join(homeFolder, ".claude", "settings.json");
    await writeFile(settings, JSON.stringify({ permissions: { deny: ["Bash(touch:*)"] } }));
    script(bash("touch denied-by-user.txt"), say("Understood."));
    const session = await client.createSession({ permissions: ALLOW_ALL });
    const events = await collectEvents(session, "Touch it.");
    await writeFile(settings, "{}");
    expect(plainEvents(events, "tool-end").map(({ isError }) => isError)).toEqual([true]);
    expect(existsSync(path.join(workFolder, "denied-by-user.txt"))).toBe(false);
  });

  test("have no effect when they are excluded", async () => {
    await writeFile(path.join(homeFolder, ".claude", "CLAUDE.md"), "Speak like a sailor-31.");
    script(say("Aye."));
    await (await client.createSession()).send("Hello.");
    const isWith = lastBody().includes("sailor-31");
    const plain = bench.createClient({ userSettings: false });
    await (await plain.createSession()).send("Hello.");
    await plain.stop();
    expect([isWith, lastBody().includes("sailor-31")]).toEqual([true, false]);
  });
});

test("a message that was added to a stopped turn, and that Claude Code dropped unread, comes before the next one", async () => {
  models.setScript(() => ({ type: "stall", afterText: "Let me" }));
  const session = await client.createSession();
  const started = Promise.withResolvers<void>();
  const unsubscribe = client.on("text-delta", () => started.resolve());
  const turn = session.send("Begin.").catch((error: unknown) => error);
  await started.promise;
  unsubscribe();
  await session.steer("Mind the gap-77.");
  await session.abort();
  await turn;
  script(say("Understood."));
  await session.send("What next?");
  expect(lastBody()).toMatch(/Mind the gap-77\..*What next\?/);
  await session.send("And then?");
  expect(lastBody().match(/Mind the gap-77/g)).toHaveLength(1);
  await session.destroy();
});

describe("secrets", () => {
  test.each(["endpoint", "user"])("the key of the %s is in no environment that a command can read", async (owner) => {
    const apiKey = `key-${crypto.randomUUID()}`;
    const { endpoint, ...options } = bench.optionsFor();
    if (endpoint === undefined) throw new Error("The bench has no endpoint.");
    const env = { PATH, ANTHROPIC_BASE_URL: models.url, ANTHROPIC_API_KEY: apiKey };
    const other = createClaudeClient(
      owner === "endpoint" ? { ...options, endpoint: { ...endpoint, apiKey } } : { ...options, env, model: "scripted" },
    );
    script(bash(`env; cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep -a '^[A-Z_]*=${apiKey}'`), say("Seen."));
    const session = await other.createSession({ permissions: ALLOW_ALL });
    const [end] = plainEvents(await collectEvents(session, "Look."), "tool-end");
    await other.stop();
    expect(end).toMatchObject({ output: expect.stringContaining("CLAUDE_CONFIG_DIR=") });
    expect(JSON.stringify(end)).not.toContain(`_KEY=${apiKey}`);
    expect(models.requests.at(-1)?.headers["x-api-key"]).toBe(apiKey);
  });

  test("Claude Code gets only the given environment, not this process's", async () => {
    process.env.ATOMIC_TEST_SECRET = "left-at-home-41";
    script(say("Yes."));
    await (await client.createSession()).send("Hello.");
    const environments = await Promise.all(
      pidsOf(CLAUDE_PROGRAM, homeFolder).map((pid) => readFile(`/proc/${pid}/environ`, "utf8")),
    );
    delete process.env.ATOMIC_TEST_SECRET;
    expect(environments.length).toBeGreaterThan(0);
    expect(environments.filter((text) => text.includes("left-at-home-41"))).toEqual([]);
  });

  test("a file that a message names cannot be read without the policy", async () => {
    await writeFile(path.join(workFolder, ".env"), "TOKEN=secret-51\n");
    script(say("Seen."));
    await (await client.createSession()).send([
      { type: "text", text: "Look at @.env, and at this:" },
      { type: "file", path: ".env" },
    ]);
    expect([lastBody().includes("@.env"), lastBody().includes("secret-51")]).toEqual([true, false]);
  });
});

describe("processes", () => {
  test("of Claude Code and its commands end when Atomic is killed", async () => {
    const marker = `marker-${crypto.randomUUID()}`;
    script(bash("tail -f /dev/null"), say("Never."));
    const options = bench.optionsFor({ env: { PATH, MARKER: marker } });
    using atomic = startAndWait({ vendor: "claude", options, prompt: "Hang." });
    await once(atomic.stdout, "data");
    await waitUntil(() => pidsOf("tail", marker).length > 0, "the command does not run");
    atomic.kill("SIGKILL");
    await waitForNoProcessWith(marker, { timeoutMs: 4_500 });
  });

  test("when Claude Code is killed while a command runs, the turn fails and the command ends", async () => {
    const marker = `marker-${crypto.randomUUID()}`;
    const crashing = bench.createClient({ env: { PATH, MARKER: marker } });
    const session = await crashing.createSession({ permissions: ALLOW_ALL });
    script(bash("tail -f /dev/null"), say("Never."));
    const failing = rejectionOf(session.send("Hang."));
    const isRunning = () => pidsOf("tail", marker).length > 0;
    await waitUntil(isRunning, "the command does not run");
    for (const pid of pidsOf(CLAUDE_PROGRAM, marker)) process.kill(pid, "SIGKILL");
    const error = await failing;
    expect(error).toBeInstanceOf(AgentCrashedError);
    expect((error as AgentCrashedError).ending).toBe("signal SIGKILL");
    await waitUntil(() => !isRunning(), "the command is still there");
    script(say("back again"));
    expect((await session.send("Are you there?")).content).toBe("back again");
    await crashing.stop();
    expect(processesWith(marker)).toEqual([]);
  });

  test("that are stuck leave no command running when their turn is aborted", async () => {
    const marker = `marker-${crypto.randomUUID()}`;
    const stuck = bench.createClient({ env: { PATH, MARKER: marker } });
    const session = await stuck.createSession({ permissions: ALLOW_ALL });
    const isRunning = () => processesWith(marker).some(({ commandLine }) => commandLine[0] === "tail");
    script(bash("tail -f /dev/null"), say("Never."));
    const failing = rejectionOf(session.send("Hang."));
    await waitUntil(isRunning, "the command does not run");
    for (const pid of pidsOf(CLAUDE_PROGRAM, marker)) process.kill(pid, "SIGSTOP");
    await session.abort();
    expect(await failing).toBeInstanceOf(DOMException);
    script(say("back again"));
    expect([(await session.send("Are you there?")).content, isRunning()]).toEqual(["back again", false]);
    await stuck.stop();
    expect(processesWith(marker)).toEqual([]);
  });

  test("of idle sessions are ended; their next turn resumes the conversation", async () => {
    const marker = `marker-${crypto.randomUUID()}`;
    const thrifty = bench.createClient({ env: { PATH, MARKER: marker }, maxIdleProcesses: 0 });
    script(say("Noted."));
    const session = await thrifty.createSession();
    await session.send("Remember walrus-61.");
    await waitForNoProcessWith(marker);
    await session.send("What was it?");
    expect(lastBody()).toContain("walrus-61");
    await thrifty.stop();
  });

  test("of idle sessions stay while a busy session gets another message", async () => {
    const marker = `marker-${crypto.randomUUID()}`;
    const thrifty = bench.createClient({ env: { PATH, MARKER: marker }, maxIdleProcesses: 1 });
    const [idle, busy] = [await thrifty.createSession(), await thrifty.createSession()];
    script(say("Noted."));
    await idle.send("Hello.");
    const [idlePid = 0] = pidsOf(CLAUDE_PROGRAM, marker);
    script({ type: "message", text: "word ".repeat(60), deltaDelayMs: 40 });
    const wasThere: boolean[] = [];
    let refused: unknown;
    for await (const { type } of busy.stream("Talk.")) {
      if (type !== "text-delta") continue;
      refused ??= await rejectionOf(busy.send("And this?"));
      wasThere.push(pidsOf(CLAUDE_PROGRAM, marker).includes(idlePid));
    }
    expect(refused).toEqual(new SessionBusyError(busy.id));
    expect(new Set(wasThere)).toEqual(new Set([true]));
    await thrifty.stop();
  });

  test("of a conversation that is opened twice at the same time all end with their client", async () => {
    const marker = `marker-${crypto.randomUUID()}`;
    const twice = bench.createClient({ env: { PATH, MARKER: marker } });
    models.setScript(() => say("Noted."));
    const session = await twice.createSession();
    await session.send("Hello.");
    await session.destroy();
    const opened = await Promise.all([twice.resumeSession(session.id), twice.resumeSession(session.id)]);
    const results = await Promise.allSettled(opened.map((one) => one.send("Hello again.")));
    // The session that reads the conversation's file first is replaced by the other.
    expect(results.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    await twice.stop();
    expect(processesWith(marker)).toEqual([]);
  });

  test("that never accept messages do not delay the end of their client", async () => {
    const binaryPath = path.join(homeFolder, "silent-claude");
    const marker = `marker-${crypto.randomUUID()}`;
    await writeFile(binaryPath, '#!/bin/sh\n[ "$1" = --version ] && exit 0\nexec tail -f /dev/null\n');
    await chmod(binaryPath, 0o755);
    // The start itself times out long after this test.
    const silent = bench.createClient({ binaryPath, startTimeoutMs: 600_000, env: { PATH, MARKER: marker } });
    const session = await silent.createSession();
    const failing = rejectionOf(session.send("Hello."));
    const isRunning = () => processesWith(marker).some(({ commandLine }) => commandLine[0] === "tail");
    await waitUntil(isRunning, "the program does not run");
    await silent.stop();
    expect(await failing).toEqual(new SessionDestroyedError(session.id));
    expect(processesWith(marker)).toEqual([]);
  });

  test("that end right after their start report the reason", async () => {
    const binaryPath = path.join(homeFolder, "broken-claude");
    await writeFile(binaryPath, '#!/bin/sh\n[ "$1" = --version ] && exit 0\necho "no such luck" >&2\nexit 3\n');
    await chmod(binaryPath, 0o755);
    const broken = bench.createClient({ binaryPath });
    const error = await rejectionOf((await broken.createSession()).send("Hello."));
    expect(error).toEqual(new AgentCrashedError("claude", "exit code 3", ["no such luck"]));
    await broken.stop();
  });
});

describe("a session with few allowed tools", () => {
  test("keeps Atomic's own, and can still return a structured answer, which no hook receives", async () => {
    const hooked: string[] = [];
    const other = bench.createClient();
    other.registerTool({
      name: "count_things",
      description: "Counts.",
      inputSchema: { type: "object" },
      handler: () => "seven-71",
    });
    const session = await other.createSession({
      allowedTools: ["read"],
      permissions: ALLOW_ALL,
      beforeTool: async ({ toolName }) => {
        hooked.push(toolName);
        return { type: "continue" };
      },
    });
    script(call("mcp__atomic-tools__count_things", {}), call("StructuredOutput", { count: 7 }), say("Done."));
    const outputSchema = { type: "object", properties: { count: { type: "number" } }, required: ["count"] };
    const { structured, toolUses } = await session.send("Count.", { outputSchema });
    await other.stop();
    expect([structured, toolUses, hooked]).toEqual([{ count: 7 }, 1, ["count_things"]]);
    expect(lastBody()).toContain("seven-71");
  });
});

test("a conversation's id may contain capital letters, and keeps them", async () => {
  script(say("Yes, turn-701."));
  const sessionId = crypto.randomUUID().toUpperCase();
  const session = await client.createSession({ sessionId });
  await session.send("Ready?");
  await session.destroy();
  const resumed = await client.resumeSession(sessionId);
  await resumed.send("And now?");
  expect([resumed.id, lastBody().includes("turn-701")]).toEqual([sessionId, true]);
});

describe("a client", () => {
  test("rejects an endpoint with another protocol at once", async () => {
    const { endpoint } = bench.optionsFor();
    if (endpoint === undefined) throw new Error("The bench has an endpoint.");
    const other = bench.createClient({ endpoint: { ...endpoint, protocol: "openai-chat" } });
    expect(await rejectionOf(other.start())).toEqual(new ClaudeEndpointError("openai-chat"));
  });

  test("lists the models of Claude Code with their efforts", async () => {
    const { endpoint: _, ...options } = bench.optionsFor({
      env: { PATH, ANTHROPIC_API_KEY: "unused", ANTHROPIC_BASE_URL: models.url },
    });
    const own = createClaudeClient(options);
    const listed = await own.listModels();
    expect(listed).toContainEqual(expect.objectContaining({ model: "opus", displayName: "Opus" }));
    expect(await own.getModelDisplayInfo("opus")).toEqual(
      listed.find(({ model }) => model === "opus") ?? {
        model: "none",
        displayName: "none",
      },
    );
    expect(await own.getModelDisplayInfo("made-up")).toEqual({ model: "made-up", displayName: "made-up" });
    await own.stop();
  });

  test("returns the text of a command that calls no model, and reports it as free", async () => {
    const before = models.requests.length;
    const events = await collectEvents(await client.createSession({ maxBudgetUsd: 1 }), "/context");
    expect(joinDeltas(events, "text-delta")).toContain("Context Usage");
    expect(models.requests.length).toBe(before);
  });

  test("fails a turn with an invalid output schema before the model is called", async () => {
    const before = models.requests.length;
    const session = await client.createSession();
    const outputSchema = { properties: { lost: { $ref: "#/$defs/%ZZ" } } };
    expect(await rejectionOf(session.send("Go on.", { outputSchema }))).toMatchObject({
      code: "AGENT_TURN_FAILED",
      message:
        'The turn of the agent "claude" failed: the output schema is invalid: URI contains malformed percent-encoding.',
      isRetryable: false,
    });
    expect(models.requests.length).toBe(before);
  });

  test("rejects the use of a destroyed session", async () => {
    const session = await client.createSession();
    await session.destroy();
    expect(await rejectionOf(session.send("Hello?"))).toEqual(new SessionDestroyedError(session.id));
  });
});
