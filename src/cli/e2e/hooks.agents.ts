import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type ModelServer, type ModelToolCall, scriptConversation, startModelServer } from "../../testkit/index.ts";
import { Sandbox } from "./fixtures/sandbox.ts";
import { useScriptedModel } from "./fixtures/vendor-agents.ts";

/** An agent, and how its model runs a command. */
const AGENTS: readonly { readonly agent: string; readonly bash: (command: string) => ModelToolCall }[] = [
  { agent: "opencode", bash: (command) => ({ name: "bash", input: { command, description: "Run it" } }) },
  { agent: "claude", bash: (command) => ({ name: "Bash", input: { command, description: "Run it" } }) },
  { agent: "copilot", bash: (command) => ({ name: "bash", input: { command, description: "Run it" } }) },
];

let model: ModelServer;
let sandbox: Sandbox;

beforeEach(async () => {
  model = await startModelServer({ script: () => ({ type: "message", text: "Hello." }) });
  sandbox = await Sandbox.create();
  await useScriptedModel(sandbox, model);
});
afterEach(async () => {
  await sandbox.remove();
  await model.stop();
});

const NOTE = 'cat >> "$CLAUDE_PROJECT_DIR"/';

const CLAUDE_GUARD = `#!/usr/bin/env node
const call = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
const { command } = call.tool_input;
if (command.includes("forbidden")) {
  console.error("Claude's guard says no.");
  process.exit(2);
}
if (command === "touch before") {
  const updatedInput = { ...call.tool_input, command: "touch after" };
  console.log(JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput } }));
}
`;

const COPILOT_GUARD = `#!/bin/bash
input=$(cat)
if [[ "$input" == *secret* ]]; then
  echo '{"permissionDecision":"deny","permissionDecisionReason":"Copilot guard says no."}'
fi
`;

async function writeHooks(): Promise<void> {
  const claude = {
    UserPromptSubmit: [{ hooks: [{ type: "command", command: `${NOTE}claude.jsonl` }] }],
    PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "node .claude/hooks/guard.cjs" }] }],
  };
  const copilot = {
    userPromptSubmitted: [{ type: "command", bash: `${NOTE}copilot.jsonl` }],
    preToolUse: [{ type: "command", bash: "bash .github/hooks/guard.sh" }],
  };
  await sandbox.write({
    ".claude/settings.json": JSON.stringify({ hooks: claude }),
    ".claude/hooks/guard.cjs": CLAUDE_GUARD,
    ".github/hooks/hooks.json": JSON.stringify({ version: 1, hooks: copilot }),
    ".github/hooks/guard.sh": COPILOT_GUARD,
  });
}

async function countLines(name: string): Promise<number> {
  const text = await readFile(join(sandbox.project, name), "utf8").catch(() => "");
  return text.split("{").length - 1;
}

describe.each([...AGENTS])("with $agent", ({ agent, bash }) => {
  test("the project's hooks for Claude Code and Copilot run once, deny and change calls", async () => {
    await writeHooks();
    model.setScript(
      scriptConversation([
        { type: "message", toolCalls: [bash("touch forbidden")] },
        { type: "message", toolCalls: [bash("touch secret")] },
        { type: "message", toolCalls: [bash("touch before")] },
        { type: "message", text: "Done." },
      ]),
    );
    const args = ["-p", "Touch them.", "--agent", agent, "--trust", "--allow", "shell:touch *", "--json"];
    const { exitCode, stdout } = await sandbox.atomic(...args);
    const made = ["forbidden", "secret", "before", "after"].filter((name) => existsSync(join(sandbox.project, name)));
    // Copilot itself runs both files: it denies a call that its own hooks change, and has its own words for exit code 2.
    const isOwn = agent === "copilot";
    expect({ exitCode, made }).toEqual({ exitCode: 0, made: isOwn ? [] : ["after"] });
    const says = ["Claude's guard says no.", "Copilot guard says no."].map((reason) => stdout.includes(reason));
    expect(says).toEqual([!isOwn, true]);
    expect([await countLines("claude.jsonl"), await countLines("copilot.jsonl")]).toEqual([1, 1]);
  });

  test("what a hook allows still passes the policy", async () => {
    const allow = `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'`;
    await sandbox.write({
      ".claude/settings.json": JSON.stringify({
        hooks: { PreToolUse: [{ hooks: [{ type: "command", command: allow }] }] },
      }),
      ".github/hooks/a.json": JSON.stringify({
        version: 1,
        hooks: { preToolUse: [{ type: "command", bash: `echo '{"permissionDecision":"allow"}'` }] },
      }),
    });
    model.setScript(
      scriptConversation([
        { type: "message", toolCalls: [bash("touch made")] },
        { type: "message", text: "Done." },
      ]),
    );
    const { exitCode } = await sandbox.atomic("-p", "Touch it.", "--agent", agent, "--trust", "--json");
    expect([exitCode, existsSync(join(sandbox.project, "made"))]).toEqual([0, false]);
  });
});

test("a plugin of OpenCode guards Claude Code, and runs once with OpenCode itself", async () => {
  await sandbox.write({
    ".opencode/plugin/guard.ts": `
      import { appendFileSync } from "node:fs";
      export const Guard = async ({ directory }) => ({
        "tool.execute.before": async (input, output) => {
          appendFileSync(directory + "/calls.txt", input.tool + "{");
          if (output.args.command.includes("forbidden")) throw new Error("The plugin says no.");
        },
      });`,
  });
  for (const { agent, bash } of AGENTS.slice(0, 2)) {
    model.setScript(
      scriptConversation([
        { type: "message", toolCalls: [bash("touch forbidden")] },
        { type: "message", text: "Done." },
      ]),
    );
    const args = ["-p", "Touch it.", "--agent", agent, "--trust", "--allow", "shell:touch *", "--json"];
    const { exitCode, stdout } = await sandbox.atomic(...args);
    expect([exitCode, stdout.includes("The plugin says no.")]).toEqual([0, true]);
  }
  expect(await readFile(join(sandbox.project, "calls.txt"), "utf8")).toBe("bash{bash{");
  expect(existsSync(join(sandbox.project, "forbidden"))).toBe(false);
});
