import { afterEach, beforeEach, expect, test } from "bun:test";
import { darkTheme } from "../../tui/theme/theme.ts";
import { TestEnvironment } from "../fixtures/test-environment.ts";
import { OutputError } from "../unusable-place.ts";
import { type ChatUi, chatCommand } from "./chat-command.ts";

let place: TestEnvironment;

beforeEach(async () => {
  place = await TestEnvironment.create();
});
afterEach(() => place.remove());

test("the chat opens with its host and mode, and its agents end with it", async () => {
  await place.write({ "home/.atomic/config.json": '{"ui": {"themes": [{"name": "mine"}]}}' });
  const seen: unknown[] = [];
  const ui: ChatUi = {
    parseTheme: (theme) => ({ ...darkTheme, ...(theme as { readonly name: string }) }), // the theme above
    async openChat(host, { mode, onDrawn }) {
      onDrawn?.();
      const client = await host.openClient(host.agentType);
      const { content } = await (await client.createSession(host.sessionConfigFor(host.agentType))).send("Hi");
      const names = (await host.loadCommands?.(new AbortController().signal))?.map(({ name }) => name) ?? [];
      seen.push(
        mode,
        content,
        host.settings.themes?.map(({ name }) => name),
        await host.runs?.list(),
      );
      seen.push(names.includes("ralph"));
    },
  };
  const flags = { agent: "scripted", inline: true };
  expect(await chatCommand(place.describe([]).environment, flags, async () => ui)).toBe(0);
  expect(seen).toEqual(["inline", "Scripted answer to: Hi", ["mine"], [], true]);
});

test("what the code of tools prints, and an error that nothing caught, are lines of the conversation", async () => {
  const { environment, stderr } = place.describe([]);
  const lines: string[] = [];
  const lent: string[] = [];
  const screen = {
    leave: () => undefined,
    lendOutput() {
      lent.push("lent");
      return () => void lent.push("returned");
    },
  };
  const ui: ChatUi = {
    parseTheme: () => darkTheme,
    async openChat(host) {
      host.connect?.({
        onPermissionAsk: async () => ({ type: "allow" }),
        onNotice: (text) => lines.push(text),
        onCommandsChange: () => undefined,
      });
      environment.userCode.write("from a tool\u001b[2J\n");
      expect([environment.userCode.takeError(new Error("thrown late")), ...lent]).toEqual([true, "lent"]);
    },
  };
  await chatCommand({ ...environment, screen }, { agent: "scripted" }, async () => ui);
  environment.userCode.write("after\n");
  expect([lines.map((line) => line.split("\n")[0]), lent, stderr.text] as unknown[]).toEqual([
    ["from a tool", expect.stringContaining("thrown late")],
    ["lent", "returned"],
    "after\n",
  ]);
});

test("an output that cannot be written is an error of the call, not a line of the conversation", async () => {
  const { environment } = place.describe([]);
  const lines: string[] = [];
  const error = new OutputError("Standard output", "no space left on device", { cause: undefined });
  const ui: ChatUi = {
    parseTheme: () => darkTheme,
    async openChat(host) {
      host.connect?.({
        onPermissionAsk: async () => ({ type: "allow" }),
        onNotice: (text) => lines.push(text),
        onCommandsChange: () => undefined,
      });
      environment.userCode.fail(error);
    },
  };
  await chatCommand(environment, { agent: "scripted" }, async () => ui);
  expect([lines, environment.userCode.leftError()]).toEqual([[], error]);
});

test("agents and commands are loaded after the first frame, and the chat that ends before does not wait for them", async () => {
  const seen: unknown[] = [];
  const ui: ChatUi = {
    parseTheme: () => darkTheme,
    async openChat(host, { onDrawn }) {
      const opening = host.openClient(host.agentType).then((client) => seen.push(client.agentType));
      // It is drawn from what is known already.
      seen.push(host.settings.mode, host.sessionConfigFor(host.agentType).permissions?.otherwise);
      if (seen.length > 2) return;
      seen.push("drawn");
      onDrawn?.();
      await opening;
    },
  };
  const { environment } = place.describe([]);
  for (const flags of [
    { agent: "scripted", full: true },
    { agent: "scripted", inline: true },
  ]) {
    await chatCommand(environment, flags, async () => ui);
  }
  expect(seen).toEqual(["full", "ask", "drawn", "scripted", "inline", "ask"]);
});

test("an error of the UI is passed on, after the agents have ended", async () => {
  const ui: ChatUi = {
    parseTheme: () => darkTheme,
    openChat: () => Promise.reject(new Error("no terminal")),
  };
  const opened = chatCommand(place.describe([]).environment, { agent: "scripted" }, async () => ui);
  await expect(opened).rejects.toThrow("no terminal");
});
