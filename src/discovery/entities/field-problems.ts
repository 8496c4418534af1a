import { type DiscoveryProblem, isRecord } from "../../contracts/index.ts";
import {
  type DefinitionKind,
  isLimitField,
  limitFieldsOf,
  meantLimit,
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
    const other = meantLimit(field, kind);
    if (other !== undefined) return [misspelled(field, other.meant, other.isLimit || hasDenial(value))];
    if (!LISTS.has(name) && !(name === "permission" && limits.includes(name))) {
      return SERVERS.has(name) ? [] : problemsWithin(field, value, { fields, kind });
    }
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

/** Each server has a list of the tools that it offers. */
const SERVERS: ReadonlySet<string> = new Set(["mcp-servers", "mcp"]);

/** Whether a value denies something, as the permissions of Claude Code's settings or of OpenCode do. */
function hasDenial(value: unknown): boolean {
  if (!isRecord(value)) return value === "deny";
  return Object.entries(value).some(([key, each]) => key === "deny" || hasDenial(each));
}

function misspelled(field: string, nearest: string, isLimit: boolean): FieldProblem {
  const visible = field.replace(/[^\x20-\x7e]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
  const message = `Unknown field "${visible}"; did you mean "${nearest}"?`;
  if (isLimit) return { field, message, remedy: `Correct the name. ${NOT_USED}`, severity: "error" };
  return { field, message, remedy: "Correct the name, or keep it if it is a field of your own.", severity: "warning" };
}

interface Surroundings {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly kind: DefinitionKind;
}

/** A wrong indentation makes the next fields a part of this one. */
function problemsWithin(field: string, value: unknown, { fields, kind }: Surroundings): readonly FieldProblem[] {
  const inner = lostLimitIn(value, { fields, kind });
  if (inner === undefined) return [];
  const message = `The field "${inner}" is indented, so it is part of "${field}"`;
  return [{ field, message, remedy: `Remove the indentation. ${NOT_USED}`, severity: "error" }];
}

/** The first field within another one that limits tools, and that is missing where it belongs. */
function lostLimitIn(value: unknown, { fields, kind }: Surroundings): string | undefined {
  if (!isRecord(value)) return undefined;
  const names = Object.keys(fields).map(usualFieldName);
  for (const [key, each] of Object.entries(value)) {
    if (isLimitField(key, kind) && !names.includes(usualFieldName(key))) return key;
    const inner = SERVERS.has(usualFieldName(key)) ? undefined : lostLimitIn(each, { fields, kind });
    if (inner !== undefined) return inner;
  }
  return undefined;
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
