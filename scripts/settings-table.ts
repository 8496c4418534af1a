import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type ListedSetting, listSettings } from "../src/cli/config/list-settings.ts";

/** The page with the table, and the lines around it. */
export const SETTINGS_PAGE = join(import.meta.dirname, "..", "docs", "configuration.md");
const BEGIN = "<!-- all settings: node scripts/bun.mjs scripts/settings-table.ts writes this part -->\n";
const END = "<!-- end of all settings -->\n";

/** Every setting with its type, default, example and meaning, in a table for each group, as Markdown. */
export function formatSettingsTable(): string {
  const groups = Object.entries(Object.groupBy(listSettings(), ({ key }) => groupOf(key)));
  return groups
    .map(([group, settings = []]) =>
      [
        `### ${group === "" ? "At the top" : `\`${group}\``}\n`,
        "| setting | type | default | example | meaning |",
        "| --- | --- | --- | --- | --- |",
        ...settings.map(formatRow),
        "",
      ].join("\n"),
    )
    .join("\n");
}

/** The page with the table of the schema. @throws Error when the page has no place for it */
export function withSettingsTable(page: string): string {
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined)
    throw new Error(`${SETTINGS_PAGE} has no lines ${BEGIN.trim()} and ${END}`);
  return `${before}${BEGIN}\n${formatSettingsTable()}\n${END}${after}`;
}

function groupOf(key: string): string {
  return key.includes(".") || key === "sandbox" ? key.replace(/\..*$/, "") : "";
}

function formatRow({ key, type, example, description, ...more }: ListedSetting): string {
  const standard = more.default === undefined ? (more.defaultText ?? "required") : code(JSON.stringify(more.default));
  const notes = [
    description,
    ...(more.userOnly === true ? ["Only your own settings may set this."] : []),
    ...(more.isSecret === true ? ["Never printed."] : []),
    ...(more.variable === undefined ? [] : [`Variable: ${code(more.variable)}.`]),
    ...(more.flag === undefined ? [] : [`Option: ${code(more.flag)}.`]),
  ];
  const cells = [
    code(key),
    type.replace(/"[^"]*"/g, code),
    key === "$schema" ? "none" : standard,
    code(JSON.stringify(example)),
  ];
  return `| ${[...cells, notes.join(" ")].map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

function code(text: string): string {
  return `\`${text}\``;
}

if (import.meta.main) await writeFile(SETTINGS_PAGE, withSettingsTable(await readFile(SETTINGS_PAGE, "utf8")));
