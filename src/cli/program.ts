import { Command, CommanderError, Option } from "commander";
import { nearestName } from "../contracts/index.ts";
import { AGENT_TYPES } from "./agent-types.ts";
import type { CliEnvironment } from "./environment.ts";
import { ExitCode } from "./exit-code.ts";
import { safeText } from "./safe-text.ts";
import { VERSION } from "./version.ts";

/** A handler's way to say how the program ends. */
type Finish = (code: ExitCode) => void;

const EXIT_CODES = `
Exit codes:
  0    done
  1    failed
  2    the call, a name or a file is wrong
  3    a run waits for a person: atomic runs answer
  130  cancelled`;

const TRUST = "trust this project from now on: its workflows, its settings, and what it sets for agents";

const WHY_EXIT_CODES = `
Exit codes:
  0    allowed
  1    denied
  2    the call of Atomic is wrong
  3    requires approval, so it is denied where nobody can be asked`;

/** Thrown by the parser when it has said all there is to say. */
export { CommanderError };

/** Whether a program reads the output; asked before, and also when, the arguments cannot be parsed. */
export function isJsonWanted({ args }: Pick<CliEnvironment, "args">): boolean {
  return args.includes("--json");
}

/** Reads the arguments and carries out the command they name. @throws CommanderError when they name none */
export async function runProgram(environment: CliEnvironment): Promise<ExitCode> {
  let exitCode: ExitCode = ExitCode.done;
  const program = createProgram(environment, (code) => {
    exitCode = code;
  });
  await program.parseAsync([...environment.args], { from: "user" });
  return exitCode;
}

function createProgram(environment: CliEnvironment, finish: Finish): Command {
  const program = new Command("atomic")
    .description("Run the coding agents you already have as typed, durable workflows.")
    .version(VERSION, "-V, --version")
    .addHelpText("after", EXIT_CODES)
    .showHelpAfterError("(see: atomic --help)")
    .showSuggestionAfterError()
    .configureOutput({
      writeOut: (text) => environment.stdout.write(text),
      writeErr: (text) => {
        if (!isJsonWanted(environment)) environment.stderr.write(safeText(text));
      },
      getOutHelpWidth: () => environment.stdout.columns,
      getErrHelpWidth: () => environment.stderr.columns,
    })
    .exitOverride();
  program.hook("preSubcommand", refuseStrayOptions);
  addPrompt(program, environment, finish);
  addRunCommands(program, environment, finish);
  addRunsCommands(program, environment, finish);
  addOtherCommands(program, environment, finish);
  // Not before: commands take it over. What is left over is the name of a command that does not exist.
  return program.allowExcessArguments().helpCommand(true);
}

function collect(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value];
}

/** Options of everything that has an agent work. */
function withAgentOptions(command: Command): Command {
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
function withRunOptions(command: Command): Command {
  return withAgentOptions(command)
    .option("--max-tokens <count>", "stop the run when it has used more tokens, of all kinds together")
    .option("--max-cost <usd>", "stop the run when it has cost more, as far as the agent tells prices")
    .option("--trust", TRUST);
}

/** Options in front of a command are those of `atomic -p`: the command would never hear of them, `--deny` included. */
function refuseStrayOptions(program: Command, command: Command): void {
  const stray = program.options.find((option) => program.getOptionValueSource(option.attributeName()) === "cli");
  if (stray === undefined) return;
  const name = stray.long ?? stray.flags;
  // --prompt comes first among the program's options, so that it is found before any other.
  const remedy =
    name === "--prompt"
      ? needsQuotes(`${program.getOptionValue("prompt")} ${command.name()}`)
      : `Put it behind the command: atomic ${command.name()} … ${name}`;
  program.error(`error: ${name} in front of the command '${command.name()}' has no effect. ${remedy}`, {
    code: "atomic.strayOption",
  });
}

function needsQuotes(beginning: string): string {
  return `A message of several words needs quotes: atomic -p "${beginning} …"`;
}

/** `atomic -p`: the program's own options stand in front of any command, so that commands may have some of the same name. */
function addPrompt(program: Command, environment: CliEnvironment, finish: Finish): void {
  program
    .enablePositionalOptions()
    .option("-p, --prompt <message>", "send an agent one message and print its answer (- reads standard input)")
    .option("--session <id>", "go on with a conversation of the agent's")
    .option("--effort <effort>", "how hard the model thinks: none, low, medium, high or max")
    .option("--system-prompt <text>", "added to the agent's own system prompt")
    .option("--schema <file>", "hold the answer to the JSON Schema in this file")
    .option("--trust", TRUST)
    .addOption(new Option("--file <path>", "point the agent at a file (repeatable)").argParser(collect))
    .addOption(new Option("--image <path>", "show the agent a picture (repeatable)").argParser(collect));
  withAgentOptions(program).action(async (flags, { args }: Command) => {
    const [name] = args;
    if (name !== undefined && flags.prompt !== undefined) {
      program.error(`error: ${needsQuotes(`${flags.prompt} ${name}`)}`, { code: "commander.excessArguments" });
    }
    if (name !== undefined) failUnknown(program, name);
    if (flags.prompt === undefined) program.help({ error: true });
    const { promptCommand } = await import("./commands/prompt-command.ts");
    finish(await promptCommand(environment, flags));
  });
}

/** What is left over behind a command that has others is the name of one that does not exist. */
function failUnknown(command: Command, name: string): never {
  const names = command.commands.flatMap((known) => [known.name(), ...known.aliases()]);
  const nearest = nearestName(name, names);
  const hint = nearest === undefined ? "" : `\n(Did you mean ${nearest}?)`;
  command.error(`error: unknown command '${name}'${hint}`, { code: "commander.unknownCommand" });
}

function addRunCommands(program: Command, environment: CliEnvironment, finish: Finish): void {
  withRunOptions(program.command("run <workflow> [prompt]"))
    .description("run a workflow (a prompt of - is read from standard input)")
    .addOption(new Option("--input <name=value>", "set an input (repeatable)").argParser(collect))
    .addOption(
      new Option("--config <name=value>", "set what the workflow is built with (repeatable)").argParser(collect),
    )
    .action(async (name: string, prompt: string | undefined, flags) => {
      const { runWorkflowCommand } = await import("./commands/run-command.ts");
      finish(await runWorkflowCommand(environment, { name, prompt, flags }));
    });
  withRunOptions(program.command("ralph [prompt]"))
    .alias("loop")
    .description("plan a piece of work, implement it task by task, verify the result")
    .option("--verify <command>", "the command that must succeed before the work counts as done")
    .option("--resume <run>", "go on with an earlier run")
    .allowExcessArguments()
    .action(async (prompt: string | undefined, flags, { args }: Command) => {
      refuseRalphSetup(program, args);
      const { ralphCommand } = await import("./commands/ralph-command.ts");
      finish(await ralphCommand(environment, prompt, flags));
    });
}

/** Ralph once had to be set up first; what follows the word is what it is to do. */
function refuseRalphSetup(program: Command, [first, ...others]: readonly string[]): void {
  if (first === "setup") {
    const goal = others[0] ?? "Add a --json flag to the list command";
    program.error(`error: Ralph needs no setup. Say what it is to do: atomic ralph "${goal}"`, {
      code: "commander.excessArguments",
    });
  }
  if (others.length === 0) return;
  const message = `error: too many arguments for 'ralph'. Expected 1 argument but got ${others.length + 1}.`;
  program.error(message, { code: "commander.excessArguments" });
}

function addRunsCommands(program: Command, environment: CliEnvironment, finish: Finish): void {
  const runs = program.command("runs").description("look at runs and go on with them");
  runs
    .command("list")
    .description("list all runs, newest first")
    .option("--json", "print JSON")
    .action(async (flags) => {
      const { listRunsCommand } = await import("./commands/runs-commands.ts");
      finish(await listRunsCommand(environment, flags));
    });
  runs
    .command("show <run>")
    .description("show what a run did so far")
    .option("--output", "print what the run has come to, and nothing else")
    .option("--json", "print JSON")
    .action(async (run: string, flags) => {
      const { showRunCommand } = await import("./commands/runs-commands.ts");
      finish(await showRunCommand(environment, run, flags));
    });
  withRunOptions(runs.command("resume <run>"))
    .description("go on with a run that was stopped, killed, or failed")
    .action(async (run: string, flags) => {
      const { resumeCommand } = await import("./commands/resume-command.ts");
      finish(await resumeCommand(environment, run, flags));
    });
  withRunOptions(runs.command("answer <run> <answer>"))
    .description("answer a run's question and go on with the run")
    .option("--request <name>", "which question, by its id or its node, when the run asks several")
    .action(async (prefix: string, answer: string, flags) => {
      const { answerCommand } = await import("./commands/answer-command.ts");
      finish(await answerCommand(environment, { prefix, answer, flags }));
    });
  addSteeringCommands(runs, environment, finish);
}

/** What is done to a run, or its nodes, while a process executes it. */
function addSteeringCommands(runs: Command, environment: CliEnvironment, finish: Finish): void {
  withRunOptions(runs.command("retry <run> <node>"))
    .description("have a node that runs, waits or has failed begin again")
    .action(async (run: string, node: string, flags) => {
      const { retryNodeCommand } = await import("./commands/steer-commands.ts");
      finish(await retryNodeCommand(environment, { run, node }, flags));
    });
  withRunOptions(runs.command("skip <run> <node>"))
    .description("have a run go on without a node that runs, waits or has failed")
    .option("--update <json>", "the fields of the state that the node would have changed")
    .action(async (run: string, node: string, flags) => {
      const { skipNodeCommand } = await import("./commands/steer-commands.ts");
      finish(await skipNodeCommand(environment, { run, node }, flags));
    });
  runs
    .command("pause <run>")
    .description("have a run start nothing new, and wait once what is in progress has finished")
    .option("--json", "print JSON")
    .action(async (run: string, flags) => {
      const { pauseCommand } = await import("./commands/steer-commands.ts");
      finish(await pauseCommand(environment, run, flags));
    });
  runs
    .command("cancel <run> [node]")
    .description("end a run, which can be resumed later; or fail one node of it")
    .option("--json", "print JSON")
    .action(async (run: string, node: string | undefined, flags) => {
      const { cancelCommand } = await import("./commands/cancel-command.ts");
      const { cancelNodeCommand } = await import("./commands/steer-commands.ts");
      const cancelling =
        node === undefined
          ? cancelCommand(environment, run, flags)
          : cancelNodeCommand(environment, { run, node }, flags);
      finish(await cancelling);
    });
}

function addOtherCommands(program: Command, environment: CliEnvironment, finish: Finish): void {
  program
    .command("workflows")
    .description("look at workflows")
    .command("list")
    .description("list what can be run here")
    .option("--trust", TRUST)
    .option("--json", "print JSON")
    .action(async (flags) => {
      const { listWorkflowsCommand } = await import("./commands/workflows-commands.ts");
      finish(await listWorkflowsCommand(environment, flags));
    });
  program
    .command("doctor")
    .description("check that everything Atomic needs is here")
    .option("--json", "print JSON")
    .action(async (flags) => {
      const { doctorCommand } = await import("./commands/doctor-command.ts");
      finish(await doctorCommand(environment, flags));
    });
  program
    .command("install <agent>")
    .description(
      "install the version that Atomic is tested with of an agent (claude, opencode, copilot, acp), or of the sandbox",
    )
    .option("--force", "install it again")
    .option("--json", "print JSON")
    .action(async (agent: string, flags) => {
      const { installCommand } = await import("./commands/install-command.ts");
      finish(await installCommand(environment, agent, flags));
    });
  addPermissionCommands(program, environment, finish);
  addTrustCommands(program, environment, finish);
  program
    .command("demo")
    .description("watch an agent repair a small project: no key, no login, no network")
    .option("-a, --agent <name>", "opencode or scripted (default: opencode where it is installed)")
    .option("--json", "print a line of JSON for each event")
    .option("--no-color", "print without colour")
    .action(async (flags) => {
      const { demoCommand } = await import("./commands/demo-command.ts");
      finish(await demoCommand(environment, flags));
    });
}

function addPermissionCommands(program: Command, environment: CliEnvironment, finish: Finish): void {
  const permissions = program.command("permissions").description("see what agents may do, and take it back");
  permissions
    .command("why [command]")
    .description("say what becomes of a call, and which rule decides")
    .option("--kind <kind>", "the kind of call: read, edit, shell, fetch, mcp, agent or other (default: shell)")
    .addOption(new Option("--path <path>", "a file the call names (repeatable)").argParser(collect))
    .option("--search", "the call reads what lies below --path (default: the working directory)")
    .option("--include <glob>", "the only files that the search reads")
    .option("--tool <name>", "the agent's name of the tool; without --kind it is one that Atomic does not know")
    .addOption(new Option("--allow <permission>", "as if this were allowed (repeatable)").argParser(collect))
    .addOption(new Option("--deny <permission>", "as if this were forbidden (repeatable)").argParser(collect))
    .option("--yolo", "as if --yolo were given")
    .option("--json", "print JSON")
    .addHelpText("after", WHY_EXIT_CODES)
    .action(async (command: string | undefined, flags) => {
      const { whyCommand } = await import("./commands/why-command.ts");
      finish(await whyCommand(environment, command, flags));
    });
  permissions
    .command("list")
    .description("list the rules that hold here, and what you allowed for good in this project")
    .option("--json", "print JSON")
    .action(async (flags) => {
      const { listPermissionsCommand } = await import("./commands/permissions-commands.ts");
      finish(await listPermissionsCommand(environment, flags));
    });
  permissions
    .command("forget [call]")
    .description("forget what you allowed for good in this project: all of it, or the call of this number or text")
    .option("--json", "print JSON")
    .action(async (call: string | undefined, flags) => {
      const { forgetPermissionsCommand } = await import("./commands/permissions-commands.ts");
      finish(await forgetPermissionsCommand(environment, call, flags));
    });
}

function addTrustCommands(program: Command, environment: CliEnvironment, finish: Finish): void {
  const trust = program
    .command("trust")
    .description("say whether this project is trusted, and what that is about; trust it, or withdraw that")
    // Options behind the name of a command below are that command's.
    .enablePositionalOptions()
    .option("--json", "print JSON")
    .allowExcessArguments()
    .action(async (flags, { args: [name] }: Command) => {
      if (name !== undefined) failUnknown(trust, name);
      const { showTrustCommand } = await import("./commands/trust-commands.ts");
      finish(await showTrustCommand(environment, flags));
    });
  trust
    .command("list")
    .description("list the projects you trust")
    .option("--json", "print JSON")
    .action(async (flags) => {
      const { listTrustCommand } = await import("./commands/trust-commands.ts");
      finish(await listTrustCommand(environment, flags));
    });
  trust
    .command("add [folder]")
    .description("trust this project, or the one in a folder, from now on")
    .option("--json", "print JSON")
    .action(async (folder: string | undefined, flags) => {
      const { addTrustCommand } = await import("./commands/trust-commands.ts");
      finish(await addTrustCommand(environment, folder, flags));
    });
  trust
    .command("revoke [folder]")
    .description("no longer trust this project, or the one in a folder, which may be gone")
    .option("--json", "print JSON")
    .action(async (folder: string | undefined, flags) => {
      const { revokeTrustCommand } = await import("./commands/trust-commands.ts");
      finish(await revokeTrustCommand(environment, folder, flags));
    });
}
