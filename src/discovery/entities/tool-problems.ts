import { type DiscoveryProblem, findMisspelledTools, isRecord } from "../../contracts/index.ts";
import { normalizeExclusions, normalizeTools } from "./normalize-tools.ts";
import { fieldOf } from "./parse-frontmatter.ts";

/** A problem with a name in a definition's lists of tools. */
export interface ToolProblem extends Pick<DiscoveryProblem, "message" | "remedy" | "severity"> {
  readonly name: string;
}

/** How many misspelled names of one file are reported: to find the place of each takes a while. */
export const MAX_TOOL_PROBLEMS = 20;

/** The misspelled names in a definition's lists of tools, without their place. Pure. */
export function toolProblemsOf(fields: Readonly<Record<string, unknown>>): readonly ToolProblem[] {
  const names = ["tools", "allowed-tools", "disallowed-tools"].flatMap((field) => {
    const list = fieldOf(fields, field);
    if (field === "disallowed-tools") return normalizeExclusions(list);
    return isRecord(list) ? Object.keys(list) : (normalizeTools(list).vendorTools ?? []);
  });
  const misspelled = findMisspelledTools(names).slice(0, MAX_TOOL_PROBLEMS);
  return misspelled.map(({ name, nearest }) => ({
    name,
    message: `Unknown tool "${name}"; did you mean "${nearest}"?`,
    remedy: "Correct the name, or keep it if it is that of a tool of your own.",
    severity: "warning",
  }));
}

/** The line of a Markdown file, counted from 1, in which a list of tools has the name. Pure. */
export function lineOfTool(text: string, name: string): number | undefined {
  const lines = text.split("\n");
  const start = lines.findIndex((line) => /^\s*["']?(?:(?:dis)?allowed[-_]?)?tools["']?\s*:/i.test(line));
  if (start === -1) return undefined;
  const pattern = new RegExp(`(?<![\\w-])${name}(?![\\w-])`, "i");
  const index = lines.findIndex((line, at) => at >= start && pattern.test(line));
  return (index === -1 ? start : index) + 1;
}
