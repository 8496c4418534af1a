import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createBuiltinCommands } from "../../tui/commands/built-in-commands.ts";
import { CommandRegistry } from "../../tui/commands/command-registry.ts";
import { FakeChat } from "../../tui/fixtures/render-ui.tsx";
import { KEY_ACTIONS, Keymap } from "../../tui/keys/keymap.ts";
import { parseTheme } from "../../tui/theme/parse-theme.ts";
import { parseConfig } from "../config/config.ts";

const TEXT = await readFile(join(import.meta.dirname, "../../../docs/chat.md"), "utf8");

test("docs/chat.md lists every key and its setting", () => {
  const rows = TEXT.split("\n").flatMap((line) => {
    const [, keys = "", setting] = /^\| (`.*?`) \| [^|]* \| `(\w+)` \|$/.exec(line) ?? [];
    return setting === undefined ? [] : [[setting, [...keys.matchAll(/`([^`]+)`/g)].map(([, key]) => key)] as const];
  });
  const expected = Object.entries(KEY_ACTIONS).map(([name, { keys }]) => [name, [...keys]] as const);
  expect(rows as unknown[]).toEqual(expected);
});

test("docs/chat.md names every built-in command", () => {
  const commands = createBuiltinCommands({
    ...{ chat: new FakeChat().asController(), registry: new CommandRegistry(), open: () => undefined },
    host: {
      ...{ workingDirectory: "/", agentType: "scripted", agentTypes: [], settings: {} },
      openClient: () => Promise.reject(new Error("This test opens no client.")),
      sessionConfigFor: () => ({}),
    },
    copy: () => undefined,
    formatMarkdown: () => "",
    now: () => 0,
    exportName: () => "",
  });
  const missing = commands.map(({ name }) => name).filter((name) => !new RegExp(`\`/${name}[\` ]`).test(TEXT));
  expect(missing).toEqual([]);
});

test("the settings in docs/chat.md can be used", async () => {
  const [, block = ""] = /```jsonc\n([\s\S]*?)```/.exec(TEXT) ?? [];
  const { ui } = await parseConfig(block, "docs/chat.md");
  expect(ui?.themes?.map((theme) => parseTheme(theme).name)).toEqual(["paper"]);
  expect(new Keymap(ui?.keys).keysOf("copy")).toEqual(["alt+c"]);
});
