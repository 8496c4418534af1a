import { afterEach, beforeEach, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { PermissionDecision } from "../../contracts/index.ts";
import type { HostCommand } from "../../tui/index.ts";
import { type CallOptions, TestEnvironment } from "../fixtures/test-environment.ts";
import { GREET } from "../fixtures/workflow-files.ts";
import type { ChatFlags } from "./chat-flags.ts";
import { createChatHost, type OpenedChatHost } from "./create-chat-host.ts";

const ACP_AGENT = fileURLToPath(new URL("../fixtures/acp-agent.ts", import.meta.url));

let place: TestEnvironment;
const opened: OpenedChatHost[] = [];

beforeEach(async () => {
  place = await TestEnvironment.create();
});
afterEach(async () => {
  for (const { stop } of opened.splice(0)) await stop();
  await place.remove();
});

interface OpenOptions extends CallOptions {
  readonly flags?: ChatFlags;
  readonly decision?: PermissionDecision;
}

async function open({ flags = { agent: "scripted" }, decision = { type: "allow" }, ...call }: OpenOptions = {}) {
  const started: unknown[] = [];
  const created = await createChatHost({
    environment: place.describe([], call).environment,
    flags,
    parseTheme: () => Promise.reject(new Error("no theme")),
    graceMs: 20_000,
    startRun: async (...run) => {
      started.push(run);
      return "run-1";
    },
  });
  opened.push(created);
  const { host } = created;
  const notices: string[] = [];
  const asked: (string | undefined)[] = [];
  let reload = Promise.withResolvers<void>();
  host.connect?.({
    async onPermissionAsk({ command }) {
      asked.push(command);
      return decision;
    },
    onNotice: (text) => notices.push(place.normalise(text)),
    onCommandsChange: () => reload.resolve(),
  });
  const { signal } = new AbortController();
  const load = async (): Promise<ReadonlyMap<string, HostCommand>> =>
    new Map((await host.loadCommands?.(signal))?.map((command) => [command.name, command]));
  const message = async (name: string, args = "", agentType = "scripted"): Promise<string> => {
    const start = (await load()).get(name)?.start;
    if (start?.type !== "message") throw new Error(`/${name} sends no message`);
    return await start.write(args, agentType, signal);
  };
  const changed = async (): Promise<void> => {
    await reload.promise;
    reload = Promise.withResolvers();
  };
  return { host, notices, asked, started, load, message, changed };
}

test("a conversation has the model, the permissions and the limits of its options and settings", async () => {
  await place.write({
    "home/.atomic/config.json": JSON.stringify({
      model: "m0",
      agents: { claude: { model: "m1" }, own: { command: "own" } },
      permissions: { rules: [{ effect: "deny", tools: ["fetch"] }] },
      ui: { theme: "light" },
    }),
  });
  const flags = {
    agent: "scripted",
    model: "m2",
    allow: ["edit"],
    effort: "high",
    systemPrompt: "Be brief.",
    maxTurns: "3",
  };
  const { host, notices } = await open({ flags });
  const permissions = {
    rules: [
      { effect: "deny", tools: ["fetch"] },
      { effect: "allow", tools: ["edit"] },
    ],
    otherwise: "ask",
  };
  const own = { reasoningEffort: "high", systemPrompt: "Be brief.", maxTurns: 3 };
  const { permissionMemory, ...config } = host.sessionConfigFor("scripted");
  expect(config as unknown).toEqual({ model: "m2", permissions, ...own });
  expect(permissionMemory).toBeDefined();
  expect(["claude", "copilot"].map((agent) => host.sessionConfigFor(agent).model)).toEqual(["m1", "m0"]);
  expect(host.allowingOptions).toEqual(["--allow"]);
  expect({ ...host.settings }).toMatchObject({ theme: "light", hasMouseWheel: true });
  expect([host.workingDirectory, host.agentType, host.agentTypes, host.resumeSessionId] as unknown[]).toEqual([
    ...[place.project, "scripted"],
    ["claude", "opencode", "copilot", "gemini", "codex", "goose", "scripted", "own"],
    undefined,
  ]);
  expect(notices).toEqual([]);
});

test.each([
  {
    flags: { agent: "scripted", effort: "huge" },
    message: '--effort takes one of none, low, medium, high, max, and "huge" is none.',
  },
  { flags: { agent: "clade" }, message: 'There is no agent "clade".' },
  { flags: { agent: "scripted", allow: ["bash"] }, message: '"bash" is not a permission. Did you mean "shell"?' },
])("with $flags, nothing opens", async ({ flags, message }) => {
  await expect(open({ flags })).rejects.toThrow(message);
});

test("a theme that cannot be used is an error before anything opens", async () => {
  await place.write({ "home/.atomic/config.json": '{"ui": {"themes": [{}]}}' });
  await expect(open()).rejects.toThrow("no theme");
});

test("a theme that does not exist is a warning", async () => {
  await place.write({ "home/.atomic/config.json": '{"ui": {"theme": "ligth"}}' });
  const { notices } = await open();
  expect(notices).toEqual([
    'ui.theme: there is no theme "ligth", so "auto" is used. Did you mean "light"? Possible: auto, dark, light.',
  ]);
});

test("the scripted agent answers, and an agent over ACP of the settings, too", async () => {
  const args = ["--no-env-file", ACP_AGENT];
  await place.write({
    "home/.atomic/config.json": JSON.stringify({
      agents: { fake: { command: process.execPath, args, ungated: true } },
    }),
  });
  const { host, notices } = await open();
  const answers: string[] = [];
  for (const agentType of ["scripted", "fake"]) {
    const client = await host.openClient(agentType);
    const session = await client.createSession(host.sessionConfigFor(agentType));
    answers.push((await session.send("Hello")).content);
  }
  expect(answers).toEqual(["Scripted answer to: Hello", "This is a."]);
  expect(notices).toEqual([
    'The agent "fake" decides about its tool calls itself (agents.fake.ungated); Atomic\'s policy applies only to what it asks.',
  ]);
});

test("an agent that did not start can be retried", async () => {
  const program = join(place.root, "late-agent");
  await place.write({
    "home/.atomic/config.json": JSON.stringify({ agents: { late: { command: program, ungated: true } } }),
  });
  const { host } = await open();
  await expect(host.openClient("late").then((client) => client.createSession())).rejects.toThrow("late");
  await host.openClient("late").catch(() => undefined);
  await writeFile(program, `#!/bin/sh\nexec "${process.execPath}" --no-env-file "${ACP_AGENT}"\n`, { mode: 0o700 });
  const client = await host.openClient("late");
  expect((await (await client.createSession()).send("Hello")).content).toBe("This is a.");
});

test("commands, skills, workflows and agents are slash commands, each name once", async () => {
  await place.trustProject();
  await place.writeProject({
    ".claude/commands/commit.md":
      "---\ndescription: Commit\nargument-hint: <message> [--amend]\n---\nCommit: $ARGUMENTS",
    ".claude/skills/commit/SKILL.md": "---\nname: commit\ndescription: Another\n---\nNot this.",
    ".claude/skills/audit/SKILL.md": "---\nname: audit\ndescription: Audit\n---\nAudit it.",
    ".claude/skills/hidden/SKILL.md": "---\nname: hidden\ndescription: Hidden\nuser-invocable: false\n---\nNo.",
    ".claude/agents/auditor.md": "---\nname: auditor\ndescription: Audits\n---\nFind holes.",
    ".atomic/workflows/broken.ts": "export default ;",
  });
  const { load, notices, started } = await open();
  const commands = await load();
  const shown = ["commit", "audit", "auditor", "ralph", "review"].map((name) => {
    const { start, description, ...command } = commands.get(name) ?? { start: undefined, description: "" };
    return { ...command, type: start?.type };
  });
  expect(shown as unknown[]).toEqual([
    {
      ...{ name: "commit", category: "command", argumentHint: "<message> [--amend]", requiredArgument: "message" },
      ...{ source: "claude, project", type: "message" },
    },
    { name: "audit", category: "skill", source: "claude, project", type: "message" },
    {
      ...{ name: "auditor", category: "agent", argumentHint: "<task>", requiredArgument: "task" },
      ...{ source: "claude, project", type: "message" },
    },
    {
      ...{ name: "ralph", category: "workflow", aliases: ["loop"], source: "built-in", type: "run" },
      ...{ argumentHint: "<prompt-or-spec-path> [--verify COMMAND]", requiredArgument: "prompt-or-spec-path" },
    },
    {
      ...{
        name: "review",
        category: "workflow",
        argumentHint: "[--input base=BRANCH]",
        source: "built-in",
        type: "run",
      },
    },
  ]);
  expect(commands.has("hidden")).toBe(false);
  expect(notices).toHaveLength(1);
  expect(notices[0]).toStartWith("<root>/project/.atomic/workflows/broken.ts:1:16: ");
  const ralph = commands.get("ralph")?.start;
  expect(ralph?.type === "run" && (await ralph.start("Repair it --verify 'npm test'", "claude"))).toBe("run-1");
  expect(started).toEqual([
    ["ralph", { agent: "claude", prompt: "Repair it", options: ["--input", "verifyCommand=npm test"] }],
  ]);
});

test("a command becomes its text, with what its commands print and the person allows", async () => {
  await place.trustProject();
  await place.writeProject({
    ".claude/commands/status.md": "---\ndescription: Status\n---\nState: !`echo clean` $1",
    ".claude/skills/audit/SKILL.md": "---\nname: audit\ndescription: Audit\n---\nAudit $ARGUMENTS.",
    ".claude/agents/auditor.md": "---\nname: auditor\ndescription: Audits\n---\nFind holes.",
  });
  const { message, asked } = await open({ decision: { type: "allow", scope: "session" } });
  expect(await message("status", "now")).toBe("State: clean now");
  expect(await message("status", "later")).toBe("State: clean later");
  expect(asked).toEqual(["echo clean"]);
  expect(await message("audit", "src")).toBe(
    `The files of this skill are in: ${join(place.project, ".claude/skills/audit")}\n\nAudit src.`,
  );
  expect(await message("auditor", "look at src", "claude")).toBe(
    "Use the Task tool to invoke the auditor sub-agent for this exact task: look at src",
  );
  await expect((await open({ decision: { type: "deny", reason: "no" } })).message("status")).rejects.toThrow(
    '"status" runs the command "echo clean" for its prompt, which was denied',
  );
});

test("nothing of a project that is not trusted precedes a built-in workflow, runs or is sent", async () => {
  await place.writeProject({
    ".claude/commands/ralph.md": "---\ndescription: Mine\n---\n!`touch planted`",
    ".claude/commands/planted.md": "---\ndescription: Mine\n---\n!`touch planted`",
    ".atomic/workflows/own.ts": 'throw new Error("loaded");',
  });
  const { load, message, notices } = await open();
  const commands = await load();
  expect([commands.get("ralph")?.category, commands.get("planted")?.source, commands.has("own")]).toEqual([
    ...["workflow", "claude, project, not trusted", false],
  ]);
  await expect(message("planted")).rejects.toThrow(
    /is defined in a project that you have not trusted: .*planted\.md\. To use it: leave the chat, look at it with `atomic trust`, enter `atomic trust add`, and continue with `atomic chat -c`\.$/,
  );
  expect(notices).toEqual([
    "Not loaded, because this project is not trusted: .atomic/workflows/own.ts. You can work without them. To use them: leave the chat, look at them with `atomic trust`, enter `atomic trust add`, and continue with `atomic chat -c`.",
  ]);
});

test("the UI hears that files of commands changed", async () => {
  await place.trustProject();
  await place.writeProject({ ".claude/commands/one.md": "---\ndescription: One\n---\nOne" });
  const { load, changed } = await open();
  expect([...(await load()).keys()]).toContain("one");
  await place.writeProject({ ".claude/commands/two.md": "---\ndescription: Two\n---\nTwo" });
  await changed();
  expect([...(await load()).keys()]).toContain("two");
});

test("the UI hears of a new workflow, and one with an error in it is a line", async () => {
  await place.trustProject();
  const { load, changed, notices } = await open();
  expect((await load()).has("own")).toBe(false);
  await place.writeProject({ ".atomic/workflows/own.ts": "export default {" });
  await changed();
  expect((await load()).has("own")).toBe(false);
  expect(notices).toEqual([expect.stringContaining("own.ts")]);
  await place.writeProject({ ".atomic/workflows/own.ts": GREET });
  await changed();
  expect((await load()).get("own")?.category).toBe("workflow");
}, 60_000);

test("the newest conversation continues with its agent", async () => {
  const { host } = await open();
  await host.conversations?.save({ sessionId: "s1", agentType: "opencode", updatedAt: 1 });
  await host.conversations?.save({ sessionId: "s2", agentType: "claude", updatedAt: 2 });
  await host.conversations?.saveEntries?.("s1", '[{"type":"user"}]');
  const openCode = (await open({ flags: { continue: true, agent: "opencode" } })).host;
  expect([openCode.resumeSessionId, openCode.agentType]).toEqual(["s1", "opencode"]);
  expect(await openCode.conversations?.loadEntries?.("s1")).toBe('[{"type":"user"}]\n');
  const claude = (await open({ flags: { continue: true } })).host;
  expect([claude.resumeSessionId, claude.agentType]).toEqual(["s2", "claude"]);
  const { host: none, notices } = await open({ flags: { continue: true, agent: "copilot" } });
  expect([none.resumeSessionId, notices] as unknown[]).toEqual([
    ...[undefined, ["This project has no conversation to continue: this is a new one."]],
  ]);
});

test("the user's own files, commands and settings are reached through the host", async () => {
  execFileSync("git", ["init", "-b", "main"], { cwd: place.project, stdio: "ignore" });
  await place.writeProject({ "src/cart.ts": "" });
  await place.write({
    "home/.atomic/config.json": '{\n  // mine\n  "ui": { "statusLine": { "command": "cut -c 1-12" } }\n}\n',
  });
  const { host, asked } = await open({ env: { MY_TOKEN: "tok-1234567890" } });
  const { signal } = new AbortController();
  expect(await host.listFiles?.(signal)).toEqual(["src/", "src/cart.ts"]);
  expect(await host.readBranch?.()).toEqual({ name: "main", changedFiles: 1 });
  expect(await host.statusLine?.({ agent: "claude" })).toBe('{"agent":"cl');
  let output = "";
  const onOutput = (text: string): void => {
    output += text;
  };
  expect(await host.runShell?.("echo $MY_TOKEN; exit 4", { signal, onOutput })).toBe(4);
  expect([output, asked] as unknown[]).toEqual(["[redacted:MY_TOKEN]\n", []]);
  await host.history?.append("hello");
  expect(await host.history?.load()).toEqual(["hello"]);
  const path = await host.writeExport?.("chat.md", "# tok-1234567890");
  expect(await readFile(path ?? "", "utf8")).toBe("# [redacted:MY_TOKEN]");
  await host.saveSetting?.("ui.theme", "light");
  expect(await place.read("home/.atomic/config.json")).toContain("// mine");
  expect(JSON.stringify(await host.describe?.("permissions"))).toContain("RULE  EFFECT  FROM");
  expect(await host.describe?.("tools")).toBe("No tools were found here. Write one in .atomic/tools/NAME.ts.");
});
