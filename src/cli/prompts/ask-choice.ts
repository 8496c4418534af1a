import type { Writable } from "node:stream";
import { askByKey } from "./ask-by-key.ts";
import { guardPrompt, type UnansweredPrompt } from "./guard-prompt.ts";
import type { PromptStreams } from "./prompt-streams.ts";
import { selectAnswer } from "./select-answer.ts";

/** An answer that a person can choose. */
export interface Choice<T> {
  readonly value: T;
  readonly label: string;
  /** The label in a terminal too small for lists; its first letter is the key. @default the choice is omitted there */
  readonly brief?: string;
}

/** Settings of {@link askChoice}. */
export interface AskChoiceOptions<T> {
  readonly streams: PromptStreams;
  readonly message: string;
  /** The last one is the safe one: typing anything that matches no label selects it. */
  readonly choices: readonly Choice<T>[];
  /** Withdraws the question. */
  readonly signal: AbortSignal;
  /** Text above the question. @default none */
  readonly text?: string;
}

/** The answer to a question. */
export type ChoiceAnswer<T> = { readonly type: "chosen"; readonly value: T } | UnansweredPrompt;

/** Asks the person at the terminal. Call `waitForQuietKeyboard` first. */
export async function askChoice<T>({
  streams,
  message,
  choices,
  signal,
  text = "",
}: AskChoiceOptions<T>): Promise<ChoiceAnswer<T>> {
  return await guardPrompt<ChoiceAnswer<T>>({ streams, signal }, async (stop) => {
    streams.output.write(text);
    if (isSmall(terminalSize(streams.output))) return chooseByKey(streams, choices, stop);
    const answer = await selectAnswer({ streams, message, options: choices, signal: stop, safe: choices.length - 1 });
    const chosen = answer === undefined ? undefined : choices[answer];
    return chosen === undefined ? undefined : { type: "chosen", value: chosen.value };
  });
}

async function chooseByKey<T>(
  streams: PromptStreams,
  choices: readonly Choice<T>[],
  signal: AbortSignal,
): Promise<ChoiceAnswer<T> | undefined> {
  const briefs = choices.flatMap(({ brief }) => brief ?? []);
  const keys = briefs.map((brief) => brief.charAt(0));
  const pressed = await askByKey(streams, { line: `${briefs.join(", ")}?`, keys, signal });
  if (pressed?.type !== "key") return pressed;
  const chosen = choices.find(({ brief }) => brief?.startsWith(pressed.key));
  return chosen === undefined ? undefined : { type: "chosen", value: chosen.value };
}

/** The size of a terminal. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** Whether a terminal is too small for a list of choices. */
export function isSmall({ columns, rows }: TerminalSize): boolean {
  return columns < 40 || rows < 12;
}

/** The size of an output's terminal. @default 80 columns and 24 rows */
export function terminalSize(output: Writable): TerminalSize {
  const read = (name: "columns" | "rows"): number | undefined => {
    const value: unknown = Reflect.get(output, name);
    return typeof value === "number" && value > 0 ? value : undefined;
  };
  return { columns: read("columns") ?? 80, rows: read("rows") ?? 24 };
}
