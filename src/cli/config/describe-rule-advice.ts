import { statSync } from "node:fs";
import { resolve } from "node:path";
import { adviseOnRule, type RuleAdvice } from "../../clients/setup-kit.ts";
import type { PermissionPolicy, PermissionRule } from "../../contracts/index.ts";
import { visibleLine } from "../../view/index.ts";
import { formatRule } from "../output/format-rule.ts";

/**
 * Advice about misleading patterns in a policy's rules, one line each: the rule, the problem, and what to write instead.
 * Looks up which paths are folders.
 */
export function describeRuleAdvice({ rules }: PermissionPolicy, workingDirectory: string): readonly string[] {
  const options = { isFolder: (path: string) => isFolder(resolve(workingDirectory, path)) };
  const lines = rules.flatMap((rule) => adviseOnRule(rule, options).map((advice) => formatAdvice(rule, advice)));
  return [...new Set(lines)];
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false; // There is no advice about an unreadable path.
  }
}

function formatAdvice(rule: PermissionRule, { pattern, problem, instead }: RuleAdvice): string {
  const patterns = instead.map(quote).join(" and ");
  const what = `The rule "${rule.effect} ${formatRule(rule)}": ${quote(pattern)} ${visibleLine(problem)}.`;
  return patterns === "" ? what : `${what} Write ${patterns} instead.`;
}

function quote(pattern: string): string {
  return `"${visibleLine(pattern)}"`;
}
