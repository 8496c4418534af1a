import { isListOfTools, isOwnField } from "./definition-fields.ts";
import type { MisplacedHead } from "./find-misplaced-head.ts";

/** Fields that are not written in YAML. */
export interface ForeignHead extends MisplacedHead {
  readonly format: "TOML" | "JSON";
}

/** How many characters are searched. */
const MAX_LENGTH = 65_536;

/** Finds a frontmatter in TOML or JSON, as other programs have it, and a file that is JSON as a whole. Pure. */
export function findForeignHead(text: string): ForeignHead | undefined {
  const start = text.slice(0, MAX_LENGTH).replace(/\r/g, "");
  const [, fence = "", head = ""] =
    /^\s*(\+{3,}|-{3,}[ \t]*\w+|;{3,})[ \t]*\n(.*?)(?:\n(?:\+{3,}|-{3,}|;{3,})|$)/s.exec(start) ?? [];
  if (/^\+|toml$/i.test(fence))
    return foreignHead(start, "TOML", namesIn(head, /^[ \t]*\[?["']?([\w-]+)["']?[ \t]*[=\]]/gm));
  const json = /^;|jsonc?$/i.test(fence) ? head : /^\s*\{.*\}\s*$/s.test(text) ? start : "";
  return foreignHead(start, "JSON", namesIn(json, /["']([\w-]+)["']\s*:/g));
}

function namesIn(head: string, pattern: RegExp): readonly string[] {
  return [...head.matchAll(pattern)].map(([, name = ""]) => name).filter(isOwnField);
}

function foreignHead(text: string, format: ForeignHead["format"], fields: readonly string[]): ForeignHead | undefined {
  const first = fields.find(isListOfTools) ?? fields[0];
  if (first === undefined) return undefined;
  return {
    format,
    fields,
    line: text.slice(0, text.search(new RegExp(`\\b${first}\\b["']?\\s*[:=\\]]`))).split("\n").length,
  };
}
