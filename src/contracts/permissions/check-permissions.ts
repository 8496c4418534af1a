import { AtomicError } from "../errors/atomic-error.ts";
import { nearestName } from "../errors/nearest-name.ts";
import { isRecord } from "../json/json-access.ts";
import type { PermissionEffect, ToolKind } from "./permission.ts";

/** A permission policy is invalid. No session starts with it: it could allow what it seems to deny. */
export class PermissionsInvalidError extends AtomicError {
  constructor(
    /** One sentence for each mistake, with its place. */
    readonly problems: readonly string[],
  ) {
    super("PERMISSIONS_INVALID", `The permissions cannot be used. Correct them: ${problems.join(" ")}`);
  }
}

/** Every effect of a rule. */
export const PERMISSION_EFFECTS = ["allow", "deny", "ask"] as const satisfies readonly PermissionEffect[];

/** Every kind of tool. */
export const TOOL_KINDS = [
  "read",
  "edit",
  "shell",
  "fetch",
  "mcp",
  "agent",
  "other",
] as const satisfies readonly ToolKind[];

const POLICY_KEYS = ["rules", "otherwise", "protectedPaths"];
const RULE_KEYS = ["effect", "tools", "exceptTools", "paths", "commands"];
const LISTS = ["tools", "paths", "commands"] as const;

/**
 * Rejects an invalid policy of untyped code, as strictly as one in `config.json`: unknown keys, wrong types, unknown
 * effects and kinds, and rules that could never match. @throws PermissionsInvalidError with all mistakes at once
 */
export function assertPermissions(policy: unknown): void {
  const problems = policy === undefined ? [] : problemsOfPolicy(policy);
  if (problems.length > 0) throw new PermissionsInvalidError(problems);
}

function problemsOfPolicy(policy: unknown): readonly string[] {
  if (!isRecord(policy)) return ["permissions: It must be an object with rules."];
  const { rules, otherwise, protectedPaths } = policy;
  return [
    ...unknownKeys(policy, { known: POLICY_KEYS, place: "permissions" }),
    ...(Array.isArray(rules)
      ? rules.flatMap((rule, index) => problemsOfRule(rule, `permissions.rules[${index}]`))
      : ["permissions.rules: It must be a list."]),
    ...(otherwise === undefined
      ? []
      : unknownChoice(otherwise, { known: PERMISSION_EFFECTS, place: "permissions.otherwise" })),
    ...problemsOfTexts(protectedPaths, "permissions.protectedPaths"),
  ];
}

function problemsOfRule(rule: unknown, place: string): readonly string[] {
  if (!isRecord(rule)) return [`${place}: It must be an object with an effect.`];
  const shape = [
    ...unknownKeys(rule, { known: RULE_KEYS, place }),
    ...unknownChoice(rule.effect, { known: PERMISSION_EFFECTS, place: `${place}.effect` }),
    ...[...LISTS, "exceptTools"].flatMap((name) => problemsOfTexts(rule[name], `${place}.${name}`)),
    ...(rule.exceptTools !== undefined && rule.effect === "allow"
      ? [
          `${place}: "exceptTools" is for rules that deny or require approval. To allow tools, name their kinds in "tools".`,
        ]
      : []),
  ];
  const [tools, paths, commands] = LISTS.map((name) => textsOf(rule[name]));
  const kinds = (tools ?? []).flatMap((tool, index) =>
    unknownChoice(tool, { known: TOOL_KINDS, place: `${place}.tools[${index}]` }),
  );
  const never = impossibilitiesOf({
    ...(tools === undefined ? {} : { tools }),
    ...(paths === undefined ? {} : { paths }),
    ...(commands === undefined ? {} : { commands }),
  });
  return [...shape, ...kinds, ...never.map((problem) => `${place}: ${problem}`)];
}

/** The conditions of a rule. */
export interface RuleLimits {
  readonly tools?: readonly string[];
  readonly paths?: readonly string[];
  readonly commands?: readonly string[];
}

/** Why a rule could never match, one sentence per reason: such a rule only seems to deny something. Pure. */
export function impossibilitiesOf(rule: RuleLimits): readonly string[] {
  const { tools, paths, commands } = rule;
  const empty = LISTS.filter((name) => rule[name]?.length === 0);
  return [
    ...empty.map((name) => `"${name}" is empty, so the rule would never match. Leave it out to mean all of them.`),
    ...(paths?.some((glob) => glob.startsWith("~")) ? ['"~" is not expanded in "paths". Write the path in full.'] : []),
    ...(paths !== undefined && commands !== undefined
      ? ['"paths" and "commands" together never match: commands name no files. Write two rules.']
      : []),
    ...(commands !== undefined && tools !== undefined && !tools.includes("shell")
      ? ['"commands" are those of the kind "shell", which "tools" leaves out.']
      : []),
    ...(paths !== undefined && tools !== undefined && !tools.some((tool) => tool === "read" || tool === "edit")
      ? ['"paths" are those of the kinds "read" and "edit", which "tools" leaves out.']
      : []),
  ];
}

interface Choice {
  readonly known: readonly string[];
  readonly place: string;
}

function unknownKeys(value: Readonly<Record<string, unknown>>, { known, place }: Choice): readonly string[] {
  const keys = Object.keys(value).filter((key) => value[key] !== undefined && !known.includes(key));
  return keys.map((key) => `${place}.${key}: No such setting.${proposal(key, known)} Known: ${known.join(", ")}.`);
}

function unknownChoice(value: unknown, { known, place }: Choice): readonly string[] {
  if (typeof value === "string" && known.includes(value)) return [];
  const possible = known.map((name) => `"${name}"`).join(", ");
  const near = typeof value === "string" ? proposal(value, known) : "";
  return [`${place}: ${JSON.stringify(value) ?? "Nothing"} is not possible.${near} Possible: ${possible}.`];
}

function proposal(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  return nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
}

function problemsOfTexts(value: unknown, place: string): readonly string[] {
  return value === undefined || textsOf(value) !== undefined ? [] : [`${place}: It must be a list of texts.`];
}

function textsOf(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) && value.every((item) => typeof item === "string") ? value : undefined;
}
