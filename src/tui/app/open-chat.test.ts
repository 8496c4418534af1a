import { expect, test } from "bun:test";
import { Readable } from "node:stream";
import { createScriptedAgent } from "../../testkit/index.ts";
import { FakeProcess } from "../fixtures/fake-process.ts";
import type { ChatSettings } from "../host/chat-settings.ts";
import type { TerminalProcess } from "../terminal/terminal-process.ts";
import { openChat } from "./open-chat.tsx";

/** Opens the chat without a terminal, with an empty input, until it has ended. */
async function open(settings: ChatSettings, resumeSessionId?: string, firstMessage?: string) {
  const client = createScriptedAgent({ script: () => "fine" });
  const written: string[] = [];
  const process = new FakeProcess({
    // The UI only reads lines of it, and only writes texts to the other.
    stdin: Readable.from([]) as unknown as TerminalProcess["stdin"],
    stdout: { write: (text: string) => written.push(text) } as unknown as TerminalProcess["stdout"],
  });
  await openChat(
    {
      ...{ workingDirectory: "/work/shop", agentType: client.agentType, agentTypes: [client.agentType] },
      openClient: () => Promise.resolve(client),
      sessionConfigFor: () => ({}),
      settings,
      ...(resumeSessionId === undefined ? {} : { resumeSessionId }),
    },
    process.asProcess(),
    firstMessage === undefined ? {} : { firstMessage },
  );
  return { written: written.join(""), errors: process.calls.filter(([name]) => name === "writeError") };
}

test("a plain mode that nobody chose says why", async () => {
  expect((await open({ mode: "plain", plainReason: 'TERM is "dumb"' })).errors).toEqual([
    ["writeError", 'atomic: Plain mode, because TERM is "dumb".'],
  ]);
  expect((await open({ mode: "plain" })).errors).toEqual([]);
});

test("an action without a key is named at the start", async () => {
  expect((await open({ mode: "plain", keys: { copy: [] } })).written).toBe(
    "atomic: No key does this any more: copy the last answer. ui.keys.copy is an empty list.\n",
  );
});

test("in the plain mode, a message for a conversation that does not exist is named as not sent", async () => {
  const { written } = await open({ mode: "plain" }, "ses_unknown", "fix it");
  expect(written).toContain("ses_unknown");
  expect(written).toEndWith("warning: Not sent: fix it\n");
});
