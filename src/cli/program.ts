import { type Command, CommanderError, Help, Option } from "commander";
import { safeText, wrapWords } from "../view/index.ts";
import { AtomicCommand } from "./atomic-command.ts";
import { addChatOptions, openChatIfPossible, rejectChatOptions } from "./chat-program.ts";
import { addCompletionCommands } from "./completions-program.ts";
import { addConfigCommands, addInitCommand } from "./config-program.ts";
import { addEntityCommands } from "./entity-program.ts";
import { type CliEnvironment, isJsonWanted } from "./environment.ts";
import { ExitCode } from "./exit-code.ts";
import { familiarCall } from "./familiar-words.ts";
import { addHookCommands } from "./hooks-program.ts";
import { addMigrateCommands } from "./migrate-program.ts";
import { addNotifyCommands } from "./notify-program.ts";
import { quoteWord } from "./output/quote-word.ts";
import { wrapped } from "./output/wrapped.ts";
import { addPermissionCommands, addTrustCommands } from "./permission-program.ts";
import {
  collect,
  type Finish,
  failUnknown,
  hereOrDetached,
  refuseSeveralWords,
  TRUST,
  withAgentOptions,
  withRunOptions,
} from "./program-options.ts";
import { addReviewCommand } from "./review-program.ts";
import { addRunsCommands } from "./runs-program.ts";
import { addTelemetryCommands } from "./telemetry-program.ts";
import { addToolCommands } from "./tool-program.ts";
import { VERSION } from "./version.ts";
import { addWorkflowCommands } from "./workflow-program.ts";
import { addWriteCommand } from "./write-program.ts";

/** After the list of commands, where a terminal shows the end of the help. */
const FIRST_STEPS = `
First steps:
  atomic                           chat with an agent
  atomic doctor                    check what is installed
  atomic demo                      watch a run that needs no account
  atomic -p "Explain this folder"  ask an agent
  atomic ralph "Fix the tests"     have an agent plan and do the work`;

const EXIT_CODES = `
Exit codes:
  0    done
  1    failed
  2    usage error: an invalid option, name or file
  3    a run is waiting for an answer: atomic runs answer
  130  cancelled or paused`;

const WORKFLOW_PATHS = `
A path such as ./flow.ts runs that file, wherever it is. It is code, so you must trust the project that the file is in,
or its folder if it is in no project. --trust does so.`;

const LIMIT_HINT =
  "(Limit its tasks with: atomic run ralph PROMPT --config maxIterations=N; its tokens and its cost with --max-tokens and --max-cost)\n";

const PLAN_HINT = "(Print the steps without starting them: atomic run ralph PROMPT --plan)\n";

const LIST_HINT = "(List the workflows: atomic workflows list)";

/** Thrown by the parser after it printed the help, the version or an error. */
export { CommanderError };

/** Parses the arguments and runs the command they name. @throws CommanderError when they name none */
export async function runProgram(environment: CliEnvironment): Promise<ExitCode> {
  let exitCode: ExitCode = ExitCode.done;
  const shown = isForPeople(environment)
    ? { ...environment, stdout: wrapped(environment.stdout), stderr: wrapped(environment.stderr) }
    : environment;
  const program = createProgram(shown, (code) => {
    exitCode = code;
  });
  await program.parseAsync([...withHelpLast(environment.args)], { from: "user" });
  return exitCode;
}

/** `help runs show` as `runs show --help`: the parser's own command `help` reads one word. */
function withHelpLast(args: readonly string[]): readonly string[] {
  const [first, ...path] = args;
  return first === "help" && path.length > 1 ? [...path, "--help"] : args;
}

/** Commands that print sentences and tables, which nobody pipes or copies as a whole. */
const SENTENCES: ReadonlySet<string> = new Set([
  ...["doctor", "runs list", "runs show", "runs watch", "runs due", "runs history", "runs gc", "runs pause"],
  ...["workflows verify", "hooks list", "config list", "telemetry status", "trust", "permissions list"],
]);

function isForPeople(environment: CliEnvironment): boolean {
  const [command = "", inner = ""] = environment.args;
  return !isJsonWanted(environment) && (SENTENCES.has(command) || SENTENCES.has(`${command} ${inner}`));
}

/** The program with all its commands, whose arguments are not parsed yet. */
export function createProgram(environment: CliEnvironment, finish: Finish): Command {
  const program = new AtomicCommand("atomic")
    .description("Run the coding agents you already have as typed, durable workflows.")
    .version(VERSION, "-V, --version")
    .addHelpText("after", `${FIRST_STEPS}\n${EXIT_CODES}`)
    .showSuggestionAfterError()
    .configureHelp({ subcommandTerm: termOf, formatItem: formatHelpItem })
    .configureOutput({
      writeOut: (text) => wrapped(environment.stdout).write(text),
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
  addNotifyCommands(program, environment, finish);
  addOtherCommands(program, environment, finish);
  addCompletionCommands(program, environment, finish);
  addColorOption(program);
  nameHelp(program, "atomic");
  // Last, because commands inherit this setting. An excess argument is the name of an unknown command.
  return program.allowExcessArguments().helpCommand(true);
}

/** A command in a list, with the arguments that its own help names. */
function termOf(command: Command): string {
  const isCalled = command.commands.length === 0 && command.options.length > 0;
  if (!isCalled) return new Help().subcommandTerm(command);
  return `${[command.name(), ...command.aliases()].join("|")} ${command.usage()}`;
}

/** The narrowest description beside its term, in columns. */
const MIN_DESCRIPTION_COLUMNS = 40;

/** Where a terminal has no room for a description beside its term, it is below it. */
function formatHelpItem(this: Help, term: string, termWidth: number, description: string, helper: Help): string {
  const width = this.helpWidth ?? 80;
  const isNarrow = width - termWidth - 4 < MIN_DESCRIPTION_COLUMNS;
  if (!isNarrow || description === "")
    return Help.prototype.formatItem.call(this, term, termWidth, description, helper);
  return [`  ${term}`, ...wrapWords(`      ${description}`, width)].join("\n");
}

/** An error refers to the help of the command that was called. */
function nameHelp(command: Command, call: string): void {
  command.showHelpAfterError(`(see: ${call} --help)`);
  for (const inner of command.commands) nameHelp(inner, `${call} ${inner.name()}`);
}

/** Every command accepts `--no-color`, though most print no colour. */
function addColorOption(command: Command): void {
  for (const inner of command.commands) addColorOption(inner);
  const isCalled = command.commands.length === 0;
  const isKnown = command.options.some(({ long }) => long === "--no-color");
  if (isCalled && !isKnown) command.option("--no-color", "disable colours");
}

/** Options before a command belong to `atomic -p`. The command would ignore them, `--deny` included. */
function refuseStrayOptions(program: Command, command: Command): void {
  const stray = program.options.find((option) => program.getOptionValueSource(option.attributeName()) === "cli");
  if (stray === undefined) return;
  const name = stray.long ?? stray.flags;
  // --prompt comes first among the program's options, so that it is found before any other.
  const remedy =
    name === "--prompt"
      ? needsQuotes(`${program.getOptionValue("prompt")} ${command.name()}`)
      : `Put it after the command: atomic ${command.name()} … ${name}`;
  program.error(`error: ${name} before the command '${command.name()}' has no effect. ${remedy}`, {
    code: "atomic.strayOption",
  });
}

/** Without a message, the program's own options would be ignored. */
function refuseOptionsAlone(program: Command): void {
  const option = program.options.find((known) => program.getOptionValueSource(known.attributeName()) === "cli");
  if (option === undefined) return;
  program.error(`error: ${option.long ?? option.flags} needs a message or a command: atomic -p "…" ${option.flags}`, {
    code: "commander.missingArgument",
  });
}

function needsQuotes(beginning: string): string {
  return `A message of several words needs quotes: atomic -p ${quoteWord(`${beginning} …`)}`;
}

/** `atomic -p`: the program's own options come before any command, so that commands can reuse their names. */
function addPrompt(program: Command, environment: CliEnvironment, finish: Finish): void {
  program
    .enablePositionalOptions()
    .option(
      "-p, --prompt <message>",
      "send an agent one message and print its answer; piped input is appended (- reads the message from standard input)",
    )
    .option("--session <id>", "continue one of the agent's conversations")
    .option("--effort <effort>", "reasoning effort: none, low, medium, high or max")
    .option("--system-prompt <text>", "append this to the agent's own system prompt")
    .option("--schema <file>", "require an answer that matches the JSON Schema in this file")
    .option("--max-turns <count>", "stop the turn after this many model calls")
    .option("--max-cost <usd>", "stop the turn when it exceeds this cost; an error if the agent reports no prices")
    .option("--plan-mode", "read and plan only: deny every edit and every command")
    .option("--trust", TRUST)
    .addOption(new Option("--file <path>", "point the agent at a file (repeatable)").argParser(collect))
    .addOption(new Option("--image <path>", "attach an image (repeatable)").argParser(collect));
  addChatOptions(program);
  withAgentOptions(program).action(async (flags, { args }: Command) => {
    const [name] = args;
    if (name !== undefined && flags.prompt !== undefined) {
      program.error(`error: ${needsQuotes(`${flags.prompt} ${name}`)}`, { code: "commander.excessArguments" });
    }
    if (name !== undefined) failUnknown(program, name, args, familiarCall(args));
    if (flags.prompt === undefined) {
      const exitCode = await openChatIfPossible(program, environment, flags);
      if (exitCode !== undefined) return finish(exitCode);
      refuseOptionsAlone(program);
      program.help({ error: true });
    }
    rejectChatOptions(program);
    const { promptCommand } = await import("./commands/prompt-command.ts");
    finish(await promptCommand(environment, flags));
  });
}

function addRunCommands(program: Command, environment: CliEnvironment, finish: Finish): void {
  const run: Command = withRunOptions(program.command("run [workflow] [prompt]"))
    .usage("[options] <workflow> [prompt]")
    .description("run a workflow by name, or by the path of its file (- reads the prompt from standard input)")
    .addHelpText("after", WORKFLOW_PATHS)
    // Handled below: with a workflow, the help also lists its inputs.
    .helpOption(false)
    .option("-h, --help", "display help for command and the inputs of the workflow")
    .addOption(new Option("--input <name=value>", "set an input (repeatable)").argParser(collect))
    .addOption(new Option("--config <name=value>", "configure the workflow (repeatable)").argParser(collect))
    .option("--plan", "print the steps of the run without starting it")
    .allowExcessArguments()
    .action(async (name: string | undefined, prompt: string | undefined, flags, { args }: Command) => {
      refuseSeveralWords(run, `run ${quoteWord(name ?? "")}`, args.slice(1));
      if (flags.help) run.outputHelp();
      if (name === undefined) {
        if (flags.help) return;
        run.error(`error: missing required argument 'workflow'\n${LIST_HINT}`, { code: "commander.missingArgument" });
      }
      if (flags.help) {
        const { describeInputsCommand } = await import("./commands/describe-inputs-command.ts");
        return finish(await describeInputsCommand(environment, name));
      }
      const here = async (): Promise<ExitCode> => {
        const { runWorkflowCommand } = await import("./commands/run-command.ts");
        return await runWorkflowCommand(environment, { name, prompt, flags });
      };
      finish(await (flags.plan ? here() : hereOrDetached(environment, { flags }, here)));
    });
  addRalphCommand(program, environment, finish);
  addReviewCommand(program, environment, finish);
  addWriteCommand(program, environment, finish);
}

function addRalphCommand(program: Command, environment: CliEnvironment, finish: Finish): void {
  const ralph: Command = withRunOptions(program.command("ralph [prompt]"))
    .alias("loop")
    .description("plan the work, implement it task by task, and verify the result")
    .option("--verify <command>", "the command that must succeed before a task, and the work, is done")
    .option("--workers <number>", "how many tasks at once, each in a git worktree; 1: in this folder (default: 4 or 1)")
    .option("--setup <command>", "prepare each worktree, for example with npm ci")
    .option("--agents <list>", "the agents of the workers and reviewers, in turn, separated by commas")
    .option("--no-review", "do not review the changes")
    .option("--pr", "open a pull request with gh when the work is done")
    .option("--resume <run>", "resume an earlier run; a prompt becomes a further task")
    .configureOutput({
      outputError: (text, write) => {
        if (text.startsWith("error: unknown option '--plan'")) write(`error: unknown option '--plan'\n${PLAN_HINT}`);
        else write(text.startsWith("error: unknown option '--max-iterations") ? `${text}${LIMIT_HINT}` : text);
      },
    })
    .allowExcessArguments()
    .action(async (prompt: string | undefined, flags, { args }: Command) => {
      refuseRalphSetup(ralph, args);
      const here = async (): Promise<ExitCode> => {
        const { ralphCommand } = await import("./commands/ralph-command.ts");
        return await ralphCommand(environment, prompt, flags);
      };
      finish(await hereOrDetached(environment, { flags, run: flags.resume }, here));
    });
}

/** Ralph once needed a setup. The words after `setup` are its goal. */
function refuseRalphSetup(ralph: Command, [first, ...others]: readonly string[]): void {
  if (first === "setup") {
    const goal = others[0] ?? "Add a --json flag to the list command";
    ralph.error(`error: Ralph needs no setup. Pass it the goal: atomic ralph ${quoteWord(goal)}`, {
      code: "commander.excessArguments",
    });
  }
  refuseSeveralWords(ralph, "ralph", first === undefined ? [] : [first, ...others]);
}

function addOtherCommands(program: Command, environment: CliEnvironment, finish: Finish): void {
  addWorkflowCommands(program, environment, finish);
  program
    .command("doctor")
    .description("check that everything Atomic needs is installed")
    .option("--json", "print JSON")
    .action(async (flags) => {
      const { doctorCommand } = await import("./commands/doctor-command.ts");
      finish(await doctorCommand(environment, flags));
    });
  program
    .command("install <agent>")
    .description("install the tested version of an agent (claude, opencode, copilot, acp) or of the sandbox")
    .option("--force", "reinstall it")
    .option("--json", "print JSON")
    .action(async (agent: string, flags) => {
      const { installCommand } = await import("./commands/install-command.ts");
      finish(await installCommand(environment, agent, flags));
    });
  addInitCommand(program, environment, finish);
  addConfigCommands(program, environment, finish);
  addEntityCommands(program, environment, finish);
  addToolCommands(program, environment, finish);
  addHookCommands(program, environment, finish);
  addPermissionCommands(program, environment, finish);
  addTrustCommands(program, environment, finish);
  addMigrateCommands(program, environment, finish);
  addTelemetryCommands(program, environment, finish);
  program
    .command("demo")
    .description("watch an agent repair a small project: no key, no login, no network")
    .option("-a, --agent <name>", "opencode or scripted (default: opencode if it is installed)")
    .option("--json", "print each event as a line of JSON")
    .option("--no-color", "disable colours")
    .action(async (flags) => {
      const { demoCommand } = await import("./commands/demo-command.ts");
      finish(await demoCommand(environment, flags));
    });
}
