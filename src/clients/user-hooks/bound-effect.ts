import type { HookEffect } from "./hook-effect.ts";

/** So much of one text of a hook reaches the agent, as in Claude Code. In characters. */
export const MAX_HOOK_TEXT = 10_000;

/** The same for all texts of hooks that reach the agent at once. In characters. */
const MAX_JOINED_TEXT = 50_000;

/** What a hook says; a changed prompt has a limit of its own, and a changed input is no text for the model. */
const TEXTS = ["block", "ask", "feedback", "context", "stop", "notice", "problem"] as const;

/** Between the texts of two hooks. */
const GAP = "\n\n";

/** What {@link boundEffect} returns. */
export interface BoundedEffect {
  readonly effect: HookEffect;
  /** For the person: what was cut; undefined if nothing was. The same text for the same hook, however much was cut. */
  readonly cut: string | undefined;
}

/**
 * The same effect with texts of at most {@link MAX_HOOK_TEXT} characters, and a line in each shortened one that says so: a
 * noisy hook must not fill the agent's context window. A changed prompt may be that much longer than the message that it
 * replaces. Pure.
 */
export function boundEffect(effect: HookEffect, { promptLength = 0 } = {}): BoundedEffect {
  const limits: readonly (readonly [(typeof TEXTS)[number] | "prompt", number])[] = [
    ...TEXTS.map((name) => [name, MAX_HOOK_TEXT] as const),
    ["prompt", promptLength + MAX_HOOK_TEXT],
  ];
  const bounded = limits.flatMap(([name, limit]) => {
    const text = effect[name];
    return text === undefined || text.length <= limit ? [] : [[name, limit, boundHookText(text, limit)] as const];
  });
  const [first] = bounded;
  if (first === undefined) return { effect, cut: undefined };
  return {
    effect: { ...effect, ...Object.fromEntries(bounded.map(([name, , text]) => [name, text])) },
    cut: `wrote more than ${formatCount(first[1])} characters; Atomic left out the rest. Shorten what it prints`,
  };
}

/** Texts of several hooks in paragraphs, and whether some were left out: together they have at most 50,000 characters. Pure. */
export function joinHookTexts(texts: readonly string[]): { readonly text: string; readonly cut: string | undefined } {
  let length = 0;
  const end = texts.findIndex((text) => {
    length += text.length + GAP.length;
    return length > MAX_JOINED_TEXT;
  });
  if (end === -1) return { text: texts.join(GAP), cut: undefined };
  const left = texts.length - end;
  const limit = formatCount(MAX_JOINED_TEXT);
  return {
    text: [
      ...texts.slice(0, end),
      `… (Atomic left out ${left} further texts of hooks, which exceed ${limit} characters) …`,
    ].join(GAP),
    cut: `Hooks wrote more than ${limit} characters for one message; Atomic left out the rest. Shorten what they print.`,
  };
}

/** The start of a longer text, and a line that says what is missing. */
function boundHookText(text: string, limit: number): string {
  // Never cut a surrogate pair in half.
  const end = /[\ud800-\udbff]/.test(text.charAt(limit - 1)) ? limit - 1 : limit;
  return `${text.slice(0, end)}\n… (cut by Atomic: the text of this hook is longer than ${formatCount(limit)} characters) …`;
}

function formatCount(count: number): string {
  return count.toLocaleString("en-US");
}
