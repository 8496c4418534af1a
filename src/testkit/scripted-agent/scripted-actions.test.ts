import { afterAll, describe, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type {
  AgentEvent,
  PermissionEffect,
  PermissionHandler,
  PermissionRequest,
  SessionConfig,
  ToolContext,
} from "../../contracts/index.ts";
import { waitUntil } from "../conformance/wait-until.ts";
import { createScriptedAgent } from "./create-scripted-agent.ts";
import type { ScriptedAction, ScriptedActionResult } from "./scripted-turn.ts";

const folder = await realpath(await mkdtemp(join(tmpdir(), "scripted-agent-")));
afterAll(() => rm(folder, { recursive: true, force: true }));

const createSessionId = (): string => "s1";

interface RunOptions {
  readonly effect?: PermissionEffect;
  readonly onPermissionAsk?: PermissionHandler;
}

/** Lets an agent perform one action and returns all its results. */
async function run(action: ScriptedAction, { effect = "allow", onPermissionAsk }: RunOptions = {}) {
  const requests: PermissionRequest[] = [];
  const agent = createScriptedAgent({
    createSessionId,
    workingDirectory: folder,
    script: () => ({ actions: [action], text: "Done." }),
    evaluatePermission: (_policy, request) => {
      requests.push(request);
      return effect;
    },
  });
  const events: AgentEvent[] = [];
  agent.on("*", (event) => events.push(event));
  const config: SessionConfig = onPermissionAsk === undefined ? {} : { onPermissionAsk };
  const reply = await (await agent.createSession(config)).send("Go");
  const between = events.slice(
    1,
    events.findIndex((event) => event.type === "text-delta"),
  );
  return { events: between, reply, requests };
}

describe("actions", () => {
  test("write files, with the folders they need", async () => {
    const { events, reply, requests } = await run({ type: "edit-file", path: "a/b.txt", content: "größer" });
    expect(await readFile(join(folder, "a/b.txt"), "utf8")).toBe("größer");
    const tool = { sessionId: "s1", at: expect.any(Number), toolId: "s1-tool-1", toolName: "edit_file" };
    expect(events).toEqual([
      { ...tool, type: "tool-start", kind: "edit", input: { path: "a/b.txt", content: "größer" } },
      { ...tool, type: "tool-end", isError: false, output: "Wrote 8 bytes to a/b.txt." },
    ]);
    expect(requests).toEqual([
      {
        id: "permission-s1-tool-1",
        sessionId: "s1",
        kind: "edit",
        toolName: "edit_file",
        title: "Write a/b.txt",
        paths: ["a/b.txt"],
      },
    ]);
    expect(reply.toolUses).toBe(1);
  });

  test("name the path that a policy must judge, however it is written", async () => {
    const { requests } = await run(
      { type: "edit-file", path: join(folder, "x/../../y.txt"), content: "" },
      { effect: "deny" },
    );
    expect(requests[0]?.paths).toEqual(["../y.txt"]);
  });

  test.each([
    { type: "edit-file", path: "../out.txt", content: "x" } as const,
    { type: "read-file", path: "a/../../out.txt" } as const,
  ])("fail the turn when a relative path leads out of the working directory: $path", async (action) => {
    await expect(run(action)).rejects.toThrow(
      `The action of a scripted agent has the path "${action.path}", which leads out of its working directory. Name a file in it, or the whole path of one elsewhere.`,
    );
    expect(existsSync(join(folder, "../out.txt"))).toBe(false);
  });

  test("run commands in the working directory", async () => {
    const { events, requests } = await run({ type: "run-command", command: "pwd; echo oops >&2; exit 3" });
    const tool = { sessionId: "s1", at: expect.any(Number), toolId: "s1-tool-1", toolName: "run_command" };
    const output = `${folder}\noops\n[exit code 3]`;
    expect(events).toEqual([
      { ...tool, type: "tool-start", kind: "shell", input: { command: "pwd; echo oops >&2; exit 3" } },
      { ...tool, type: "tool-end", isError: true, output },
    ]);
    expect(requests[0]).toMatchObject({ kind: "shell", command: "pwd; echo oops >&2; exit 3", paths: [] });
  });

  test("call registered tools, with the context of the call", async () => {
    const contexts: Partial<ToolContext>[] = [];
    const agent = createScriptedAgent({ createSessionId, script: (_turn, tools) => callTwice(tools.perform) });
    const early = await agent.createSession();
    agent.registerTool({
      name: "add",
      description: "Adds.",
      inputSchema: {},
      handler: (input, { abort: _abort, ...context }) => {
        contexts.push(context);
        return { sum: input };
      },
    });
    expect((await early.send("Go")).content).toBe(JSON.stringify([unknownTool("add"), unknownTool("gone")]));
    const late = await agent.createSession({ workingDirectory: folder });
    const reply = await late.send("Go");
    const added = { isDenied: false, isError: false, output: '{"sum":[1,2]}' };
    expect(JSON.parse(reply.content)).toEqual([
      added,
      { ...unknownTool("gone"), output: 'No tool named "gone". Known tools: add.' },
    ]);
    expect(contexts).toEqual([{ sessionID: "s1", messageID: "s1-message-1", agent: "scripted", directory: folder }]);
    expect(reply.toolUses).toBe(2);
  });

  async function callTwice(perform: (action: ScriptedAction) => Promise<ScriptedActionResult>): Promise<string> {
    const results = [
      await perform({ type: "call-tool", name: "add", input: [1, 2] }),
      await perform({ type: "call-tool", name: "gone", input: {} }),
    ];
    return JSON.stringify(results);
  }

  function unknownTool(name: string): ScriptedActionResult {
    return { isError: true, isDenied: false, output: `No tool named "${name}". Known tools: none.` };
  }
});

describe("permissions", () => {
  const action: ScriptedAction = { type: "run-command", command: "echo hi" };
  const denied = (reason: string) =>
    [{ toolName: "run_command", kind: "shell", title: "Run echo hi", reason }] as const;

  test("a denial by the policy reaches the model and is listed in the reply", async () => {
    const { events, reply } = await run(action, { effect: "deny" });
    const reason = "The policy of the session denies it.";
    expect(events.slice(1)).toEqual([
      { type: "permission-denied", sessionId: "s1", at: expect.any(Number), denied: denied(reason)[0] },
      {
        type: "tool-end",
        sessionId: "s1",
        at: expect.any(Number),
        toolId: "s1-tool-1",
        toolName: "run_command",
        isError: true,
        output: reason,
      },
    ]);
    expect([reply.deniedPermissions, reply.toolUses]).toEqual([denied(reason), 1]);
  });

  test("a call that requires approval is denied when nobody can answer", async () => {
    const { reply } = await run(action, { effect: "ask" });
    const reason = 'Denied: approval is required by the rule "every call", and nobody can approve it here.';
    expect(reply.deniedPermissions).toEqual([{ ...denied(reason)[0], isUnasked: true }]);
  });

  test("by default, an agent reads what needs no approval, and no more", async () => {
    await Promise.all([writeFile(join(folder, "README.md"), "Read me."), writeFile(join(folder, ".env"), "KEY=1")]);
    const agent = createScriptedAgent({
      workingDirectory: folder,
      evaluatePermission: "policy",
      script: async ({ prompt }, { perform }) => (await perform({ type: "read-file", path: prompt })).output,
    });
    const session = await agent.createSession();
    expect(await session.send("README.md")).toMatchObject({ content: "Read me.", deniedPermissions: [] });
    expect((await session.send(".env")).deniedPermissions).toEqual([
      {
        toolName: "read_file",
        kind: "read",
        title: "Read .env",
        reason: 'Denied: no rule allows reading ".env", and nobody can approve it here.',
        allowedBy: "read:.env",
        isUnasked: true,
      },
    ]);
  });

  test.each(["policy", () => "allow" as const] as const)(
    "plan mode applies to every evaluator: %p",
    async (evaluate) => {
      const agent = createScriptedAgent({
        workingDirectory: folder,
        evaluatePermission: evaluate,
        script: () => ({ actions: [action, { type: "read-file", path: "README.md" }] }),
      });
      const session = await agent.createSession({ permissionMode: "plan" });
      expect((await session.send("Go")).deniedPermissions).toEqual(
        denied("Denied: in plan mode nothing is changed and no command runs. Only read, and plan."),
      );
    },
  );

  test.each([
    {
      title: "a person's no",
      handler: async () => ({ type: "deny", reason: "Not today." }) as const,
      reason: "Not today.",
    },
    {
      title: "a handler that fails",
      handler: async () => {
        throw new Error("No terminal.");
      },
      reason: "Asking for permission failed: No terminal.",
    },
  ])("$title denies", async ({ handler, reason }) => {
    const { reply } = await run(action, { effect: "ask", onPermissionAsk: handler });
    expect(reply.deniedPermissions).toEqual(denied(reason));
  });

  test("a person's approval lets it run, and an event requests it", async () => {
    const { events } = await run(action, { effect: "ask", onPermissionAsk: async () => ({ type: "allow" }) });
    expect(events.map((event) => event.type)).toEqual(["tool-start", "permission-ask", "tool-end"]);
    expect(events[2]).toMatchObject({ isError: false, output: "hi\n" });
  });

  test("an approval for the session covers the identical call", async () => {
    const asked: (string | undefined)[] = [];
    const agent = createScriptedAgent({
      workingDirectory: folder,
      evaluatePermission: () => "ask",
      script: ({ prompt }) => ({ actions: [{ type: "run-command", command: prompt }] }),
    });
    const session = await agent.createSession({
      onPermissionAsk: async ({ command }) => {
        asked.push(command);
        return { type: "allow", scope: "session" };
      },
    });
    for (const command of ["true", "true", "echo"]) await session.send(command);
    expect(asked).toEqual(["true", "echo"]);
  });

  test("an approval for the session of one sub-agent covers no other one", async () => {
    const asked: string[] = [];
    const agent = createScriptedAgent({
      evaluatePermission: () => "ask",
      script: ({ prompt, subagentId }) =>
        subagentId === undefined ? { actions: [{ type: "run-subagent", prompt }] } : "Done.",
    });
    const session = await agent.createSession({
      onPermissionAsk: async ({ title }) => {
        asked.push(title);
        return { type: "allow", scope: "session" };
      },
    });
    for (const prompt of ["Read.", "Read.", "Write."]) await session.send(prompt);
    expect(asked).toEqual(["Delegate Read.", "Delegate Write."]);
  });

  test("an approval that cannot be stored for the project does not apply to the session either", async () => {
    const agent = createScriptedAgent({ evaluatePermission: () => "ask", script: () => ({ actions: [action] }) });
    const session = await agent.createSession({
      onPermissionAsk: async () => ({ type: "allow", scope: "project" }),
      permissionMemory: {
        isAllowed: async () => false,
        allow: () => Promise.reject(new Error("The disk is full.")),
      },
    });
    const reason = "Asking for permission failed: The disk is full.";
    for (const prompt of ["Once.", "Again."]) {
      expect((await session.send(prompt)).deniedPermissions).toEqual(denied(reason));
    }
  });

  test("without an evaluator everything is allowed; with one it gets an empty policy when the session has none", async () => {
    const script = () => ({ actions: [action] });
    const free = await createScriptedAgent({ script }).createSession({ permissions: { rules: [], otherwise: "deny" } });
    expect((await free.send("Go")).toolUses).toBe(1);
    const policies: unknown[] = [];
    const evaluatePermission = (policy: unknown): PermissionEffect => {
      policies.push(policy);
      return "deny";
    };
    await (await createScriptedAgent({ script, evaluatePermission }).createSession()).send("Go");
    expect(policies).toEqual([{ rules: [] }]);
  });
});

describe("an abort", () => {
  test("kills a running command with everything it started, and closes the tool call", async () => {
    const command = "sleep 300 & echo $! $$ > pids; touch started; wait";
    const agent = createScriptedAgent({
      workingDirectory: folder,
      script: () => ({ actions: [{ type: "run-command", command }] }),
    });
    const session = await agent.createSession();
    const types: string[] = [];
    const turn = (async () => {
      for await (const event of session.stream("Go"))
        types.push(event.type === "turn-end" ? event.outcome : event.type);
    })();
    await waitUntil(() => existsSync(join(folder, "started")), "the command does not run");
    await session.abort();
    await turn;
    expect(types).toEqual(["turn-start", "tool-start", "tool-end", "aborted"]);
    const pids = (await readFile(join(folder, "pids"), "utf8")).trim().split(" ").map(Number);
    expect(pids).toHaveLength(2);
    await waitUntil(
      () => !pids.some(isRunning),
      () => `running still: ${pids.filter(isRunning).join(", ")}`,
    );
  });

  test("rejects a tool call whose handler does not listen", async () => {
    const agent = createScriptedAgent({
      script: () => ({ actions: [{ type: "call-tool", name: "hang", input: {} }] }),
    });
    const called = Promise.withResolvers<AbortSignal>();
    agent.registerTool({
      name: "hang",
      description: "",
      inputSchema: {},
      handler: (_input, { abort }) => {
        called.resolve(abort);
        return new Promise(() => undefined);
      },
    });
    const session = await agent.createSession();
    const failure = session.send("Go").catch((error: unknown) => error);
    const signal = await called.promise;
    await session.abort();
    expect(await failure).toMatchObject({ name: "AbortError" });
    expect(signal.aborted).toBe(true);
  });
});

test("a command does not outlive the process of its agent", async () => {
  const script = join(import.meta.dirname, "../fixtures/command-turn.ts");
  const command = "sleep 300 & echo $! $$ > orphans; touch orphaned; wait";
  const parent = spawn(process.execPath, [script, command], { cwd: folder, stdio: "ignore" });
  await waitUntil(() => existsSync(join(folder, "orphaned")), "the command does not run");
  parent.kill("SIGKILL");
  const pids = (await readFile(join(folder, "orphans"), "utf8")).trim().split(" ").map(Number);
  expect(pids).toHaveLength(2);
  await waitUntil(
    () => !pids.some(isRunning),
    () => `running still: ${pids.filter(isRunning).join(", ")}`,
  );
});

/** A killed process that its new parent has not reaped yet is a zombie and does not run. */
function isRunning(pid: number): boolean {
  const { stdout } = Bun.spawnSync(["ps", "-o", "stat=", "-p", String(pid)]);
  const state = stdout.toString().trim();
  return state !== "" && !state.startsWith("Z");
}
