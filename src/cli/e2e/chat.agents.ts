import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
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

/** Hearts that terminals draw with one column or two, before what the command is for. */
const COMMAND = `echo ${"\u2764".repeat(41)}; touch made-by-agent`;

/** About 120 words a minute. */
const TYPING_PAUSE_MS = 100;

/** Types as a person does, letter for letter, until the screen fits, and then on to the end of the sentence. */
async function typeThrough(chat: PtyScreen, sentence: string, isWanted: RegExp): Promise<string> {
  let typed = "";
  for (let round = 0; round < 100 && !isWanted.test(chat.screen()); round++) typed += await typeOnce(chat, sentence);
  return typed + (await typeOnce(chat, sentence));
}

async function typeOnce(chat: PtyScreen, sentence: string): Promise<string> {
  for (const letter of sentence) {
    chat.type(letter);
    await Bun.sleep(TYPING_PAUSE_MS);
  }
  return sentence;
}

test("somebody who types while a permission request appears approves nothing, and loses no letter", async () => {
  model.setScript(({ messages }) => {
    const last = messages.findLast(({ role }) => role === "user" || role === "tool");
    if (last?.role === "tool") return { type: "message", text: "It was done." };
    const call = { name: "Bash", input: { command: COMMAND, description: "Test" } };
    return { type: "message", text: "I will touch a file.", toolCalls: [call] };
  });
  const chat = openChat(sandbox, ["--agent", "claude"], { columns: 100, rows: 40 });
  terminal = chat;
  await chat.until(/Ask anything/, SLOW);
  chat.type("Touch a file");
  chat.press("enter");
  await chat.until(/Touch a file/, SLOW);
  const typed = await typeThrough(chat, "try y only, yes y. ", /Yes, once/);
  const dialog = await chat.until(/Yes, once/, SLOW);
  expect(dialog.replace(/[^\w\\;-]/g, "")).toContain(`echo${"\\u2764".repeat(41)};touchmade-by-agent`);
  expect(existsSync(join(sandbox.project, "made-by-agent"))).toBe(false);
  await pressUntil(chat, "y", /It was done\./);
  expect(existsSync(join(sandbox.project, "made-by-agent"))).toBe(true);
  const left = await chat.until(/Ask anything|try y only/, SLOW);
  expect(left.replace(/[^a-z.,]/g, "")).toContain(typed.replaceAll(" ", ""));
  expect(chat.output).not.toContain("MaxListeners");
  expect(await leaveChat(chat)).toBe(0);
});
