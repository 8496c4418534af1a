import { type Command, Option } from "commander";
import { nearestName } from "../contracts/index.ts";
import { AGENT_TYPES } from "./agent-types.ts";
import type { ExitCode } from "./exit-code.ts";

/** A handler's way to say how the program ends. */
export type Finish = (code: ExitCode) => void;

/** What `--trust` does. */
export const TRUST = "trust this project from now on: its workflows, its settings, and what it sets for agents";

/** Makes a list of an option that is repeated. */
export function collect(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value];
}

/** Options of everything that has an agent work. */
export function withAgentOptions(command: Command): Command {
  return command
    .option("-a, --agent <name>", `the agent that works: ${AGENT_TYPES.join(", ")}`)
    .option("--model <model>", "the model, in the agent's own spelling")
    .addOption(
      new Option(
        "--allow <permission>",
        "let the agent do this: KIND, KIND:PATH-GLOB or shell:COMMAND-GLOB (repeatable)",
      ).argParser(collect),
    )
    .addOption(new Option("--deny <permission>", "never let the agent do this (repeatable)").argParser(collect))
    .option("--yolo", "let the agent do everything that is not denied, without asking")
    .option("--sandbox", "run the agent in a sandbox: it reaches the project, its own files and its model only")
    .option("--json", "print a line of JSON for each event")
    .option("--no-color", "print without colour");
}

/** Options of every command that executes a run. */
export function withRunOptions(command: Command): Command {
  return withAgentOptions(command)
    .option("--max-tokens <count>", "stop the run when it has used more tokens, of all kinds together")
    .option("--max-cost <usd>", "stop the run when it has cost more, as far as the agent tells prices")
    .option("--trust", TRUST);
}

/** A call with more words than this is rather a message to an agent. */
const MAX_CALL_WORDS = 3;

/** The commands of this name that other commands have, as they are called. */
function innerCommands({ commands }: Command, name: string): readonly string[] {
  return commands
    .filter((group) => group.commands.some((inner) => inner.name() === name))
    .map((group) => `atomic ${group.name()} ${name}`);
}

/** What is left over behind a command that has others is the name of one that does not exist. */
export function failUnknown(command: Command, name: string, words: readonly string[] = []): never {
  const names = command.commands.flatMap((known) => [known.name(), ...known.aliases()]);
  const nearest = nearestName(name, names);
  const text = words.join(" ");
  const inner = innerCommands(command, name).map((path) => [path, ...words.slice(1)].join(" "));
  const suggestions =
    inner.length > 0 && words.length <= MAX_CALL_WORDS ? inner : nearest === undefined ? [] : [nearest];
  const meant = suggestions.length === 0 ? "" : `\n(Did you mean ${suggestions.join(", or ")}?)`;
  // Several words are no command.
  const message = text.includes(" ") ? `\n(To send it to an agent: atomic -p ${JSON.stringify(text)})` : "";
  const hint = meant === "" ? message : meant;
  command.error(`error: unknown command '${name}'${hint}`, { code: "commander.unknownCommand" });
}
