import { type DiscoveryProblem, isRecord } from "../../contracts/index.ts";
import {
  type DefinitionKind,
  isLimitField,
  limitFieldsOf,
  misspelledField,
  usualFieldName,
} from "./definition-fields.ts";
import { faultOfToolList } from "./fault-of-tool-list.ts";

/** A problem with a field of a definition. An `error` makes the definition unusable. */
export interface FieldProblem extends Pick<DiscoveryProblem, "message" | "remedy" | "severity"> {
  /** As it is written. */
  readonly field: string;
}

/** Ends the remedy of each problem that hides a limit of tools. */
export const NOT_USED = "The definition is not used, because its limit of tools cannot be read.";

/**
 * What is wrong with the names and the values of a definition's fields. A definition must not be used without a limit of
 * tools that its author wrote: a limit that cannot be read is an error, anything else a warning. Pure.
 */
export function fieldProblemsOf(
  fields: Readonly<Record<string, unknown>>,
  kind: DefinitionKind,
): readonly FieldProblem[] {
  const limits = limitFieldsOf(kind);
  return Object.entries(fields).flatMap(([field, value]): readonly FieldProblem[] => {
    const nearest = misspelledField(field, kind.provider);
    if (nearest !== undefined) return [misspelled(field, nearest, limits.includes(nearest))];
    const name = usualFieldName(field);
    if (TEXT_FIELDS.has(name)) return problemsOfText(field, value, kind);
    if (!LISTS.has(name) && !(name === "permission" && limits.includes(name))) return [];
    const fault = name === "permission" ? faultOfPermission(value) : faultOfToolList(value, name);
    if (fault === undefined) return [];
    const advice = name === "permission" ? PERMISSION_ADVICE : `Write it as in "${field}: Read, Grep", or remove it.`;
    const isLimit = limits.includes(name);
    const remedy = isLimit ? `${advice} ${NOT_USED}` : advice;
    return [{ field, message: `The field "${field}" ${fault}`, remedy, severity: isLimit ? "error" : "warning" }];
  });
}

const PERMISSION_ADVICE = 'Write "ask", "allow" or "deny" for each tool, as in OpenCode\'s documentation.';

const LISTS: ReadonlySet<string> = new Set(["tools", "allowed-tools", "disallowed-tools"]);

const TEXT_FIELDS: ReadonlySet<string> = new Set(["name", "description", "model", "agent"]);

function misspelled(field: string, nearest: string, isLimit: boolean): FieldProblem {
  const message = `Unknown field "${field}"; did you mean "${nearest}"?`;
  if (isLimit) return { field, message, remedy: `Correct the name. ${NOT_USED}`, severity: "error" };
  return { field, message, remedy: "Correct the name, or keep it if it is a field of your own.", severity: "warning" };
}

/** A wrong indentation makes the next fields a part of this one. */
function problemsOfText(field: string, value: unknown, kind: DefinitionKind): readonly FieldProblem[] {
  if (!isRecord(value)) return [];
  const inner = Object.keys(value).find((key) => isLimitField(key, kind));
  if (inner === undefined) return [];
  const message = `The field "${inner}" is indented, so it is part of "${field}"`;
  return [{ field, message, remedy: `Remove the indentation. ${NOT_USED}`, severity: "error" }];
}

function faultOfPermission(value: unknown): string | undefined {
  if (value === null || value === undefined) return "has no value";
  if (!isRecord(value)) return isAction(value) ? undefined : `is ${JSON.stringify(value)}`;
  for (const [tool, rule] of Object.entries(value)) {
    if (isAction(rule)) continue;
    if (!isRecord(rule)) return `has ${JSON.stringify(rule)} for "${tool}"`;
    const wrong = Object.entries(rule).find(([, action]) => !isAction(action));
    if (wrong !== undefined) return `has ${JSON.stringify(wrong[1])} for "${tool}", "${wrong[0]}"`;
  }
  return undefined;
}

function isAction(value: unknown): boolean {
  return value === "ask" || value === "allow" || value === "deny";
}
