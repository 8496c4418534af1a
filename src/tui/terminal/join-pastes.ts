/** Settings of {@link joinPastes}. */
export interface JoinPastesOptions {
  /** Lines that follow one another within this time were not typed, in milliseconds. @default 20 */
  readonly togetherMs?: number;
  /** Ctrl+C, which discards the paste that has not ended. Returns a function that stops listening. */
  readonly onInterrupt: (listener: () => void) => () => void;
}

/** What a terminal that marks pastes is sent, and what it sends around one. */
export const MARK_PASTES = "\u001b[?2004h";
export const MARK_PASTES_NO_MORE = "\u001b[?2004l";
const PASTE_START = "\u001b[200~";
const PASTE_END = "\u001b[201~";

/**
 * The messages in the lines of a terminal: a paste is one, however many lines it has. Where the terminal does not mark it,
 * lines that arrive together are one.
 */
export async function* joinPastes(
  lines: AsyncIterable<string>,
  { togetherMs = 20, onInterrupt }: JoinPastesOptions,
): AsyncGenerator<string, void> {
  const iterator = lines[Symbol.asyncIterator]();
  let interrupted = Promise.withResolvers<"interrupted">();
  const remove = onInterrupt(() => {
    interrupted.resolve("interrupted");
    interrupted = Promise.withResolvers();
  });
  try {
    let next = iterator.next();
    for (;;) {
      const first = await next;
      if (first.done === true) return;
      next = iterator.next();
      const group = [first.value];
      let mark = markIn(first.value);
      let isDiscarded = false;
      for (;;) {
        if (mark === "end") break;
        const isOpen = mark === "start";
        const more = isOpen ? await Promise.race([next, interrupted.promise]) : await within(next, togetherMs);
        isDiscarded = more === "interrupted";
        if (more === undefined || more === "interrupted" || more.done === true) break;
        group.push(more.value);
        mark = markIn(more.value) ?? mark;
        next = iterator.next();
      }
      if (!isDiscarded) yield messageOf(group);
    }
  } finally {
    remove();
  }
}

/** What a promise resolves to, or undefined after so many milliseconds. */
async function within<Value>(promise: Promise<Value>, milliseconds: number): Promise<Value | undefined> {
  const tooLate = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => tooLate.resolve(undefined), milliseconds);
  try {
    return await Promise.race([promise, tooLate.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** The last mark of a paste in a line. */
function markIn(line: string): "start" | "end" | undefined {
  const start = line.lastIndexOf(PASTE_START);
  const end = line.lastIndexOf(PASTE_END);
  if (start === end) return undefined;
  return start > end ? "start" : "end";
}

function messageOf(group: readonly string[]): string {
  const text = group.map((line) => line.replace(/\r$/, "")).join("\n");
  const message = text.replaceAll(PASTE_START, "").replaceAll(PASTE_END, "");
  return group.length === 1 ? message : message.replace(/\n+$/, "");
}
