/** A code block of a document that a comment before it, invisible to readers, marks for the tests. */
export interface MarkedFence {
  /** The text of the comment, for example `run`, or `file: .atomic/workflows/poem.ts`. */
  readonly marker: string;
  readonly text: string;
}

/** A command of a console block, with the output below it. */
export interface ConsoleStep {
  readonly command: string;
  readonly output: readonly string[];
}

/** The code blocks of a Markdown document that follow directly on a comment. */
export function parseMarkedFences(document: string): readonly MarkedFence[] {
  const fences = document.matchAll(/^<!-- (.+) -->\n```\w*\n([\s\S]*?)^```$/gm);
  return [...fences].map(([, marker = "", text = ""]) => ({ marker, text }));
}

/** Parses a console block, in which the prompt `❯ ` starts a command. */
export function parseConsole(text: string): readonly ConsoleStep[] {
  const steps: { readonly command: string; readonly output: string[] }[] = [];
  for (const line of text.trimEnd().split("\n")) {
    if (line.startsWith("❯ ")) steps.push({ command: line.slice(2), output: [] });
    else steps.at(-1)?.output.push(line);
  }
  return steps;
}

/**
 * Drops the lines of an output that a document leaves out: at a line `…`, lines are skipped up to the next one that
 * matches. Other differences stay, so a comparison with the document shows them.
 */
export function shortenLike(documented: readonly string[], output: readonly string[]): readonly string[] {
  const kept: string[] = [];
  let index = 0;
  for (const [place, line] of documented.entries()) {
    if (line.trim() !== "…") {
      const actual = output[index++];
      if (actual !== undefined) kept.push(actual);
      continue;
    }
    const next = documented[place + 1];
    const found = next === undefined ? output.length : output.indexOf(next, index);
    if (found === -1) break;
    kept.push(line);
    index = found;
  }
  return [...kept, ...output.slice(index)];
}
