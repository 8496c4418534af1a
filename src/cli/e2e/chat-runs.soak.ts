import { afterEach, beforeEach, expect, test } from "bun:test";
import type { PtyScreen } from "../../tui/fixtures/pty-screen.ts";
import { leaveChat, openChat, pressUntil, SLOW } from "./fixtures/chat-terminal.ts";
import { Sandbox } from "./fixtures/sandbox.ts";

const GATE = `
  import { agentNode, annotation, askUserNode, defineState, graph } from "@bastani/atomic/graph";
  const State = defineState({ prompt: annotation(""), answer: annotation("") });
  export const name = "gate-it";
  export const description = "Asks before it works";
  export default () => graph(State)
    .start(agentNode({ id: "look", prompt: "Look around" }))
    .then(askUserNode({ id: "gate", prompt: "Ship the cart?", options: ["yes", "no"], outputMapper: (answer) => ({ answer: String(answer) }) }))
    .then(agentNode({ id: "ship", prompt: ({ state }) => "Ship it: " + state.answer }))
    .end().compile();
`;

let sandbox: Sandbox;
let terminal: PtyScreen | undefined;

beforeEach(async () => {
  sandbox = await Sandbox.create();
});
afterEach(async () => {
  terminal?.close();
  await sandbox.remove();
});

function submit(chat: PtyScreen, text: string): void {
  chat.type(text);
  chat.press("enter");
}

test(
  "a run that the chat started asks, continues without the chat, and is answered from the inbox of another one",
  async () => {
    await sandbox.write({ ".atomic/workflows/gate.ts": GATE });
    await sandbox.atomic("workflows", "list", "--trust");
    const first = openChat(sandbox, ["--agent", "scripted"], { columns: 100, rows: 30 });
    terminal = first;
    await first.until(/Ask anything/, SLOW);
    await first.until(() => true);
    submit(first, "/gate-it now");
    const shown = await first.until(/gate-it {2}\w{12}[\s\S]*Graph/, SLOW);
    const [, runId = ""] = /gate-it {2}(\w{12})/.exec(shown) ?? [];
    await first.until(/\? 1 question|asks you|waits for you/, SLOW);
    await pressUntil(first, "escape", /Ask anything/);
    expect(await leaveChat(first)).toBe(0);
    first.close();

    const second = openChat(sandbox, ["--agent", "scripted"], { columns: 60, rows: 24 });
    terminal = second;
    await second.until(/Ask anything/, SLOW);
    submit(second, "/inbox");
    await second.until(/Waiting for you[\s\S]*Ship the cart\?/, SLOW);
    await pressUntil(second, "enter", /yes[\s\S]*no/);
    await pressUntil(second, "enter", /Nothing waits for you/);
    const { stdout, exitCode } = await sandbox.atomic("runs", "watch", runId);
    expect({ exitCode, isShipped: stdout.includes("Scripted answer to: Ship it: yes") }).toEqual({
      ...{ exitCode: 0, isShipped: true },
    });
    submit(second, "\u001b[27u");
    expect(await leaveChat(second)).toBe(0);
  },
  { timeout: 240_000 },
);

test(
  "Ralph works with four workers, and its screen survives 40 columns",
  async () => {
    await sandbox.shell(
      "git init -q && git config user.name a && git config user.email a@b && git commit -q --allow-empty -m one",
    );
    const chat = openChat(sandbox, ["--agent", "scripted"], { columns: 100, rows: 30 });
    terminal = chat;
    await chat.until(/Ask anything/, SLOW);
    submit(chat, "/ralph Add a greeting");
    await chat.until(/ralph {2}\w{12}[\s\S]*Agents/, SLOW);
    chat.resize(40, 20);
    await chat.until((text) => /ralph/.test(text) && text.split("\n").every((line) => line.length <= 40), SLOW);
    chat.resize(100, 30);
    await chat.until(/✓ ralph|completed/, { timeoutMs: 120_000 });
    await pressUntil(chat, "escape", /Ask anything/);
    expect(await leaveChat(chat)).toBe(0);
    expect(chat.modes().on).not.toContain(1049);
  },
  { timeout: 240_000 },
);

test(
  "in the inline mode, the scrollback has every finished message once",
  async () => {
    const chat = openChat(sandbox, ["--agent", "scripted", "--inline"], { columns: 80, rows: 20 });
    terminal = chat;
    await chat.until(/Ask anything/, SLOW);
    for (let index = 1; index <= 15; index++) {
      submit(chat, `message number ${index}.`);
      await chat.until(new RegExp(`Scripted answer to: message number ${index}\\.`), SLOW);
    }
    expect(await leaveChat(chat)).toBe(0);
    const text = chat.scrollback();
    const counts = Array.from(
      { length: 15 },
      (_, index) => text.split(`answer to: message number ${index + 1}.`).length - 1,
    );
    expect(counts).toEqual(Array.from({ length: 15 }, () => 1));
    expect(chat.modes().on).toEqual([7, 25]);
  },
  { timeout: 240_000 },
);
