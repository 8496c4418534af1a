/** A code block of a document that a comment before it, invisible to readers, marks for the tests. */
export interface MarkedFence {
  /** What the comment says, for example `run`, or `file: .atomic/workflows/poem.ts`. */
  readonly marker: string;
  readonly text: string;
}

/** A command of a console block, and the output that stands below it. */
export interface ConsoleStep {
  readonly command: string;
  readonly output: readonly string[];
}

/** The code blocks of a Markdown document that follow directly on a comment. */
export function parseMarkedFences(document: string): readonly MarkedFence[] {
  const fences = document.matchAll(/^<!-- (.+) -->\n```\w*\n([\s\S]*?)^```$/gm);
  return [...fences].map(([, marker = "", text = ""]) => ({ marker, text }));
}

/** Reads a console block, in which the prompt `❯ ` begins a command. */
export function parseConsole(text: string): readonly ConsoleStep[] {
  const steps: { readonly command: string; readonly output: string[] }[] = [];
  for (const line of text.trimEnd().split("\n")) {
    if (line.startsWith("❯ ")) steps.push({ command: line.slice(2), output: [] });
    else steps.at(-1)?.output.push(line);
  }
  return steps;
}

/**
 * Leaves out of an output what a document leaves out: where its lines have `…`, lines are skipped up to the next one
 * that agrees. What does not agree is kept, so that a comparison with the document shows it.
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
