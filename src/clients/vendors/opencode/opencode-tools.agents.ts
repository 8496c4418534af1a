import { afterAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { PermissionPolicy, PermissionRequest } from "../../../contracts/index.ts";
import { call, say } from "../../../testkit/conformance/client/client-script.ts";
import { joinDeltas } from "../../../testkit/conformance/client/client-talk.ts";
import { collectEvents, plainEvents } from "../../fixtures/turn-events.ts";
import { startOpenCodeBench } from "./fixtures/opencode-bench.ts";

const ALLOW_ALL: PermissionPolicy = { rules: [], otherwise: "allow" };

const bench = await startOpenCodeBench(process.env.PATH ?? "");
const { models, script } = bench;
afterAll(() => bench.stop());

describe("tools and permissions", () => {
  test("a file is written and a command runs, each with one start and one end", async () => {
    const file = path.join(bench.workFolder, "written.txt");
    script(
      call("write", { filePath: file, content: "hello" }),
      call("bash", { command: "cat written.txt && echo ran", description: "Show it" }),
      say("Done."),
    );
    const session = await bench.client.createSession({ permissions: ALLOW_ALL });
    const events = await collectEvents(session, "Write it.");
    expect(await readFile(file, "utf8")).toBe("hello");
    const tools = plainEvents(events).filter((event) => JSON.stringify(event).includes('"tool-'));
    expect(tools).toEqual([
      {
        type: "tool-start",
        toolId: expect.any(String),
        toolName: "write",
        kind: "edit",
        input: { filePath: file, content: "hello" },
      },
      {
        type: "tool-end",
        toolId: expect.any(String),
        toolName: "write",
        isError: false,
        output: "Wrote file successfully.",
      },
      {
        type: "tool-start",
        toolId: expect.any(String),
        toolName: "bash",
        kind: "shell",
        input: { command: "cat written.txt && echo ran", description: "Show it" },
      },
      { type: "tool-end", toolId: expect.any(String), toolName: "bash", isError: false, output: "hello" + "ran\n" },
    ]);
  });

  test("reading in the working directory needs no permission, reading elsewhere does", async () => {
    await writeFile(path.join(path.dirname(bench.workFolder), "outside.txt"), "far away");
    script(
      call("read", { filePath: path.join(bench.workFolder, "README.md") }),
      call("read", { filePath: path.join(path.dirname(bench.workFolder), "outside.txt") }),
      say("Read."),
    );
    const reply = await (await bench.client.createSession()).send("Read them.");
    expect(reply.deniedPermissions).toEqual([
      {
        toolName: "read",
        kind: "read",
        title: `read: ${path.join(path.dirname(bench.workFolder), "outside.txt")} (outside of the working directory)`,
        reason: `Denied: no rule allows reading ${JSON.stringify(path.join(path.dirname(bench.workFolder), "outside.txt"))}, and nobody can approve it here.`,
        allowedBy: `read:${path.join(path.dirname(bench.workFolder), "outside.txt")}`,
        isUnasked: true,
      },
    ]);
  });

  test("unattended, calls that the policy does not allow are denied, listed, and explained to the agent", async () => {
    script(call("bash", { command: "touch denied.txt", description: "Touch" }), say("Understood."));
    const reply = await (await bench.client.createSession()).send("Touch it.");
    expect([reply.content, reply.toolUses, existsSync(path.join(bench.workFolder, "denied.txt"))]).toEqual([
      "Understood.",
      1,
      false,
    ]);
    expect(reply.deniedPermissions).toEqual([
      {
        toolName: "bash",
        kind: "shell",
        title: "bash: touch denied.txt",
        reason: 'Denied: no rule allows the command "touch denied.txt", and nobody can approve it here.',
        allowedBy: "shell:touch denied.txt",
        isUnasked: true,
      },
    ]);
    expect(JSON.stringify(models.requests.at(-1)?.body)).toContain("no rule allows the command");
  });

  test("the policy decides: an allowed command runs, one chained to it does not", async () => {
    script(
      call("bash", { command: "touch a.txt", description: "a" }),
      call("bash", { command: "touch b.txt; rm -rf a.txt", description: "b" }),
      say("Done."),
    );
    const session = await bench.client.createSession({
      permissions: { rules: [{ effect: "allow", tools: ["shell"], commands: ["touch *"] }] },
    });
    const reply = await session.send("Touch.");
    expect(reply.deniedPermissions.map((denied) => denied.title)).toEqual(["bash: touch b.txt; rm -rf a.txt"]);
    expect(["a.txt", "b.txt"].map((name) => existsSync(path.join(bench.workFolder, name)))).toEqual([true, false]);
  });

  test("a person is asked once, even if OpenCode asks twice; an approval outside the folder applies once", async () => {
    const asked: PermissionRequest[] = [];
    const file = path.join(path.dirname(bench.workFolder), "beside.txt");
    script(
      call("write", { filePath: file, content: "one" }),
      call("write", { filePath: file, content: "two" }),
      say("Done."),
    );
    const session = await bench.client.createSession({
      onPermissionAsk: async (request) => {
        asked.push(request);
        return { type: "allow", scope: "session" };
      },
    });
    const reply = await session.send("Write it twice.");
    expect([reply.content, reply.deniedPermissions, await readFile(file, "utf8")]).toEqual(["Done.", [], "two"]);
    const expected = (text: string) => ({
      id: expect.any(String),
      sessionId: session.id,
      kind: "edit",
      toolName: "write",
      title: expect.stringMatching(/^write: .*beside\.txt \(outside of the working directory\) \(.* is protected: /),
      paths: [file],
      isOnce: true,
      details: { type: "write", path: file, text },
    });
    expect(asked).toEqual([expected("one"), expected("two")] as unknown as PermissionRequest[]);
  });

  test("a handler that fails counts as a denial", async () => {
    script(call("bash", { command: "touch c.txt", description: "c" }), say("Done."));
    const session = await bench.client.createSession({
      onPermissionAsk: async () => {
        throw new Error("the terminal is gone");
      },
    });
    const reply = await session.send("Touch.");
    expect(reply.deniedPermissions.map((denied) => denied.reason)).toEqual([
      "Asking for permission failed: the terminal is gone",
    ]);
  });

  test("a sub-agent's tools meet the same policy, and its tokens count", async () => {
    models.setScript((request) => {
      const isSubagent = request.messages.some((message) => message.text.includes("Look around."));
      const usage = { inputTokens: 10, outputTokens: 1 };
      const hasResult = request.messages.at(-1)?.role === "tool";
      if (hasResult) return { type: "message", text: isSubagent ? "sub done" : "all done", usage };
      const toolCall = isSubagent
        ? { name: "bash", input: { command: "touch sub.txt", description: "s" } }
        : { name: "task", input: { description: "look", subagent_type: "general", prompt: "Look around." } };
      return { type: "message", toolCalls: [toolCall], usage };
    });
    const session = await bench.client.createSession({
      permissions: { rules: [{ effect: "allow", tools: ["agent"] }] },
    });
    const events = await collectEvents(session, "Delegate.");
    const kept = ["subagent-start", "subagent-end", "permission-denied", "turn-end"];
    expect(plainEvents(events.filter((event) => kept.includes(event.type)))).toEqual([
      {
        type: "subagent-start",
        subagentId: expect.any(String),
        title: "look (@general subagent)",
        subagentType: "general",
        task: "Look around.",
      },
      {
        type: "permission-denied",
        denied: expect.objectContaining({ kind: "shell", title: "bash: touch sub.txt" }),
      },
      { type: "subagent-end", subagentId: expect.any(String), isError: false, result: "sub done" },
      { type: "turn-end", outcome: "completed" },
    ]);
    expect(events.filter((event) => event.type === "usage").length).toBe(4);
    expect(joinDeltas(events, "text-delta")).toBe("all done");
  });

  test("of two writes in one message, all denied ones are listed when one is denied", async () => {
    script(
      {
        type: "message",
        toolCalls: [
          { name: "bash", input: { command: "touch d.txt", description: "d" } },
          { name: "bash", input: { command: "touch e.txt", description: "e" } },
        ],
      },
      say("Done."),
    );
    const reply = await (await bench.client.createSession()).send("Touch both.");
    expect(reply.deniedPermissions.map((denied) => denied.title).sort()).toEqual([
      "bash: touch d.txt",
      "bash: touch e.txt",
    ]);
  });
});

describe("outside the policy", () => {
  test("the user's own OpenCode settings cannot allow an agent or a sub-agent more than the policy", async () => {
    const homeDirectory = path.join(path.dirname(bench.workFolder), "permissive-home");
    const allowAll = { bash: { "*": "allow" }, edit: "allow" };
    await mkdir(path.join(homeDirectory, ".config", "opencode"), { recursive: true });
    await writeFile(
      path.join(homeDirectory, ".config", "opencode", "opencode.json"),
      JSON.stringify({
        permission: allowAll,
        agent: { build: { permission: allowAll }, general: { permission: allowAll } },
      }),
    );
    const client = bench.createClient({ homeDirectory });
    models.setScript((request) => {
      const isSubagent = request.messages.some((message) => message.text.includes("Look around."));
      const task = { description: "look", subagent_type: "general", prompt: "Look around." };
      const steps = [
        { name: "bash", input: { command: `touch bypass-${isSubagent}.txt`, description: "b" } },
        ...(isSubagent ? [] : [{ name: "task", input: task }]),
      ];
      const step = steps[request.messages.filter((message) => message.role === "tool").length];
      return step === undefined ? say("Done.") : { type: "message", toolCalls: [step] };
    });
    const session = await client.createSession({ permissions: { rules: [{ effect: "allow", tools: ["agent"] }] } });
    const reply = await session.send("Try.");
    await client.stop();
    expect(reply.deniedPermissions.map((denied) => denied.title)).toEqual([
      "bash: touch bypass-false.txt",
      "bash: touch bypass-true.txt",
    ]);
  });

  test("a command sees neither the server's password nor the keys in its settings", async () => {
    script(call("bash", { command: "env | grep -E 'PASSWORD|CONTENT'", description: "Look" }), say("Done."));
    const session = await bench.client.createSession({ permissions: ALLOW_ALL });
    const events = await collectEvents(session, "Look.");
    expect(plainEvents(events, "tool-end").map((event) => event.output)).toEqual([
      "OPENCODE_SERVER_PASSWORD=\nOPENCODE_CONFIG_CONTENT=\n",
    ]);
  });
});
