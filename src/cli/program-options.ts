import { type Command, Option } from "commander";
import { nearestName } from "../contracts/index.ts";
import { AGENT_TYPES } from "./agents/agent-types.ts";
import type { DetachFlags } from "./commands/detach-command.ts";
import type { CliEnvironment } from "./environment.ts";
import type { ExitCode } from "./exit-code.ts";
import { quoteWord } from "./output/quote-word.ts";

/** A handler calls this with the exit code of the program. */
export type Finish = (code: ExitCode) => void;

/** What `--trust` does. */
export const TRUST = "trust this project from now on: its workflows, its tools, its settings and its agent settings";

/** Collects a repeatable option into a list. */
export function collect(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value];
}

/** Options of every command that runs an agent. */
export function withAgentOptions(command: Command): Command {
  return command
    .option("-a, --agent <name>", `the agent to use: ${AGENT_TYPES.join(", ")}`)
    .option("--model <model>", "the model, in the agent's own spelling")
    .addOption(
      new Option(
        "--allow <permission>",
        "allow calls: KIND, KIND:PATH-GLOB or shell:COMMAND-GLOB (repeatable)",
      ).argParser(collect),
    )
    .addOption(new Option("--deny <permission>", "deny calls, whatever allows them (repeatable)").argParser(collect))
    .option("--yolo", "allow every call that is not denied, without approval")
    .option("--sandbox", "run the agent in a sandbox with access only to the project, its own files and its model")
    .option("--no-hooks", "run no hooks of yours or the project's: see atomic hooks list")
    .option("--json", "print each event as a line of JSON")
    .option("--no-color", "disable colours");
}

/** Options of every command that executes a run. */
export function withRunOptions(command: Command): Command {
  return withAgentOptions(command)
    .option("--max-tokens <count>", "stop the run when it exceeds this many tokens, of all kinds together")
    .option("--max-cost <usd>", "stop the run when it exceeds this cost, as far as the agent reports prices")
    .option("--detach", "leave the run to a process of its own, without this terminal; see: atomic runs watch")
    .option("--ask <duration>", "without a terminal, wait for an answer to permission requests, for example 10m")
    .option("--answers <file>", "without a terminal, answer questions from this JSON or YAML file, by node")
    .option("--alongside", "run also while another run works in the same working tree")
    .option("--record <file>", "record the turns of the agents in a file, or in a folder: FOLDER/RUN.jsonl")
    .option("--replay <file>", "answer from a recording and ask no agent; stop at the first prompt that differs")
    .option("--no-notify", "notify nobody of this run: see atomic notify")
    .option("--trust", TRUST);
}

/** A shell passes each word of an unquoted prompt as a separate argument. */
export function refuseSeveralWords(command: Command, call: string, [first, ...others]: readonly string[]): void {
  if (others.length === 0) return;
  const prompt = quoteWord([first, ...others].join(" "));
  command.error(`error: A prompt of several words needs quotes: atomic ${call} ${prompt}`, {
    code: "commander.excessArguments",
  });
}

/** Executes a run here, or with `--detach` in a process of its own. @param run the run that the call continues */
export async function hereOrDetached(
  environment: CliEnvironment,
  { flags, run }: { readonly flags: DetachFlags; readonly run?: string | undefined },
  here: () => Promise<ExitCode>,
): Promise<ExitCode> {
  if (flags.detach !== true) return await here();
  const { detachCommand } = await import("./commands/detach-command.ts");
  return await detachCommand(environment, { run, isJson: flags.json ?? false });
}

/** A call with more words than this is probably a message to an agent. */
const MAX_CALL_WORDS = 3;

/** The subcommands with this name, as the user would call them. */
function innerCommands({ commands }: Command, name: string): readonly string[] {
  return commands
    .filter((group) => group.commands.some((inner) => inner.name() === name))
    .map((group) => `atomic ${group.name()} ${name}`);
}

/**
 * Reports an excess argument of a command with subcommands: the name of an unknown one.
 *
 * @param meantCall the call that is meant. @default the nearest name
 */
export function failUnknown(command: Command, name: string, words: readonly string[] = [], meantCall?: string): never {
  const names = [...command.commands.flatMap((known) => [known.name(), ...known.aliases()]), "help"];
  const nearest = nearestName(name, names);
  const text = words.join(" ");
  const inner = innerCommands(command, name).map((path) => [path, ...words.slice(1).map(quoteWord)].join(" "));
  const option = command.options.find(({ long }) => long === `--${name}`);
  const own = nearest === `${name}s` ? nearest : (option?.long ?? nearest);
  const suggestions =
    meantCall !== undefined
      ? [meantCall]
      : inner.length > 0 && words.length <= MAX_CALL_WORDS
        ? inner
        : own === undefined
          ? []
          : [own];
  const meant = suggestions.length === 0 ? "" : `\n(Did you mean ${suggestions.join(", or ")}?)`;
  // A command has one word, so several are probably a message.
  const message = text.includes(" ") ? `\n(To send it to an agent: atomic -p ${quoteWord(text)})` : "";
  const hint = meant === "" ? message : meant;
  command.error(`error: unknown command '${name}'${hint}`, { code: "commander.unknownCommand" });
}
