/** What a text holds as JSON. */
export type JsonText = { readonly isJson: true; readonly value: unknown } | { readonly isJson: false };

/** Finds the JSON in an answer: the whole text, a fenced block, or what stands between the outermost brackets. */
export function parseJsonText(text: string): JsonText {
  const fenced = /```(?:json)?\s*\n([\s\S]*?)\n\s*```/.exec(text)?.[1];
  const bracketed = /[[{][\s\S]*[\]}]/.exec(text)?.[0];
  for (const candidate of [text, fenced, bracketed]) {
    if (candidate === undefined) continue;
    try {
      return { isJson: true, value: JSON.parse(candidate) };
    } catch {
      // the next candidate may fit
    }
  }
  return { isJson: false };
}
