import type { Command } from "commander";
import { quoteWord } from "./output/quote-word.ts";
import { failUnknown } from "./program-options.ts";

/** What other programs call a command, with the call that does it here. `run` is the run that was named, or `RUN`. */
const RUN_WORDS: Readonly<Record<string, (run: string) => string>> = {
  attach: (run) => `atomic runs watch ${run}`,
  follow: (run) => `atomic runs watch ${run}`,
  kill: (run) => `atomic runs cancel ${run} --force`,
  log: (run) => `atomic runs show ${run} --log`,
  logs: (run) => `atomic runs show ${run} --log`,
  ps: () => "atomic runs list",
  remove: (run) => `atomic runs delete ${run}`,
  replay: (run) => `atomic runs fork ${run} --at 1, or for a recording atomic run WORKFLOW --replay FILE`,
  rm: (run) => `atomic runs delete ${run}`,
  status: (run) => `atomic runs show ${run}`,
  stop: (run) => `atomic runs cancel ${run}`,
};

/** The same for words that stand alone. */
const OWN_WORDS: Readonly<Record<string, string>> = {
  chat: "atomic, which opens the chat",
};

/** A call with more words than this is probably a message to an agent. */
const MAX_WORDS = 2;

/** Reports an unknown command of `atomic runs`, with the call that is meant. */
export function failUnknownOfRuns(runs: Command, words: readonly string[]): never {
  const [name = ""] = words;
  failUnknown(runs, name, [], familiarRunCall(words));
}

/** What an unknown command of `atomic` means, if another program has one of that name. */
export function familiarCall(words: readonly string[]): string | undefined {
  const [name = ""] = words;
  if (words.length > MAX_WORDS) return undefined;
  return Object.hasOwn(OWN_WORDS, name) ? OWN_WORDS[name] : familiarRunCall(words);
}

function familiarRunCall([name = "", run]: readonly string[]): string | undefined {
  if (!Object.hasOwn(RUN_WORDS, name)) return undefined;
  return RUN_WORDS[name]?.(run === undefined || run.startsWith("-") ? "RUN" : quoteWord(run));
}
