import type { PermissionPolicy, PermissionRequest, PermissionRule } from "../../../contracts/index.ts";
import { type EvaluatePermissionOptions, evaluatePermission } from "./evaluate-permission.ts";
import { formatPaths } from "./format-paths.ts";

/** The longest proposed rule. Nobody reads or types a longer one. */
const MAX_RULE_LENGTH = 300;

/**
 * The narrowest rule that would have allowed a call, as `--allow` takes it. Undefined if no single rule would, or if the
 * rule would allow more than a person sees in it. Pure.
 *
 * ```ts
 * proposeRule({ rules: [] }, { ...request, kind: "shell", command: "npm publish" }, { workingDirectory: "/work" });
 * // "shell:npm publish"
 * ```
 */
export function proposeRule(
  policy: PermissionPolicy,
  request: PermissionRequest,
  options: EvaluatePermissionOptions,
): string | undefined {
  // Allowing a search would allow reading files that nobody named.
  if (request.search !== undefined) return undefined;
  const rule = narrowestRule(request, options);
  if (rule === undefined) return undefined;
  const { effect } = evaluatePermission({ ...policy, rules: [...policy.rules, rule] }, request, options);
  const text = formatRule(rule);
  return effect === "allow" && text.length <= MAX_RULE_LENGTH ? text : undefined;
}

/** A rule as `--allow` and `--deny` take it, such as `shell:npm test`, if it has no other conditions. */
export function formatRule({ tools, exceptTools, paths, commands }: PermissionRule): string {
  const all = tools === undefined ? "every call" : tools.join(", ");
  const spared = exceptTools === undefined || exceptTools.length === 0 ? "" : ` except of ${exceptTools.join(", ")}`;
  const kinds = `${all}${spared}`;
  const limits = [...(paths ?? []), ...(commands ?? [])];
  return limits.length === 0 ? kinds : `${kinds}:${limits.join(" | ")}`;
}

function narrowestRule(
  { kind, command, paths }: PermissionRequest,
  { workingDirectory }: EvaluatePermissionOptions,
): PermissionRule | undefined {
  const rule = { effect: "allow", tools: [kind] } as const;
  switch (kind) {
    case "shell":
      return command !== undefined && isLiteral(command) ? { ...rule, commands: [command] } : undefined;
    case "read":
    case "edit": {
      const names = paths.map((file) => formatPaths([file], workingDirectory));
      const [name, ...others] = names;
      if (name === undefined || !names.every((one) => isLiteral(one) && !/[{},]/.test(one))) return undefined;
      return { ...rule, paths: [others.length === 0 ? name : `{${names.join(",")}}`] };
    }
    default:
      return rule;
  }
}

/** Whether a text has no special characters and can be typed unquoted on the command line. */
function isLiteral(text: string): boolean {
  return text.trim() === text && text !== "" && !/[*?\p{C}\p{Zl}\p{Zp}]|^~/u.test(text);
}
