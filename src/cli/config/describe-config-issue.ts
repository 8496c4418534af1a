import type { z } from "zod";
import { namesSecret, nearestName } from "../../contracts/index.ts";
import { describeExpected } from "./describe-expected.ts";
import { formatPlace } from "./format-place.ts";
import { hideSecrets, isSecretSetting } from "./hide-secrets.ts";
import { namesIn, schemaAt } from "./schema-at.ts";

/** A problem that the schema reports. */
type Issue = z.core.$ZodIssue;

/** What is wrong with a setting, and where. */
export interface ConfigProblem {
  readonly text: string;
  readonly path: readonly PropertyKey[];
}

/** The schema and the settings that an issue belongs to. */
interface IssuePlace {
  readonly schema: z.core.$ZodType;
  /** All settings. */
  readonly settings: unknown;
}

/** Longer values are cut, in characters. */
const MAX_VALUE_LENGTH = 60;

/** Types whose names in zod, or in JSON, are not words for people. */
const PLAIN_TYPES: Readonly<Record<string, string>> = { int: "a whole number", boolean: "true or false" };

/** Keys whose values are left out of error messages; not those of the keyboard. */
const SECRET_NAME = /key|token|secret|password|url/i;

/**
 * Describes the problems at one place of the settings, one line each: the key, its value, and the possible values.
 * `permissions.otherwise: "maybe" is not possible. Possible: "allow", "deny", "ask".`
 */
export function describeConfigIssue(issue: Issue, place: IssuePlace): readonly ConfigProblem[] {
  const { path } = issue;
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.map((key) => {
        const whole = [...path, key];
        return { path: whole, text: describeUnknownKey(whole, place) };
      });
    case "invalid_value":
      return [{ path, text: describeValue(issue, place) }];
    case "invalid_type":
      return [{ path, text: describeType(issue, place) }];
    case "invalid_union":
      return describeUnion(issue, place);
    default:
      return [{ path, text: atPlace(path, describeMessage(issue, place)) }];
  }
}

/** A message of zod's own in plain words, any other one as it is. */
function describeMessage({ path, message }: Issue, place: IssuePlace): string {
  const expected = describeExpected(message);
  return expected === undefined ? message : `${show(path, place) ?? "the value"} is not possible. Write ${expected}.`;
}

function describeValue({ path, values }: z.core.$ZodIssueInvalidValue, place: IssuePlace): string {
  const value = valueAt(place.settings, path);
  const possible = `Possible: ${values.map((one) => JSON.stringify(one)).join(", ")}.`;
  if (value === undefined) return atPlace(path, `the key is missing. ${possible}`);
  const names = values.filter((one) => typeof one === "string");
  const hint = typeof value === "string" ? suggest(value, names) : "";
  return atPlace(path, `${show(path, place) ?? "the value"} is not possible.${hint} ${possible}`);
}

function describeUnknownKey(path: readonly PropertyKey[], place: IssuePlace): string {
  const key = String(path.at(-1));
  const parent = schemaAt(place.schema, path.slice(0, -1).map(String));
  const known = parent === undefined ? [] : namesIn(parent);
  const value = show(path, place) ?? "that it has";
  return atPlace(
    path,
    `unknown key, with the value ${value}.${suggest(key, known)} Possible keys: ${known.join(", ")}.`,
  );
}

function describeType({ path, expected }: z.core.$ZodIssueInvalidType, place: IssuePlace): string {
  const value = valueAt(place.settings, path);
  const wanted = PLAIN_TYPES[expected] ?? `${/^[aeiou]/.test(expected) ? "an" : "a"} ${expected}`;
  if (value === undefined) return atPlace(path, `the key is missing. Write ${wanted}.`);
  const shown = show(path, place);
  const hasExample = expected === "array" && typeof value === "string" && shown !== undefined;
  const example = hasExample ? `, for example [${shown}]` : "";
  return atPlace(path, `${shown ?? "the value"} is not ${wanted}. Write ${wanted}${example}.`);
}

/** Reports the problems of the shape that the value almost has, or else all possible shapes. */
function describeUnion(issue: z.core.$ZodIssueInvalidUnion, place: IssuePlace): readonly ConfigProblem[] {
  const { path, errors } = issue;
  const near = errors.find((issues) => issues.every((one) => one.code !== "invalid_type" || one.path.length > 0));
  if (near !== undefined)
    return near.flatMap((one) => describeConfigIssue({ ...one, path: [...path, ...one.path] }, place));
  const wanted = errors.flat().map((one) => (one.code === "invalid_type" ? one.expected : one.message));
  const value = show(path, place) ?? "the value";
  return [{ path, text: atPlace(path, `${value} is not possible. Write one of: ${wanted.join(", ")}.`) }];
}

/** `permissions.rules[0].tools: …` */
function atPlace(path: readonly PropertyKey[], text: string): string {
  const place = formatPlace(path);
  return place === "" ? text : `${place}: ${text}`;
}

function valueAt(settings: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    // The cast is true of every object: a missing key is undefined.
    (value, part) =>
      typeof value === "object" && value !== null ? (value as Record<PropertyKey, unknown>)[part] : undefined,
    settings,
  );
}

/** The value at a place, without secrets; undefined for one that is a secret itself. */
function show(path: readonly PropertyKey[], { schema, settings }: IssuePlace): string | undefined {
  if (path.some((part) => isSecretInErrors(String(part))) || isSecretSetting({ schema, path })) return undefined;
  const shown = hideSecrets(valueAt(settings, path), { schema, path, isSecretName: isSecretInErrors });
  const text = JSON.stringify(shown) ?? "undefined";
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text;
}

function isSecretInErrors(name: string): boolean {
  return name !== "keys" && (SECRET_NAME.test(name) || namesSecret(name));
}

function suggest(text: string, known: readonly string[]): string {
  const nearest = nearestName(text, known);
  return nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
}
