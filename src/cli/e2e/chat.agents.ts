import { afterEach, beforeEach, expect, test } from "bun:test";
import { type ModelServer, startModelServer } from "../../testkit/index.ts";
import type { PtyScreen } from "../../tui/fixtures/pty-screen.ts";
import { leaveChat, openChat, pressUntil, SLOW } from "./fixtures/chat-terminal.ts";
import { Sandbox } from "./fixtures/sandbox.ts";
import { useScriptedModel } from "./fixtures/vendor-agents.ts";

let model: ModelServer;
let sandbox: Sandbox;
let terminal: PtyScreen | undefined;

beforeEach(async () => {
  model = await startModelServer({ script: () => ({ type: "message", text: "Hello." }) });
  sandbox = await Sandbox.create();
  await useScriptedModel(sandbox, model);
});
afterEach(async () => {
  terminal?.close();
  await model.stop();
  await sandbox.remove();
});

test.each([{ agent: "opencode" }, { agent: "claude" }])(
  "$agent answers in the chat, is denied a command, receives a queued message, and leaves the terminal as it was",
  async ({ agent }) => {
    const name = agent === "claude" ? "Bash" : "bash";
    model.setScript(({ messages }) => {
      const last = messages.findLast(({ role }) => role === "user" || role === "tool");
      if (last?.role === "tool") return { type: "message", text: "The command was **denied**." };
      if (last?.text.includes("And now?") === true) return { type: "message", text: "And the second answer." };
      const call = { name, input: { command: "npm run secret-check", description: "Test" } };
      return { type: "message", text: "I will run the tests.", toolCalls: [call] };
    });
    const chat = openChat(sandbox, ["--agent", agent]);
    terminal = chat;
    await chat.until(/Ask anything/, SLOW);
    expect(chat.modes().on).toContain(1049);
    chat.type("Run the tests");
    chat.press("enter");
    await chat.until(/npm run secret-check[\s\S]*Yes, once/, SLOW);
    await pressUntil(chat, "escape", /The command was denied\./);
    await chat.until(/Ask anything/, SLOW);
    chat.type("And now?");
    chat.press("enter");
    const shown = await chat.until(/And the second answer\./, SLOW);
    expect(shown).toContain("> And now?");
    chat.resize(40, 16);
    await chat.until(/ ╭─{36}╮\n/, SLOW);
    expect(chat.screen()).toContain("And the second answer.");
    expect(await leaveChat(chat)).toBe(0);
    expect(chat.modes().on).not.toContain(1049);
    expect(chat.screen().replaceAll("\n", "")).toContain(`--agent ${agent}`);
  },
);
