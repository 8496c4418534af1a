import { afterEach, beforeEach, expect, test } from "bun:test";
import { waitUntil } from "../../testkit/conformance/wait-until.ts";
import type { PtyScreen } from "../../tui/fixtures/pty-screen.ts";
import { leaveChat, openChat, pressUntil, SLOW } from "./fixtures/chat-terminal.ts";
import { Sandbox } from "./fixtures/sandbox.ts";

const GATE = `
  import { agentNode, annotation, askUserNode, defineState, graph } from "@bastani/atomic/graph";
  const State = defineState({ prompt: annotation(""), answer: annotation("") });
  export const name = "gate-it";
  export const description = "Asks before it works";
  export default () => graph(State)
    .start(agentNode({ id: "look", buildMessage: "Look around" }))
    .then(askUserNode({
      id: "gate",
      options: { question: "Ship the cart?", options: [{ label: "yes" }, { label: "no" }] },
      outputMapper: (answer) => ({ answer }),
    }))
    .then(agentNode({ id: "ship", buildMessage: ({ answer }) => "Ship it: " + answer }))
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
    submit(first, "/gate-it now");
    const started = await first.until(/as the run \w{12}/, SLOW);
    const [, runId = ""] = /as the run (\w{12})/.exec(started) ?? [];
    // The chat says that the run waits.
    await first.until(/Ship the cart\?/, SLOW);
    first.press("alt+r");
    await first.until(/gate-it {2}\w{12}/, SLOW);
    await pressUntil(first, "enter", /Graph/);
    await first.until(/Ship the cart\?|asks you|waits/, SLOW);
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
    // A process of its own continues the run.
    const outputOf = async (): Promise<string> => (await sandbox.atomic("runs", "show", runId, "--output")).stdout;
    await waitUntil(async () => (await outputOf()).includes("Ship it: yes"), "the run is not completed");
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
    await chat.until(/as the run \w{12}/, SLOW);
    chat.press("alt+r");
    await chat.until(/ralph {2}\w{12}/, SLOW);
    await pressUntil(chat, "enter", /Graph[\s\S]*Agents/);
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
