import type { HookCommand } from "../../contracts/index.ts";

/** A matcher that lists whole names. */
const NAMES = /^[\w|, -]+$/;

/**
 * Whether a hook's matcher fits one of these values: a tool's names, or how a session began. In Claude Code's shape, a
 * matcher of letters, digits, `_`, `-`, spaces, `,` and `|` lists whole names, and any other one is a regular expression
 * that may match a part. In Copilot's, a matcher is a regular expression for the whole value. Pure.
 *
 * @throws SyntaxError for an invalid regular expression
 */
export function matchesHook(
  { matcher, shape }: Pick<HookCommand, "matcher" | "shape">,
  values: readonly string[],
): boolean {
  if (matcher === undefined || matcher === "" || matcher === "*" || values.length === 0) return true;
  if (shape === "copilot") return values.some((value) => new RegExp(`^(?:${matcher})$`).test(value));
  if (!NAMES.test(matcher)) return values.some((value) => new RegExp(matcher).test(value));
  const names = matcher.split(/[|,]/).map((name) => name.trim());
  return values.some((value) => names.includes(value));
}
