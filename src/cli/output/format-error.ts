import { AtomicError, messageWithCauses } from "../../contracts/index.ts";
import { safeText } from "../../view/index.ts";

/** Formats an error for people: one line per sentence, then the code. */
export function formatError(error: unknown): string {
  const message = safeText(messageWithCauses(error)).trimEnd();
  const [first = "", ...more] = message.split("\n");
  const lines = [...splitSentences(first), ...more];
  const code = error instanceof AtomicError ? [`(${error.code})`] : [];
  return [...lines, ...code].map((line, index) => (index === 0 ? `error: ${line}` : `       ${line}`)).join("\n");
}

/** Splits a text into sentences. A full stop inside quotes or a file name does not end one. */
function splitSentences(text: string): string[] {
  const sentences: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (character === '"' || character === "`") isQuoted = !isQuoted;
    const isEnd = !isQuoted && (character === "." || character === "?") && text[index + 1] === " ";
    if (!isEnd || !/[A-Z]/.test(text[index + 2] ?? "")) continue;
    sentences.push(text.slice(start, index + 1));
    start = index + 2;
  }
  return [...sentences, text.slice(start)];
}
