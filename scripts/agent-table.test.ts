import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { AGENT_CAPABILITIES } from "../src/contracts/index.ts";
import { AGENTS_DOCUMENT, formatAgentTable, readTableOf, withTable } from "./agent-table.ts";

const REMEDY = "docs/agents.md has an old table. Run: node scripts/bun.mjs scripts/agent-table.ts --write";

test("docs/agents.md says what each agent can do today", async () => {
  const table = readTableOf(await readFile(AGENTS_DOCUMENT, "utf8"));
  expect({ table, remedy: REMEDY }).toEqual({ table: formatAgentTable(), remedy: REMEDY });
});

test("the table has a row for each capability", () => {
  const names = [...formatAgentTable().matchAll(/^\| [^|]+ \| `(\w+)` \|/gm)].map((match) => match[1]);
  expect<unknown>(names).toEqual(Object.keys(AGENT_CAPABILITIES));
});

test("a new table replaces the old one and leaves the rest", async () => {
  const document = await readFile(AGENTS_DOCUMENT, "utf8");
  const changed = withTable(document, "| new |");
  expect(readTableOf(changed)).toBe("| new |");
  expect(withTable(changed, readTableOf(document))).toBe(document);
});

test("a document without the markers is an error", () => {
  expect(() => readTableOf("# Agents")).toThrow('The document lacks the lines "<!-- agent table');
});

test("the settings in docs/agents.md are JSON with comments", async () => {
  const document = await readFile(AGENTS_DOCUMENT, "utf8");
  const examples = [...document.matchAll(/^```jsonc\n([\s\S]*?)^```$/gm)].map(([, text = ""]) => Bun.JSONC.parse(text));
  expect(examples.length).toBeGreaterThan(0);
  expect(examples.filter((example) => typeof example !== "object")).toEqual([]);
});
