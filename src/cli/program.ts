import { Command, CommanderError, Option } from "commander";
import type { CliEnvironment } from "./environment.ts";
import { ExitCode } from "./exit-code.ts";
import { addPermissionCommands, addTrustCommands } from "./permission-program.ts";
import { collect, type Finish, failUnknown, TRUST, withAgentOptions, withRunOptions } from "./program-options.ts";
import { safeText } from "./safe-text.ts";
import { VERSION } from "./version.ts";

const EXIT_CODES = `
Exit codes:
  0    done
  1    failed
  2    the call, a name or a file is wrong
  3    a run waits for a person: atomic runs answer
  130  cancelled`;

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
  addColorOption(program);
  // Not before: commands take it over. What is left over is the name of a command that does not exist.
  return program.allowExcessArguments().helpCommand(true);
}

/** All commands take it; most of them have no colours. */
function addColorOption(command: Command): void {
  for (const inner of command.commands) addColorOption(inner);
  const isCalled = command.commands.length === 0;
  const isKnown = command.options.some(({ long }) => long === "--no-color");
  if (isCalled && !isKnown) command.option("--no-color", "print without colour");
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
    .option(
      "-p, --prompt <message>",
      "send an agent one message, with what is piped in behind it, and print its answer (- reads the message from standard input)",
    )
    .option("--session <id>", "go on with a conversation of the agent's")
    .option("--effort <effort>", "how hard the model thinks: none, low, medium, high or max")
    .option("--system-prompt <text>", "added to the agent's own system prompt")
    .option("--schema <file>", "hold the answer to the JSON Schema in this file")
    .option("--max-turns <count>", "stop the turn when it has called the model so often")
    .option("--max-cost <usd>", "stop the turn when it has cost more; refused where the agent tells no price")
    .option("--plan-mode", "let the agent only read and plan: every edit and every command is denied")
    .option("--trust", TRUST)
    .addOption(new Option("--file <path>", "point the agent at a file (repeatable)").argParser(collect))
    .addOption(new Option("--image <path>", "show the agent a picture (repeatable)").argParser(collect));
  withAgentOptions(program).action(async (flags, { args }: Command) => {
    const [name] = args;
    if (name !== undefined && flags.prompt !== undefined) {
      program.error(`error: ${needsQuotes(`${flags.prompt} ${name}`)}`, { code: "commander.excessArguments" });
    }
    if (name !== undefined) failUnknown(program, name, args);
    if (flags.prompt === undefined) program.help({ error: true });
    const { promptCommand } = await import("./commands/prompt-command.ts");
    finish(await promptCommand(environment, flags));
  });
}

function addRunCommands(program: Command, environment: CliEnvironment, finish: Finish): void {
  const run: Command = withRunOptions(program.command("run [workflow] [prompt]"))
    .usage("[options] <workflow> [prompt]")
    .description("run a workflow, by its name or its file (a prompt of - is read from standard input)")
    // Read below: where a workflow is named, its inputs are told.
    .helpOption(false)
    .option("-h, --help", "display help for command, and the inputs of the workflow")
    .addOption(new Option("--input <name=value>", "set an input (repeatable)").argParser(collect))
    .addOption(
      new Option("--config <name=value>", "set what the workflow is built with (repeatable)").argParser(collect),
    )
    .option("--plan", "print the steps that the run would take, and start nothing")
    .allowExcessArguments()
    .action(async (name: string | undefined, prompt: string | undefined, flags, { args }: Command) => {
      refuseSeveralWords(program, `run ${name}`, args.slice(1));
      if (flags.help) run.outputHelp();
      if (name === undefined) {
        if (flags.help) return;
        run.error("error: missing required argument 'workflow'", { code: "commander.missingArgument" });
      }
      if (flags.help) {
        const { describeInputsCommand } = await import("./commands/describe-inputs-command.ts");
        return finish(await describeInputsCommand(environment, name));
      }
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
  refuseSeveralWords(program, "ralph", first === undefined ? [] : [first, ...others]);
}

/** A shell hands over each word of a prompt without quotes for itself. */
function refuseSeveralWords(program: Command, command: string, [first, ...others]: readonly string[]): void {
  if (others.length === 0) return;
  const prompt = JSON.stringify([first, ...others].join(" "));
  program.error(`error: A prompt of several words needs quotes: atomic ${command} ${prompt}`, {
    code: "commander.excessArguments",
  });
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
    .option("--state", "print the state of the run as JSON, and nothing else")
    .option("--log", "print what the run and the code of its steps said, with times, and nothing else")
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
  withRunOptions(runs.command("answer <run> [answer]"))
    .usage("[options] <run> <answer>")
    .description("answer a run's question and go on with the run")
    .option("--request <name>", "which question, by its id or its node, when the run asks several")
    .action(async (prefix: string, answer: string | undefined, flags) => {
      const { answerCommand } = await import("./commands/answer-command.ts");
      finish(await answerCommand(environment, { prefix, answer, flags }));
    });
  runs
    .command("edit <run>")
    .description("change the state of a run that waits, was stopped, or has failed")
    .addOption(
      new Option("--set <field=value>", "put a value, as JSON, in a field of the state (repeatable)").argParser(
        collect,
      ),
    )
    .option("--trust", TRUST)
    .option("--json", "print JSON")
    .action(async (run: string, flags) => {
      const { editCommand } = await import("./commands/edit-command.ts");
      finish(await editCommand(environment, run, flags));
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
