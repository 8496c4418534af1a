import { afterAll, afterEach, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { PermissionGateMissingError } from "../../../contracts/index.ts";
import {
  call,
  encodedBodyOf,
  isOfConversation,
  say,
  toolResultsOf,
} from "../../../testkit/conformance/client/client-script.ts";
import { rejectionOf } from "../../../testkit/conformance/rejection-of.ts";
import { PLAN_MODE_CALLS, preparePlanMode, worktreesIn } from "../../fixtures/plan-mode-calls.ts";
import { processesWith } from "../../fixtures/running-processes.ts";
import { isInstalled, startAcpBench } from "./fixtures/acp-bench.ts";

const bench = await startAcpBench("claude", { searchPath: process.env.PATH ?? "" });
const { client, models, script, workFolder, homeFolder } = bench;
const users = path.join(homeFolder, ".claude", "settings.json");
const projects = path.join(workFolder, ".claude", "settings.json");
afterAll(() => bench.stop());
afterEach(async () => {
  await Promise.all([users, projects].map((file) => rm(file, { force: true })));
});

async function writeSettings(file: string, settings: object): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify(settings));
}

function results(): readonly string[] {
  const last = models.requests.findLast(isOfConversation);
  return last === undefined ? [] : toolResultsOf(last);
}

test.skipIf(!isInstalled("claude"))(
  "nothing that is denied happens, whatever the tool and the user's settings",
  async () => {
    await writeSettings(users, {
      disableAllHooks: true,
      permissions: { allow: ["*"], defaultMode: "bypassPermissions" },
    });
    await writeFile(path.join(workFolder, ".env"), "TOKEN=needle-denied\n");
    script(
      call("Read", { file_path: ".env" }),
      call("CronCreate", { cron: "* * * * *", prompt: "x" }),
      call("EnterWorktree", {}),
      call("ListAgents", {}),
      call("Write", { file_path: path.join(workFolder, "written.txt"), content: "x" }),
      call("Bash", { command: "touch touched.txt", description: "Touch it" }),
      say("Understood."),
    );
    const session = await client.createSession({ permissions: { rules: [], otherwise: "deny" } });
    const { deniedPermissions } = await session.send("Work.");
    expect(deniedPermissions.map(({ toolName }) => toolName)).toEqual([
      "Read",
      "EnterWorktree",
      "ListAgents",
      "Write",
      "Bash",
    ]);
    expect(results()[1]).toContain("No such tool available: CronCreate");
    expect(results().join("\n")).not.toContain("needle-denied");
    expect(["written.txt", "touched.txt"].filter((name) => existsSync(path.join(workFolder, name)))).toEqual([]);
  },
);

test.skipIf(!isInstalled("claude"))("an allowed call that a user's hook changes afterwards does not run", async () => {
  const ran = path.join(homeFolder, "hook-ran");
  const updatedInput = { command: "touch changed.txt", description: "Run it" };
  const output = { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow", updatedInput } };
  const allow = { hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior: "allow" } } };
  const hook = (answer: object, delayS = 0) => [
    { hooks: [{ type: "command", command: `touch ${ran}; sleep ${delayS}; echo '${JSON.stringify(answer)}'` }] },
  ];
  // The first answer counts, and this hook is as fast as Atomic's.
  await writeSettings(users, { hooks: { PreToolUse: hook(output), PermissionRequest: hook(allow, 1) } });
  script(call("Bash", { command: "touch as-asked.txt", description: "Touch it" }), say("Understood."));
  const session = await client.createSession({
    permissions: { rules: [{ effect: "allow", commands: ["touch as-asked.txt"] }] },
  });
  await session.send("Touch it.");
  expect([existsSync(ran), existsSync(path.join(workFolder, "changed.txt"))]).toEqual([true, false]);
});

test.skipIf(!isInstalled("claude"))("a turn ends when the hooks cannot reach Atomic", async () => {
  await writeSettings(users, { allowedHttpHookUrls: [] });
  await writeFile(path.join(workFolder, "open.txt"), "needle-open\n");
  script(call("Read", { file_path: "open.txt" }), say("Seen."));
  const session = await client.createSession({ permissions: { rules: [], otherwise: "allow" } });
  const error = await rejectionOf(session.send("Read it."));
  expect(error).toEqual(new PermissionGateMissingError("claude", "Claude Code does not run its hooks"));
  expect(models.requests.some((request) => encodedBodyOf(request).includes("needle-open"))).toBe(false);
});

test.skipIf(!isInstalled("claude"))(
  "an untrusted project's hooks do not run; its instructions reach the model",
  async () => {
    const marker = path.join(homeFolder, "marker");
    const hooks = [{ hooks: [{ type: "command", command: `touch ${marker}` }] }];
    await writeSettings(projects, { hooks: { SessionStart: hooks, UserPromptSubmit: hooks, PreToolUse: hooks } });
    await writeFile(path.join(workFolder, "CLAUDE.md"), "INSTRUCTIONS-OF-PROJECT");
    script(call("Bash", { command: "true", description: "Do nothing" }), say("Done."));
    const session = await client.createSession({ permissions: { rules: [], otherwise: "allow" } });
    await session.send("Work.");
    expect([
      existsSync(marker),
      encodedBodyOf(models.requests.at(-1) ?? fail()).includes("INSTRUCTIONS-OF-PROJECT"),
    ]).toEqual([false, true]);
  },
);

test.skipIf(!isInstalled("claude"))(
  "the endpoint's key is in no environment and no file that a command can read",
  async () => {
    const { endpoint } = bench.optionsFor();
    if (endpoint === undefined) throw new Error("The bench has no endpoint.");
    const apiKey = `key-${crypto.randomUUID()}`;
    const other = bench.createClient({ endpoint: { ...endpoint, apiKey } });
    const command = `env; cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep -a '^[A-Z_]*=${apiKey}'; grep -rs '^${apiKey}' /tmp/atomic-key-*`;
    script(call("Bash", { command, description: "Look" }), say("Seen."));
    const session = await other.createSession({ permissions: { rules: [], otherwise: "allow" } });
    await session.send("Look.");
    expect(models.requests.at(-1)?.headers["x-api-key"]).toBe(apiKey);
    expect(results()[0]).toContain("CLAUDE_CODE_ENTRYPOINT=");
    expect(results()[0]).not.toContain(`_KEY=${apiKey}`);
    expect(results()[0]).not.toMatch(new RegExp(`^${apiKey}`, "m"));
    await session.destroy();
  },
);

test.skipIf(!isInstalled("claude"))(
  "no command line shows the token of the hooks, or what MCP servers are given",
  async () => {
    const secret = `secret-${crypto.randomUUID()}`;
    const peek = { type: "stdio", command: "cat", args: [], env: { SECRET: secret } } as const;
    script(say("Hello."));
    const session = await client.createSession({ mcpServers: { peek } });
    await session.send("Hello.");
    const lines = processesWith(homeFolder).map(({ commandLine }) => commandLine.join(" "));
    expect(lines.filter((line) => line.includes("--settings"))).not.toEqual([]);
    expect(lines.filter((line) => line.includes(secret) || line.includes("Bearer"))).toEqual([]);
    await session.destroy();
  },
);

function fail(): never {
  throw new Error("The model was not called.");
}

test.skipIf(!isInstalled("claude"))("in plan mode no worktree is created, whatever requests one", async () => {
  await preparePlanMode(bench);
  script(...PLAN_MODE_CALLS);
  const permissions = { rules: [], otherwise: "allow" } as const;
  const session = await client.createSession({ permissionMode: "plan", permissions });
  const { content, deniedPermissions } = await session.send("Plan it.");
  expect([content, worktreesIn(workFolder)]).toEqual(["Planned.", []]);
  expect(deniedPermissions.map(({ toolName }) => toolName)).toEqual(["EnterWorktree", "Agent"]);
});
