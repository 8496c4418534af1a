import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PtyScreen } from "../../tui/fixtures/pty-screen.ts";
import { Sandbox } from "./fixtures/sandbox.ts";

/** A start compiles Atomic's files the first time. */
const SLOW = { timeoutMs: 40_000 };

let sandbox: Sandbox;
let screen: PtyScreen;

beforeEach(async () => {
  sandbox = await Sandbox.create();
});
afterEach(async () => {
  screen.close();
  await sandbox.remove();
});

function open(...args: readonly string[]): PtyScreen {
  const { env, project: workingDirectory, program } = sandbox;
  screen = new PtyScreen([program, ...args], { env: { ...env, CI: "" }, workingDirectory });
  return screen;
}

async function submit(text: string): Promise<void> {
  screen.type(text);
  await screen.until((shown) => shown.includes(text));
  screen.press("enter");
}

test(
  "atomic in a terminal opens the chat, which talks to the agent, runs commands, and leaves the terminal as it was",
  async () => {
    open("--agent", "scripted", "--yolo");
    await screen.until(/\? keys/, SLOW);
    await submit("hello there");
    await screen.until(/Scripted answer to: hello there/);
    await submit("!echo $((40 + 2)) from the shell");
    await screen.until(/42 from the shell/);
    await submit("/permissions");
    await screen.until(/everything outside of the working directory/);
    await submit("/exit");
    expect(await screen.exit(SLOW)).toBe(0);
    const history = await readFile(join(sandbox.atomicHome, "chat/history.jsonl"), "utf8");
    expect(history.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line).message]))).toContain(
      "hello there",
    );
    const { on, kittyFlags, savedTitles } = screen.modes();
    expect({ on, kittyFlags, savedTitles }).toEqual({ on: [7, 25], kittyFlags: [], savedTitles: 0 });
  },
  { timeout: 120_000 },
);

test(
  "a long text that the terminal sends as keys is one attachment, and the chat stays fast",
  async () => {
    open("--agent", "scripted", "--yolo");
    await screen.until(/\? keys/, SLOW);
    const lines = Array.from({ length: 400 }, (_, index) => `line ${index} of a log that somebody pastes here`);
    screen.type(lines.join("\r"));
    await screen.until(/\[pasted text, 400 lines\]/, { timeoutMs: 10_000 });
    screen.press("enter");
    await screen.until(/Scripted answer to: line 0 of a log/);
    await submit("/exit");
    expect(await screen.exit(SLOW)).toBe(0);
    const history = await readFile(join(sandbox.atomicHome, "chat/history.jsonl"), "utf8");
    const messages = history.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line).message]));
    expect(messages).toEqual([lines.join("\n"), "/exit"]);
  },
  { timeout: 120_000 },
);

test.each([
  { mode: "--inline", said: "  > two", answered: "  Scripted answer to: two" },
  { mode: "--plain", said: "two", answered: "scripted: Scripted answer to: two" },
])(
  "after /clear, the new conversation is printed from its start with $mode",
  async ({ mode, said, answered }) => {
    open("--agent", "scripted", "--yolo", mode);
    await screen.until(mode === "--plain" ? /you:/ : /\? keys/, SLOW);
    await submit("one");
    await screen.until(/Scripted answer to: one/);
    await submit("/clear");
    // Lines that arrive together are one message.
    await screen.until((text) => mode === "--inline" || text.trimEnd().endsWith("/clear\nyou:"));
    await submit("two");
    const shown = await screen.until(/Scripted answer to: two/);
    expect(shown.split("\n").map((line) => line.replace(/^you: /, "").trimEnd())).toEqual(
      expect.arrayContaining([said, answered]),
    );
    await submit("/nosuch");
    await screen.until(/There is no command/);
    await submit("/exit");
    expect(await screen.exit(SLOW)).toBe(0);
  },
  { timeout: 120_000 },
);

test(
  "what is typed and sent at the first frame arrives, and the chat without arguments ends at the first frame, too",
  async () => {
    await mkdir(sandbox.atomicHome, { recursive: true });
    await writeFile(join(sandbox.atomicHome, "config.json"), '{"agent": "scripted", "ui": {"theme": "dark"}}');
    open();
    await screen.until(/Ask anything/, SLOW);
    screen.type("sent early\r");
    await screen.until(/> sent early/, SLOW);
    screen.type("/permissions\r");
    await screen.until(/Scripted answer to: sent early/, SLOW);
    await screen.until(/everything outside of the working directory/, SLOW);
    await submit("/exit");
    expect(await screen.exit(SLOW)).toBe(0);
    screen.close();

    open();
    await screen.until(/Ask anything/, SLOW);
    screen.press("ctrl+c");
    screen.press("ctrl+c");
    expect(await screen.exit(SLOW)).toBe(0);
    const { on, kittyFlags, savedTitles } = screen.modes();
    expect({ on, kittyFlags, savedTitles }).toEqual({ on: [7, 25], kittyFlags: [], savedTitles: 0 });
  },
  { timeout: 120_000 },
);

test(
  "a conversation is stored, and a workflow of the chat runs when the chat has ended",
  async () => {
    await sandbox.write({
      ".atomic/workflows/touch.ts": `
        import { annotation, defineState, graph, shellNode } from "@bastani/atomic/graph";
        export const name = "touch-it";
        export const description = "Touches a file";
        export default () => graph(defineState({ prompt: annotation("") }))
          .start(shellNode({ id: "touch", command: "touch made-by-run" })).end().compile();
      `,
    });
    // Checks the file, so that the chat knows it at once.
    await sandbox.atomic("workflows", "list", "--trust");
    open("--agent", "scripted", "--yolo", "--plain");
    await screen.until(/you:/, SLOW);
    await submit("hello there");
    await screen.until(/Scripted answer to: hello there/);
    // On a busy machine, the workflows of files follow a moment after the built-in ones.
    for (let attempts = 1, shown = ""; !shown.includes("as the run"); attempts++) {
      screen.type("/touch-it now\r");
      const isAnswered = (text: string): boolean =>
        text.includes("as the run") || text.split("no command /touch-it").length > attempts;
      shown = await screen.until(isAnswered, SLOW);
    }
    await submit("/exit");
    expect(await screen.exit(SLOW)).toBe(0);
    const stored: unknown = JSON.parse(await readFile(join(sandbox.atomicHome, "chat/conversations.json"), "utf8"));
    expect(stored).toMatchObject({ projects: { [sandbox.project]: [{ agentType: "scripted" }] } });
    const [, runId = ""] = /as the run (\w+)/.exec(screen.scrollback()) ?? [];
    expect((await sandbox.atomic("runs", "watch", runId)).exitCode).toBe(0);
    expect(await Bun.file(join(sandbox.project, "made-by-run")).exists()).toBe(true);
  },
  { timeout: 120_000 },
);

test(
  "a signal ends the plain chat: the conversation is stored and the terminal is as it was",
  async () => {
    open("--agent", "scripted", "--yolo", "--plain");
    await screen.until(/you:/, SLOW);
    await submit("hello there");
    await screen.until(/Scripted answer to: hello there/);
    screen.signal("SIGTERM");
    expect(await screen.exit(SLOW)).toBe(143);
    const stored: unknown = JSON.parse(await readFile(join(sandbox.atomicHome, "chat/conversations.json"), "utf8"));
    expect(stored).toMatchObject({ projects: { [sandbox.project]: [{ preview: "hello there" }] } });
    expect(screen.output.split("\u001b[?2004").slice(1)).toEqual([
      expect.stringMatching(/^h/),
      expect.stringMatching(/^l/),
    ]);
  },
  { timeout: 120_000 },
);
