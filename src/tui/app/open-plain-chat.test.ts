import { expect, test } from "bun:test";
import { PassThrough } from "node:stream";
import { createScriptedAgent } from "../../testkit/index.ts";
import { FakeProcess } from "../fixtures/fake-process.ts";
import type { TerminalProcess } from "../terminal/terminal-process.ts";
import { openPlainChat } from "./open-plain-chat.ts";

/** Opens the chat with an agent that never answers. */
function open() {
  const client = createScriptedAgent({ agentType: "claude", script: () => ({ delayMs: Number.POSITIVE_INFINITY }) });
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const exited = Promise.withResolvers<number>();
  const wanted = { text: "", found: (): void => undefined };
  const saved = new Set<string>();
  let output = "";
  const show = (text: string): void => {
    output += text;
    if (wanted.text !== "" && output.includes(wanted.text)) wanted.found();
  };
  const process = new FakeProcess({
    // The UI only reads lines of it, and only writes texts to the other.
    stdin: stdin as unknown as TerminalProcess["stdin"],
    stdout: { isTTY: true, write: show } as unknown as TerminalProcess["stdout"],
    env: { TERM: "xterm" },
    writeNow: show,
    exit: exited.resolve,
  });
  const host = {
    ...{ workingDirectory: "/work/shop", agentType: client.agentType, agentTypes: [client.agentType], settings: {} },
    openClient: () => Promise.resolve(client),
    sessionConfigFor: () => ({ sessionId: "s1" }),
    conversations: {
      list: async () => [],
      save: async ({ sessionId }: { readonly sessionId: string }) => void saved.add(sessionId),
    },
  };
  const left = openPlainChat(host, process.asProcess(), { firstMessage: "one", commands: [] });
  const until = async (text: string): Promise<void> => {
    const found = Promise.withResolvers<void>();
    Object.assign(wanted, { text, found: found.resolve });
    if (!output.includes(text)) await found.promise;
  };
  return { process, stdin, left, saved, until, exitCode: exited.promise, output: () => output };
}

const ENDING = `\u001b[?2004latomic: This message was not sent:
    two
atomic: To continue this conversation: atomic --session s1 --agent claude
`;

test.each([
  { signal: "SIGTERM", code: 143 },
  { signal: "SIGHUP", code: 129 },
] as const)("$signal ends the plain chat as its user would, with the exit code $code", async ({ signal, code }) => {
  const { process, stdin, saved, until, exitCode, output } = open();
  stdin.write("two\n");
  await until("queued: two\n");
  process.emit(signal);
  expect(await exitCode).toBe(code);
  expect(output()).toBe(`\u001b[?2004hqueued: two\n${ENDING}`);
  expect([...saved]).toEqual(["s1"]);
});

test("a second Ctrl+C restores the terminal, names what was not sent, and how to continue", async () => {
  const { process, stdin, left, until, output } = open();
  stdin.write("two\n");
  await until("queued: two\n");
  process.emit("SIGINT");
  process.emit("SIGINT");
  await left;
  expect(output()).toEndWith(ENDING);
  expect(process.listenerCount).toBe(0);
});
