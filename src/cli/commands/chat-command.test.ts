import { afterEach, beforeEach, expect, test } from "bun:test";
import { darkTheme } from "../../tui/theme/theme.ts";
import { TestEnvironment } from "../fixtures/test-environment.ts";
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
    async openChat(host, options) {
      const client = await host.openClient(host.agentType);
      const { content } = await (await client.createSession(host.sessionConfigFor(host.agentType))).send("Hi");
      const names = (await host.loadCommands?.(new AbortController().signal))?.map(({ name }) => name) ?? [];
      seen.push(
        options,
        content,
        host.settings.themes?.map(({ name }) => name),
        await host.runs?.list(),
      );
      seen.push(names.includes("ralph"));
    },
  };
  const flags = { agent: "scripted", inline: true };
  expect(await chatCommand(place.describe([]).environment, flags, async () => ui)).toBe(0);
  expect(seen).toEqual([{ mode: "inline" }, "Scripted answer to: Hi", ["mine"], [], true]);
});

test("an error of the UI is passed on, after the agents have ended", async () => {
  const ui: ChatUi = {
    parseTheme: () => darkTheme,
    openChat: () => Promise.reject(new Error("no terminal")),
  };
  const opened = chatCommand(place.describe([]).environment, { agent: "scripted" }, async () => ui);
  await expect(opened).rejects.toThrow("no terminal");
});
