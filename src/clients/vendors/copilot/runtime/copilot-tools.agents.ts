import { afterAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { InterceptedToolCall, PermissionPolicy } from "../../../../contracts/index.ts";
import { call, say } from "../../../../testkit/conformance/client/client-script.ts";
import { collectEvents, plainEvents } from "../../../fixtures/turn-events.ts";
import { ToolHost } from "../../../tools/tool-host.ts";
import { startCopilotBench } from "../fixtures/copilot-bench.ts";

const ALLOW_ALL: PermissionPolicy = { rules: [], otherwise: "allow" };

const bench = await startCopilotBench(process.env.PATH ?? "");
const { client, models, script, workFolder, homeFolder } = bench;
afterAll(() => bench.stop());

function lastBody(): string {
  return JSON.stringify(models.requests.at(-1)?.body);
}

function create(name: string, text: string): { name: string; input: unknown } {
  return { name: "create", input: { path: path.join(workFolder, name), file_text: text } };
}

describe("an intercepted tool call", () => {
  test("may be changed; the policy sees the changed call, and the call's id is known", async () => {
    const seen: InterceptedToolCall[] = [];
    const session = await client.createSession({
      permissions: { rules: [{ effect: "allow", tools: ["edit"], paths: ["changed.txt"] }], otherwise: "deny" },
      beforeTool: async (intercepted) => {
        seen.push(intercepted);
        return { type: "continue", input: create("changed.txt", "new").input };
      },
    });
    script({ type: "message", toolCalls: [create("given.txt", "old")] }, say("Done."));
    const events = await collectEvents(session, "Write.");
    const [start] = plainEvents(events, "tool-start");
    expect<unknown>(seen).toEqual([
      {
        sessionId: session.id,
        toolId: start?.toolId,
        toolName: "create",
        kind: "edit",
        input: create("given.txt", "old").input,
      },
    ]);
    expect(existsSync(path.join(workFolder, "given.txt"))).toBe(false);
    expect(await readFile(path.join(workFolder, "changed.txt"), "utf8")).toBe("new");
  });

  test("may be blocked: identical calls in one message, custom tools, and by an exception", async () => {
    const other = bench.createClient();
    let callCount = 0;
    other.registerTool({
      name: "count_up",
      description: "Counts.",
      inputSchema: { type: "object", properties: {} },
      handler: () => {
        callCount += 1;
      },
    });
    const ids = new Set<string>();
    const session = await other.createSession({
      permissions: ALLOW_ALL,
      beforeTool: async ({ toolId, toolName }) => {
        ids.add(toolId);
        if (toolName === "create") throw new Error("inspector is ill");
        return { type: "block", reason: `no ${toolName} today` };
      },
    });
    const bash = { name: "bash", input: { command: "touch blocked.txt", description: "Touch" } };
    const counting = { name: "count_up", input: {} };
    script({ type: "message", toolCalls: [bash, bash, counting, create("blocked.txt", "")] }, say("Understood."));
    const events = await collectEvents(session, "Go.");
    expect(plainEvents(events, "tool-end").map(({ isError }) => isError)).toEqual([true, true, true, true]);
    expect([callCount, existsSync(path.join(workFolder, "blocked.txt")), ids.size]).toEqual([0, false, 4]);
    for (const reason of ["no bash today", "no count_up today", "Looking at the call failed: inspector is ill"]) {
      expect(lastBody()).toContain(reason);
    }
    await other.stop();
  });
});

describe("an MCP server of the session", () => {
  test("is connected, and its tools require approval and run like others", async () => {
    const host = new ToolHost();
    const abort = new AbortController().signal;
    const { server } = await host.open({
      tools: [
        {
          name: "double",
          description: "Doubles.",
          inputSchema: { type: "object", properties: { value: { type: "number" } }, required: ["value"] },
          handler: (input) => `doubled ${JSON.stringify(input)}`,
        },
      ],
      context: () => ({ sessionID: "s", messageID: "m", agent: "copilot", directory: workFolder, abort }),
    });
    const broken = { type: "stdio", command: "/nonexistent" } as const;
    const session = await client.createSession({
      permissions: { rules: [{ effect: "allow", tools: ["mcp"] }] },
      mcpServers: { app: server, broken },
    });
    script(call("app-double", { value: 21 }), say("Done."));
    const events = await collectEvents(session, "Double it.");
    expect(plainEvents(events, "tool-start").map(({ kind, toolName }) => [kind, toolName])).toEqual([
      ["mcp", "app-double"],
    ]);
    expect(lastBody()).toContain("doubled");
    const statuses = await session.getMcpStatus();
    expect(statuses.map(({ name, status }) => [name, status]).toSorted()).toEqual([
      ["app", "connected"],
      ["broken", "failed"],
    ]);
    expect(statuses.find(({ name }) => name === "broken")?.detail).toContain("No such file");

    const strict = await client.createSession({ mcpServers: { app: server } });
    const { deniedPermissions } = await strict.send("Double it again.");
    expect(deniedPermissions.map(({ kind, title }) => [kind, title])).toEqual([["mcp", 'app-double: {"value":21}']]);
    await host.stop();
  });
});

describe("permanent approvals of the user in Copilot do not count", () => {
  test("for a folder, in the environment, and by hooks", async () => {
    const settings = path.join(homeFolder, ".copilot");
    await mkdir(path.join(settings, "hooks"), { recursive: true });
    const approvals = [
      { kind: "write" },
      { kind: "commands", commandIdentifiers: ["touch", "touch sneaked.txt"] },
      { kind: "custom-tool", toolName: "sneak" },
    ];
    const locations = { [workFolder]: { tool_approvals: approvals } };
    await writeFile(path.join(settings, "permissions-config.json"), JSON.stringify({ locations }));
    const hook = path.join(homeFolder, "allow.sh");
    await writeFile(hook, `#!/bin/sh\necho ran >> ${homeFolder}/hook-ran\necho '{"permissionDecision":"allow"}'\n`);
    await chmod(hook, 0o755);
    const hooks = { preToolUse: [{ type: "command", bash: hook, timeoutSec: 5 }] };
    await writeFile(path.join(settings, "hooks", "allow.json"), JSON.stringify({ version: 1, hooks }));
    const env = { PATH: process.env.PATH ?? "", COPILOT_ALLOW_ALL: "true" };
    const other = bench.createClient({ env });
    let callCount = 0;
    other.registerTool({
      name: "sneak",
      description: "Sneaks.",
      inputSchema: { type: "object", properties: {} },
      handler: () => {
        callCount += 1;
      },
    });
    const host = new ToolHost();
    const tool = { name: "sneak", description: "Sneaks.", inputSchema: { type: "object" }, handler: () => "sneaked" };
    const abort = new AbortController().signal;
    const context = { sessionID: "s", messageID: "m", agent: "copilot", directory: workFolder, abort };
    const { server } = await host.open({ tools: [tool], context: () => context });
    const session = await other.createSession({ mcpServers: { app: server } });
    const touch = { name: "bash", input: { command: "touch sneaked.txt", description: "Touch" } };
    const sneak = { name: "sneak", input: {} };
    script(
      { type: "message", toolCalls: [create("sneaked.txt", ""), touch, sneak, { name: "app-sneak", input: {} }] },
      say("Understood."),
    );
    const { deniedPermissions } = await session.send("Sneak.");
    expect(deniedPermissions.map(({ kind }) => kind).toSorted()).toEqual(["edit", "mcp", "mcp", "shell"]);
    expect([existsSync(path.join(workFolder, "sneaked.txt")), callCount]).toEqual([false, 0]);
    expect(await readFile(path.join(homeFolder, "hook-ran"), "utf8")).toContain("ran");

    const resumed = await other.resumeSession(session.id);
    expect((await resumed.send("Sneak again.")).deniedPermissions).toHaveLength(4);
    await other.stop();
    await host.stop();
  });
});

describe("the hooks of a project", () => {
  test("run only if the user trusts it", async () => {
    const project = path.join(workFolder, "..", "project");
    await mkdir(path.join(project, ".github", "hooks"), { recursive: true });
    await Bun.spawn(["git", "init", "--quiet", project]).exited;
    const ran = path.join(project, "hook-ran");
    const hooks = { preToolUse: [{ type: "command", bash: `touch ${ran}`, timeoutSec: 5 }] };
    await writeFile(path.join(project, ".github", "hooks", "a.json"), JSON.stringify({ version: 1, hooks }));
    const runOnce = async (projectSettings: boolean): Promise<boolean> => {
      const other = bench.createClient({ projectSettings });
      script(call("view", { path: project }), say("Seen."));
      await (await other.createSession({ workingDirectory: project })).send("Look.");
      await other.stop();
      return existsSync(ran);
    };
    expect(await runOnce(false)).toBe(false);
    expect(await runOnce(true)).toBe(true);
  });
});

describe("a sub-agent", () => {
  test("asks for its tools in the session's name", async () => {
    const session = await client.createSession({ permissions: { rules: [{ effect: "allow", tools: ["agent"] }] } });
    const task = {
      description: "look",
      agent_type: "general-purpose",
      name: "h",
      mode: "sync",
      prompt: "Look, sub-51.",
    };
    models.setScript(({ messages }) => {
      const isSub = messages.some(({ role, text }) => role === "user" && text.includes("sub-51"));
      if (messages.at(-1)?.role === "tool") return say(isSub ? "Seen." : "Done.");
      return isSub ? call("bash", { command: "touch sub.txt", description: "Touch" }) : call("task", task);
    });
    const events = await collectEvents(session, "Send one.");
    expect(plainEvents(events, "permission-denied", "subagent-end").map(({ type }) => type)).toEqual([
      "permission-denied",
      "subagent-end",
    ]);
    expect(events.every(({ sessionId }) => sessionId === session.id)).toBe(true);
    expect(existsSync(path.join(workFolder, "sub.txt"))).toBe(false);
  });
});
