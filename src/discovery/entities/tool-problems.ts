import { type DiscoveryProblem, findMisspelledTools, isRecord, type MisspelledTool } from "../../contracts/index.ts";
import { type DefinitionKind, limitFieldsOf } from "./definition-fields.ts";
import { NOT_USED } from "./field-problems.ts";
import { isOn, normalizeExclusions, normalizeTools } from "./normalize-tools.ts";
import { deniedByPermission } from "./opencode-permission.ts";
import { fieldOf } from "./parse-frontmatter.ts";

/** A problem with a name in a definition's lists of tools. */
export interface ToolProblem extends Pick<DiscoveryProblem, "message" | "remedy" | "severity"> {
  readonly name: string;
}

/** So many names of tools are compared with the known ones. */
const MAX_NAMES = 1_000;

/** How many misspelled names of one file are reported: to find the place of each takes a while. */
export const MAX_TOOL_PROBLEMS = 20;

/**
 * The misspelled names in a definition's lists of tools, without their place. One in an exclusion excludes nothing, which
 * makes the definition unusable. Pure.
 */
export function toolProblemsOf(
  fields: Readonly<Record<string, unknown>>,
  kind: DefinitionKind,
): readonly ToolProblem[] {
  const limits = limitFieldsOf(kind);
  const lists = ["tools", "allowed-tools", "disallowed-tools"].map((field) => ({
    isLimit: limits.includes(field),
    ...splitList(field, fieldOf(fields, field)),
  }));
  const permission = limits.includes("permission") ? deniedByPermission(fields.permission) : [];
  const excluded = [...lists.flatMap((list) => (list.isLimit ? list.excluded : [])), ...permission];
  const names = lists.flatMap((list) => [...list.allowed, ...list.excluded]);
  if (names.length + permission.length > MAX_NAMES) return [tooMany(names.length + permission.length)];
  const lost = findMisspelledTools(excluded, [], { minLength: 3 });
  const others = findMisspelledTools(names).filter(({ name }) => !lost.some((each) => each.name === name));
  return [
    ...lost.map((each) => ({
      ...describe(each),
      remedy: `Correct the name: as it is, it excludes nothing. ${NOT_USED}`,
      severity: "error" as const,
    })),
    ...others.map((each) => ({
      ...describe(each),
      remedy: "Correct the name, or keep it if it is that of a tool of your own.",
      severity: "warning" as const,
    })),
  ].slice(0, MAX_TOOL_PROBLEMS);
}

function tooMany(count: number): ToolProblem {
  const message = `It names ${count} tools; at most ${MAX_NAMES} are read`;
  return { name: "tools", message, remedy: `Name fewer. ${NOT_USED}`, severity: "error" };
}

interface SplitList {
  readonly allowed: readonly string[];
  readonly excluded: readonly string[];
}

function splitList(field: string, list: unknown): SplitList {
  if (field === "disallowed-tools") return { allowed: [], excluded: normalizeExclusions(list) };
  const names = isRecord(list) ? Object.keys(list) : (normalizeTools(list).vendorTools ?? []);
  const isExcluded = (name: string) => (isRecord(list) ? !isOn(list[name]) : name.startsWith("!"));
  return {
    allowed: names.filter((name) => !isExcluded(name)),
    excluded: names.filter(isExcluded),
  };
}

function describe({ name, nearest }: MisspelledTool): Pick<ToolProblem, "name" | "message"> {
  return { name, message: `Unknown tool "${name}"; did you mean "${nearest}"?` };
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
