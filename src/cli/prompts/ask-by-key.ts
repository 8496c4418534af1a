import type { PromptStreams } from "./prompt-streams.ts";
import { setRawMode } from "./quiet-keyboard.ts";

/** Escape and Ctrl+C in raw mode. */
const ESCAPE = "\u001b";
const CANCEL = "\u0003";

/** The pressed key: one of the accepted keys, Escape or Ctrl+C. */
export type PressedKey = { readonly type: "key"; readonly key: string } | { readonly type: "escape" | "cancel" };

/**
 * Asks for a single key in one short line, for terminals too small for a list of choices. Ignores other keys, including
 * Enter, and restores the terminal's mode. Returns undefined when the signal aborts first.
 */
export async function askByKey(
  { input, output }: PromptStreams,
  { line, keys, signal }: { readonly line: string; readonly keys: readonly string[]; readonly signal: AbortSignal },
): Promise<PressedKey | undefined> {
  if (signal.aborted) return undefined;
  const { promise, resolve } = Promise.withResolvers<PressedKey | undefined>();
  const onData = (chunk: unknown): void => {
    const text = String(chunk);
    if (text.includes(CANCEL)) resolve({ type: "cancel" });
    else if (text === ESCAPE) resolve({ type: "escape" });
    else if (keys.includes(text)) resolve({ type: "key", key: text });
  };
  const onAbort = (): void => resolve(undefined);
  signal.addEventListener("abort", onAbort, { once: true });
  setRawMode(input, true);
  input.on("data", onData).resume();
  output.write(line);
  try {
    return await promise;
  } finally {
    signal.removeEventListener("abort", onAbort);
    input.off("data", onData).pause();
    setRawMode(input, false);
    output.write("\n");
  }
}
