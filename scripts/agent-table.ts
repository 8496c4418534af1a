/**
 * The table of what each agent can do, in docs/agents.md.
 *
 *     bun scripts/agent-table.ts            prints it
 *     bun scripts/agent-table.ts --write    writes it to docs/agents.md
 */
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { CAPABILITIES } from "../src/clients/index.ts";
import { AGENT_CAPABILITIES, type AgentCapability } from "../src/contracts/index.ts";

/** The document that has the table. */
export const AGENTS_DOCUMENT = fileURLToPath(new URL("../docs/agents.md", import.meta.url));

const BEGIN = "<!-- agent table: made by scripts/agent-table.ts -->";
const END = "<!-- end of the agent table -->";

/** The table in Markdown: a row for each capability, a column for each agent. */
export function formatAgentTable(): string {
  const agents = Object.values(CAPABILITIES);
  const rows = Object.entries(AGENT_CAPABILITIES).map(([name, meaning]) => {
    const capability = name as AgentCapability; // the names are the keys
    return [meaning, `\`${name}\``, ...agents.map((has) => (has[capability] ? "✓" : "–"))];
  });
  const head = ["", "capability", ...Object.keys(CAPABILITIES).map((name) => `\`${name}\``)];
  const rule = head.map((_cell, column) => (column < 2 ? "---" : ":---:"));
  return [head, rule, ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** The text between the document's markers. @throws Error when a marker is missing */
export function readTableOf(document: string): string {
  const [begin, end] = placesOf(document);
  return document.slice(begin, end).trim();
}

/** The document with another table. @throws Error when a marker is missing */
export function withTable(document: string, table: string): string {
  const [begin, end] = placesOf(document);
  return `${document.slice(0, begin)}\n\n${table}\n\n${document.slice(end)}`;
}

function placesOf(document: string): readonly [number, number] {
  const begin = document.indexOf(BEGIN);
  const end = document.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`The document lacks the lines "${BEGIN}" and "${END}".`);
  return [begin + BEGIN.length, end];
}

if (import.meta.main) {
  if (process.argv.includes("--write")) {
    await writeFile(AGENTS_DOCUMENT, withTable(await readFile(AGENTS_DOCUMENT, "utf8"), formatAgentTable()));
  } else {
    console.log(formatAgentTable());
  }
}
