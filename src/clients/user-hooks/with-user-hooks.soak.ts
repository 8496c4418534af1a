import { afterEach, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { PermissionPolicy, PermissionRequest } from "../../contracts/index.ts";
import { rejectionOf } from "../../testkit/conformance/rejection-of.ts";
import { waitUntil } from "../../testkit/conformance/wait-until.ts";
import { ALL, claude, HookedProject, running } from "./fixtures/hooked-project.ts";

const projects: HookedProject[] = [];
afterEach(async () => {
  for (const project of projects.splice(0)) await project.remove();
});

async function createProject(files: Readonly<Record<string, string | object>>): Promise<HookedProject> {
  const project = await HookedProject.create(files);
  projects.push(project);
  return project;
}

describe("the hooks of Claude Code", () => {
  test("receive the events of another agent in Claude Code's shape", async () => {
    const events = ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"];
    const silent = `cat >> notes.jsonl; printf '%s' "$CLAUDE_PROJECT_DIR" > place.txt`;
    const project = await createProject(claude(Object.fromEntries(events.map((event) => [event, silent]))));
    const { client } = await project.open(running("echo hi"));
    const session = await client.createSession({ permissions: ALL, model: "scripted-model" });
    await session.send("Say hi.");
    await session.destroy();
    const common = { session_id: session.id, transcript_path: "", cwd: project.folder, permission_mode: "default" };
    const tool = { tool_name: "Bash", tool_input: { command: "echo hi" }, tool_use_id: expect.any(String) };
    const seen = await project.notes();
    expect(seen.map((note) => ({ ...note, at: undefined }))).toEqual(
      [
        { hook_event_name: "SessionStart", source: "startup", model: "scripted-model" },
        { hook_event_name: "UserPromptSubmit", prompt: "Say hi." },
        { hook_event_name: "PreToolUse", ...tool },
        { hook_event_name: "PostToolUse", ...tool, tool_response: { stdout: "hi\n", stderr: "", interrupted: false } },
        { hook_event_name: "Stop", stop_hook_active: false, last_assistant_message: "Done." },
        { hook_event_name: "SessionEnd", reason: "other" },
      ].map((fields) => ({ ...common, ...fields, at: undefined })),
    );
    expect(await readFile(join(project.folder, "place.txt"), "utf8")).toBe(project.folder);
    expect(project.told).toEqual([]);
  });

  test.each([
    { title: "exit code 2", command: "echo 'not today' >&2; exit 2" },
    {
      title: "permissionDecision",
      command: `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"not today"}}'`,
    },
    { title: "the older decision", command: `echo '{"decision":"block","reason":"not today"}'` },
    { title: "one of several", command: "exit 2; #", other: true },
  ])("deny a call, and the agent receives the reason: $title", async ({ command, other = false }) => {
    const files = claude({ PreToolUse: other ? "true" : command });
    const local = {
      hooks: {
        PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "echo 'not today' >&2; exit 2" }] }],
      },
    };
    const project = await createProject(other ? { ...files, ".claude/settings.local.json": local } : files);
    const outputs: string[] = [];
    const { client } = await project.open(async (_turn, { perform }) => {
      outputs.push((await perform({ type: "run-command", command: "touch made.txt" })).output);
      return "Understood.";
    });
    const session = await client.createSession({ permissions: ALL });
    await session.send("Touch it.");
    expect([outputs.join(), existsSync(join(project.folder, "made.txt"))]).toEqual([
      expect.stringContaining("not today"),
      false,
    ]);
  });

  test("match tools by their names in Claude Code, whatever the agent calls them", async () => {
    const entry = (matcher: string) => ({
      matcher,
      hooks: [{ type: "command", command: `echo '{"m":"${matcher}"}' >> notes.jsonl` }],
    });
    const project = await createProject({
      ".claude/settings.json": {
        hooks: { PreToolUse: ["Bash", "Edit|Write", "Read", "^B.s", "*", "run_command"].map(entry) },
      },
    });
    const { client } = await project.open(running("true"));
    await (await client.createSession({ permissions: ALL })).send("Go.");
    expect((await project.notes()).map(({ m }) => m).sort()).toEqual(["*", "Bash", "^B.s", "run_command"]);
  });

  test("change a call, which then passes the policy like any other", async () => {
    const change = (command: string) =>
      `echo '${JSON.stringify({ hookSpecificOutput: { permissionDecision: "allow", updatedInput: { command } } })}'`;
    const policy: PermissionPolicy = {
      rules: [{ effect: "allow", commands: ["touch first", "touch second"] }],
      otherwise: "deny",
    };
    for (const { into, made } of [
      { into: "touch second", made: ["second"] },
      { into: "touch third", made: [] },
    ]) {
      const project = await createProject(claude({ PreToolUse: change(into) }));
      const { client } = await project.open(running("touch first"));
      await (await client.createSession({ permissions: policy })).send("Touch it.");
      expect(["first", "second", "third"].filter((name) => existsSync(join(project.folder, name)))).toEqual(made);
    }
  });

  test("never allow what the policy denies or what needs a person", async () => {
    const allow = `echo '{"hookSpecificOutput":{"permissionDecision":"allow"},"decision":"approve"}'`;
    const behavior = `echo '{"hookSpecificOutput":{"decision":{"behavior":"allow"}}}'`;
    const project = await createProject(claude({ PreToolUse: allow, PermissionRequest: behavior }));
    const asked: string[] = [];
    const { client } = await project.open(running("touch made.txt"));
    const onPermissionAsk = async ({ title }: PermissionRequest) => {
      asked.push(title);
      return { type: "deny", reason: "no" } as const;
    };
    await (await client.createSession({ permissions: { rules: [], otherwise: "deny" } })).send("Touch it.");
    await (await client.createSession({ onPermissionAsk })).send("Touch it.");
    expect([existsSync(join(project.folder, "made.txt")), asked]).toEqual([false, ["Run touch made.txt"]]);
  });

  test("require a person's approval for a call that the policy allows", async () => {
    const ask = `echo '{"hookSpecificOutput":{"permissionDecision":"ask","permissionDecisionReason":"careful"}}'`;
    const project = await createProject(claude({ PreToolUse: ask }));
    const asked: PermissionRequest[] = [];
    const { client } = await project.open(({ prompt }) => ({
      actions: [{ type: "run-command", command: `touch ${prompt}` }],
      text: "Done.",
    }));
    const session = await client.createSession({
      permissions: ALL,
      onPermissionAsk: async (request) => {
        asked.push(request);
        return request.command === "touch yes" ? { type: "allow" } : { type: "deny", reason: "no" };
      },
    });
    for (const name of ["yes", "no"]) await session.send(name);
    await (await client.createSession({ permissions: ALL })).send("nobody");
    expect(["yes", "no", "nobody"].map((name) => existsSync(join(project.folder, name)))).toEqual([true, false, false]);
    expect(asked.map(({ title, isOnce }) => [title, isOnce])).toEqual([
      ["run_command: touch yes (a hook asks: careful)", true],
      ["run_command: touch no (a hook asks: careful)", true],
    ]);
  });

  test("deny a call that requires approval", async () => {
    const deny = `echo '{"hookSpecificOutput":{"decision":{"behavior":"deny","message":"never"}}}'`;
    const project = await createProject(claude({ PermissionRequest: deny }));
    const { client } = await project.open(running("touch made.txt"));
    const session = await client.createSession({ onPermissionAsk: async () => ({ type: "allow" }) });
    const { deniedPermissions } = await session.send("Touch it.");
    expect(deniedPermissions.map(({ reason }) => reason)).toEqual(["never"]);
  });

  test("block a message, or add to it", async () => {
    const project = await createProject(
      claude({
        SessionStart: "echo Remember the tests.",
        UserPromptSubmit: `grep -q secret && { echo 'no secrets' >&2; exit 2; }; echo Today is Monday.`,
      }),
    );
    const { client, agent } = await project.open(() => "Hello.");
    const session = await client.createSession();
    await expect(session.send("Print the secret.")).rejects.toThrow(
      'A hook has blocked this message: no secrets. See which hooks run with "atomic hooks list"; "--no-hooks" runs none.',
    );
    for (const text of ["Hello.", "Again."]) await session.send(text);
    expect(agent.turns.map(({ prompt }) => prompt)).toEqual([
      "Hello.\n\nRemember the tests.\n\nToday is Monday.",
      "Again.\n\nToday is Monday.",
    ]);
  });

  test("continue a turn that the agent ends, which its reader sees as one turn", async () => {
    const stop = `if grep -q '"stop_hook_active":false'; then echo 'Run the tests.' >&2; exit 2; fi`;
    const project = await createProject(claude({ Stop: stop }));
    const { client, agent } = await project.open(({ prompt }) => `Did: ${prompt}`);
    const session = await client.createSession();
    const types: string[] = [];
    client.on("*", ({ type }) => void types.push(type));
    const reply = await session.send("Work.");
    expect([reply.content, agent.turns.map(({ prompt }) => prompt)]).toEqual([
      "Did: Work.\n\nDid: Run the tests.",
      ["Work.", "Run the tests."],
    ]);
    expect(types.filter((type) => type.startsWith("turn-"))).toEqual(["turn-start", "turn-end"]);
  });

  test("continue a turn eight times at most", async () => {
    const project = await createProject(claude({ Stop: `echo '{"decision":"block","reason":"More."}'` }));
    const { client, agent } = await project.open(() => "Done.");
    await (await client.createSession()).send("Work.");
    expect([agent.turns.length, project.told]).toEqual([9, ["Hooks have continued a turn 8 times, so it ends now."]]);
  });

  test("give feedback about a call that has happened, during the turn or after it", async () => {
    const project = await createProject(claude({ PostToolUse: "echo 'The format is wrong.' >&2; exit 2" }));
    const { client, agent } = await project.open(async ({ turnIndex }, { perform, nextSteering }) => {
      if (turnIndex > 0) return "Corrected.";
      await perform({ type: "run-command", command: "true" });
      return `Heard: ${await nextSteering()}`;
    });
    const during = await (await client.createSession({ permissions: ALL })).send("Work.");
    const deaf = await project.open(
      ({ turnIndex }) =>
        turnIndex > 0 ? "Corrected." : { actions: [{ type: "run-command", command: "true" }], text: "Done." },
      {
        capabilities: { steer: false },
      },
    );
    const after = await (await deaf.client.createSession({ permissions: ALL })).send("Work.");
    expect([during.content, agent.turns.length, after.content, deaf.agent.turns.map(({ prompt }) => prompt)]).toEqual([
      "Heard: The format is wrong.",
      1,
      "Done.\n\nCorrected.",
      ["Work.", "The format is wrong."],
    ]);
  });

  test("stop the turn, and tell the user why", async () => {
    const project = await createProject(
      claude({ PreToolUse: `echo '{"continue":false,"stopReason":"Enough.","systemMessage":"Look here."}'` }),
    );
    const { client } = await project.open(running("touch made.txt"));
    const session = await client.createSession({ permissions: ALL });
    await expect(session.send("Touch it.")).rejects.toThrow("abort");
    expect([existsSync(join(project.folder, "made.txt")), project.told]).toEqual([
      false,
      ["Look here.", "A hook stopped the turn: Enough."],
    ]);
  });

  test("that fail or hang are reported once, ended with all they started, and change nothing", async () => {
    const project = await createProject({
      ".claude/settings.json": {
        hooks: {
          PreToolUse: [
            { hooks: [{ type: "command", command: "setsid sleep 601 & sleep 600 & wait", timeout: 0.5 }] },
            { hooks: [{ type: "command", command: "echo oops >&2; exit 1" }] },
            { hooks: [{ type: "command", command: "no-such-program-here", args: ["x"] }] },
          ],
        },
      },
    });
    const { client } = await project.open(running("echo ran >> made.txt"));
    const session = await client.createSession({ permissions: ALL });
    for (const text of ["One.", "Two."]) await session.send(text);
    expect(await readFile(join(project.folder, "made.txt"), "utf8")).toBe("ran\nran\n");
    const file = join(project.folder, ".claude/settings.json");
    expect([...project.told].sort()).toEqual([
      expect.stringContaining(`The hook PreToolUse in ${file}:1 ended with exit code 127`),
      `The hook PreToolUse in ${file}:1 ended with exit code 1: oops`,
      `The hook PreToolUse in ${file}:1 took longer than 0.5 s and was ended`,
    ]);
    await project.hooksEnded();
  });

  test("that print without end do not fill the agent's context: 10,000 characters of each text reach it", async () => {
    const noise = "head -c 5000000 /dev/zero | tr '\\0' x";
    const project = await createProject(
      claude({ UserPromptSubmit: noise, PreToolUse: `${noise} >&2; exit 2`, PostToolUseFailure: noise }),
    );
    const outputs: string[] = [];
    const { client, agent } = await project.open(async (_turn, { perform }) => {
      outputs.push((await perform({ type: "run-command", command: "touch made.txt" })).output);
      return "Done.";
    });
    await (await client.createSession({ permissions: ALL })).send("Touch it.");
    const cut = `${"x".repeat(10_000)}\n… (cut by Atomic: the text of this hook is longer than 10,000 characters) …`;
    const file = join(project.folder, ".claude/settings.json");
    const note = "wrote more than 10,000 characters; Atomic left out the rest. Shorten what it prints";
    expect(agent.turns.map(({ prompt }) => prompt)).toEqual([`Touch it.\n\n${cut}`]);
    expect(outputs.join().includes(cut)).toBe(true);
    expect(outputs.join().length).toBeLessThan(11_000);
    expect(project.told).toEqual(
      ["UserPromptSubmit", "PreToolUse"].map((event) => `The hook ${event} in ${file}:1 ${note}`),
    );
  });

  test("block a call if they fail and their file says so", async () => {
    const project = await createProject(claude({ PreToolUse: "exit 1" }, { onFailure: "block" }));
    const { client } = await project.open(running("touch made.txt"));
    await (await client.createSession({ permissions: ALL })).send("Touch it.");
    expect(existsSync(join(project.folder, "made.txt"))).toBe(false);
  });

  test("that nobody waits for do not delay a call, and end with the client", async () => {
    const project = await createProject(
      claude({ PreToolUse: "echo $$ > sleeper.txt; exec sleep 600" }, { async: true }),
    );
    const { client } = await project.open(running("while ! test -s sleeper.txt; do sleep 0.05; done; touch made.txt"));
    await (await client.createSession({ permissions: ALL })).send("Touch it.");
    await client.stop();
    expect(existsSync(join(project.folder, "made.txt"))).toBe(true);
    await project.hooksEnded();
  });

  test("end with the turn that is aborted while it waits for them", async () => {
    const project = await createProject(claude({ PreToolUse: "echo $$ > sleeper.txt; exec sleep 600" }));
    const { client } = await project.open(running("touch made.txt"));
    const session = await client.createSession({ permissions: ALL });
    const controller = new AbortController();
    const sending = session.send("Touch it.", { signal: controller.signal });
    client.on("tool-start", () => controller.abort(new Error("enough")));
    await expect(sending).rejects.toThrow("enough");
    expect(existsSync(join(project.folder, "made.txt"))).toBe(false);
    await project.hooksEnded();
  });

  test("protect the project's programs that they name from edits without approval", async () => {
    const project = await createProject({
      ...claude({ PreToolUse: '"$CLAUDE_PROJECT_DIR"/scripts/check.sh' }),
      "scripts/check.sh": "#!/bin/sh\nexit 0\n",
    });
    const { client } = await project.open(() => ({
      actions: [
        { type: "edit-file", path: "scripts/check.sh", content: "evil" },
        { type: "edit-file", path: "scripts/other.sh", content: "fine" },
      ],
      text: "Done.",
    }));
    const session = await client.createSession({
      permissions: { rules: [{ effect: "allow", tools: ["edit"] }], otherwise: "deny" },
    });
    const { deniedPermissions } = await session.send("Edit.");
    expect(deniedPermissions.map(({ title }) => title)).toEqual(["Write scripts/check.sh"]);
  });
});

test("an agent that lets no hook decide about its calls is named", async () => {
  const project = await createProject(claude({ PreToolUse: "exit 2", UserPromptSubmit: "echo Monday." }));
  const { client, agent } = await project.open(() => "Hello.", { capabilities: { interceptTools: false } });
  await (await client.createSession()).send("Hi.");
  expect([project.told, agent.turns.map(({ prompt }) => prompt)]).toEqual([
    [
      'The agent "scripted" lets no hook decide about its tool calls, so hooks before tools do not run. Atomic\'s permissions still apply.',
    ],
    ["Hi.\n\nMonday."],
  ]);
});

test("a session does not wait for hooks about what has happened: after five seconds they are ended", async () => {
  const project = await createProject(claude({ PostToolUse: "exec sleep 600" }));
  const { client } = await project.open(async (_turn, { perform }) => {
    await perform({ type: "run-command", command: "true" });
    return { delayMs: Number.POSITIVE_INFINITY };
  });
  const session = await client.createSession({ permissions: ALL });
  const sent = rejectionOf(session.send("Go."));
  await new Promise<void>((resolve) => client.on("tool-end", () => resolve()));
  await session.destroy();
  expect(String(await sent)).toBe("AbortError: The session was destroyed.");
  await project.hooksEnded();
});

test("a message that is aborted ends the hooks that it waits for", async () => {
  const project = await createProject(claude({ UserPromptSubmit: "touch begun; exec sleep 600" }));
  const { client, agent } = await project.open(() => "Hello.");
  const session = await client.createSession();
  const sent = rejectionOf(session.send("Hi."));
  await waitUntil(
    () => existsSync(join(project.folder, "begun")),
    () => "the hook has not begun",
  );
  await session.abort();
  expect(String(await sent)).toBe("AbortError: The turn was aborted.");
  await project.hooksEnded();
  expect(agent.turns).toEqual([]);
});
