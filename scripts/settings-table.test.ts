import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { parseConfig } from "../src/cli/config/config.ts";
import { SETTING_VARIABLES } from "../src/cli/config/read-environment-settings.ts";
import { SETTINGS_PAGE, withSettingsTable } from "./settings-table.ts";

const PAGE = await readFile(SETTINGS_PAGE, "utf8");

test("docs/configuration.md has every setting as the schema has it; node scripts/bun.mjs scripts/settings-table.ts writes them", () => {
  expect(PAGE).toBe(withSettingsTable(PAGE));
});

test("docs/configuration.md names every environment variable that sets something", () => {
  expect(Object.keys(SETTING_VARIABLES).filter((name) => !PAGE.includes(`| \`${name}\` |`))).toEqual([]);
});

test("the settings in docs/configuration.md can be used", async () => {
  const blocks = [...PAGE.matchAll(/```jsonc\n([\s\S]*?)```/g)].map(([, text = ""]) => text);
  expect(blocks.length).toBeGreaterThan(0);
  for (const block of blocks) await parseConfig(block, "docs/configuration.md");
});
