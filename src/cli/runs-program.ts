import { type Command, Option } from "commander";
import type { CliEnvironment } from "./environment.ts";
import type { ExitCode } from "./exit-code.ts";
import { failUnknownOfRuns } from "./familiar-words.ts";
import { collect, type Finish, hereOrDetached, TRUST, withRunOptions } from "./program-options.ts";

/** The parser would read an answer that starts with a dash as an option. */
const DASH_HINT = "(Put -- before an answer that starts with a dash: atomic runs answer RUN -- -x)\n";

/** `atomic runs …` */
export function addRunsCommands(program: Command, environment: CliEnvironment, finish: Finish): void {
  const runs = program.command("runs").description("inspect and control runs");
  runs.on("command:*", (words: readonly string[]) => failUnknownOfRuns(runs, words));
  addReadingCommands(runs, environment, finish);
  withRunOptions(runs.command("resume <run>"))
    .description("resume a run that was paused, was cancelled, was killed, or failed")
    .action(async (run: string, flags) => {
      const here = async (): Promise<ExitCode> => {
        const { resumeCommand } = await import("./commands/resume-command.ts");
        return await resumeCommand(environment, run, flags);
      };
      finish(await hereOrDetached(environment, { flags, run }, here));
    });
  withRunOptions(runs.command("answer <run> [answer]"))
    .usage("[options] <run> <answer>")
    .description("answer a run's question and resume the run")
    .option("--request <name>", "the id or node of the question, if the run has several")
    .configureOutput({
      outputError: (text, write) => write(text.startsWith("error: unknown option") ? `${text}${DASH_HINT}` : text),
    })
    .action(async (prefix: string, answer: string | undefined, flags) => {
      const { answerCommand } = await import("./commands/answer-command.ts");
      finish(await answerCommand(environment, { prefix, answer, flags }));
    });
  runs
    .command("edit <run>")
    .description("change the state of a run that is waiting, was cancelled, or failed")
    .addOption(
      new Option(
        "--set <field=value>",
        "set a field of the state: text as is, other values as JSON (repeatable)",
      ).argParser(collect),
    )
    .option("--trust", TRUST)
    .option("--json", "print JSON")
    .action(async (run: string, flags) => {
      const { editCommand } = await import("./commands/edit-command.ts");
      finish(await editCommand(environment, run, flags));
    });
  withRunOptions(runs.command("fork <run>"))
    .description("start a new run from a moment of another one, which does not change")
    .option("--at <moment>", "the moment, as atomic runs history names it (default: the last one)")
    .addOption(
      new Option(
        "--set <field=value>",
        "set a field of the new run's state: text as is, other values as JSON (repeatable)",
      ).argParser(collect),
    )
    .option("--no-run", "only create the run; atomic runs resume starts it")
    .action(async (run: string, flags) => {
      const { forkCommand } = await import("./commands/fork-command.ts");
      finish(await forkCommand(environment, run, flags));
    });
  addSteeringCommands(runs, environment, finish);
  addUpkeepCommands(runs, environment, finish);
}

/** Commands that only read runs. */
function addReadingCommands(runs: Command, environment: CliEnvironment, finish: Finish): void {
  runs
    .command("list")
    .description("list the runs, newest first")
    .addOption(
      new Option("--status <status>", "only runs with this status, for example failed (repeatable)").argParser(collect),
    )
    .option("--waiting", "only runs with a question that nobody has answered")
    .option("--project [folder]", "only runs of the project of a folder, by default of the current one")
    .option("--limit <count>", "only so many, the newest")
    .option("--json", "print JSON")
    .action(async (flags) => {
      const { listRunsCommand } = await import("./commands/list-runs-command.ts");
      finish(await listRunsCommand(environment, flags));
    });
  runs
    .command("show <run>")
    .description("show the status and the steps of a run")
    .option("--output", "print only the output of the run")
    .option("--state", "print only the state of the run, as JSON")
    .option("--log", "print only the log of the run and of its steps, with timestamps")
    .option("--json", "print JSON")
    .action(async (run: string, flags) => {
      const { showRunCommand } = await import("./commands/runs-commands.ts");
      finish(await showRunCommand(environment, run, flags));
    });
  runs
    .command("report <run>")
    .description("write the report of a run: one HTML file with its graph, steps, commands, questions and changes")
    .option("--output <file>", "the file, or - for standard output (default: a file in the session's folder)")
    .option("--redact", "leave out prompts, outputs, diffs and every other text")
    .option("--force", "replace the file even if it is not a report")
    .option("--open", "open it in the browser")
    .option("--json", "print JSON")
    .action(async (run: string, flags) => {
      const { reportCommand } = await import("./commands/report-command.ts");
      finish(await reportCommand(environment, run, flags));
    });
  runs
    .command("watch <run>")
    .description("follow a run in progress, from any terminal; Ctrl+C leaves it alone")
    .option("--json", "print each event as a line of JSON")
    .option("--no-color", "disable colours")
    .action(async (run: string, flags) => {
      const { watchCommand } = await import("./commands/watch-command.ts");
      finish(await watchCommand(environment, run, flags));
    });
  runs
    .command("history <run>")
    .description("list the moments of a run, oldest first: each step, question, answer and edit")
    .option("--json", "print JSON")
    .action(async (run: string, flags) => {
      const { historyCommand } = await import("./commands/history-command.ts");
      finish(await historyCommand(environment, run, flags));
    });
  runs
    .command("compare <first> <second>")
    .description("compare two runs, or recordings of runs: outcome, cost, time and prompts, side by side")
    .option("--json", "print JSON")
    .action(async (first: string, second: string, flags) => {
      const { compareRunsCommand } = await import("./commands/compare-runs-command.ts");
      finish(await compareRunsCommand(environment, [first, second], flags));
    });
}

/** Commands that act on a run, or its nodes, while a process executes it. */
function addSteeringCommands(runs: Command, environment: CliEnvironment, finish: Finish): void {
  withRunOptions(runs.command("retry <run> <node>"))
    .description("restart a node that is running, is waiting, or failed")
    .action(async (run: string, node: string, flags) => {
      const here = async (): Promise<ExitCode> => {
        const { retryNodeCommand } = await import("./commands/steer-commands.ts");
        return await retryNodeCommand(environment, { run, node }, flags);
      };
      finish(await hereOrDetached(environment, { flags, run }, here));
    });
  withRunOptions(runs.command("skip <run> <node>"))
    .description("skip a node that is running, is waiting, or failed")
    .option("--update <json>", "the state update to apply in place of the node's")
    .action(async (run: string, node: string, flags) => {
      const here = async (): Promise<ExitCode> => {
        const { skipNodeCommand } = await import("./commands/steer-commands.ts");
        return await skipNodeCommand(environment, { run, node }, flags);
      };
      finish(await hereOrDetached(environment, { flags, run }, here));
    });
  runs
    .command("pause <run>")
    .description("pause a run after the steps in progress finish")
    .option("--json", "print JSON")
    .action(async (run: string, flags) => {
      const { pauseCommand } = await import("./commands/steer-commands.ts");
      finish(await pauseCommand(environment, run, flags));
    });
  runs
    .command("cancel <run> [node]")
    .description("cancel a run, which can be resumed later, or fail one of its nodes")
    .option("--force", "kill the run's process where it does not end the run within 5 s")
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

/** Commands that act on all runs, for people and schedulers. */
function addUpkeepCommands(runs: Command, environment: CliEnvironment, finish: Finish): void {
  runs
    .command("due")
    .description("resume the runs that waited for a time which has passed, while no process executed them")
    .option("--watch", "continue until Ctrl+C: resume each run when its time comes")
    .option("--dry-run", "only list the runs that wait for a time")
    .option("--json", "print JSON, one line for each run that is resumed or ends")
    .action(async (flags) => {
      const { dueRunsCommand } = await import("./commands/due-runs-command.ts");
      finish(await dueRunsCommand(environment, flags));
    });
  runs
    .command("delete <runs...>")
    .description("delete what is kept of runs: their sessions, with journals, logs and results")
    .option("--force", "also runs that can be resumed: all that are not completed")
    .option("--json", "print JSON, one line for each run")
    .action(async (ids: readonly string[], flags) => {
      const { deleteRunsCommand } = await import("./commands/delete-runs-command.ts");
      finish(await deleteRunsCommand(environment, ids, flags));
    });
  runs
    .command("gc")
    .description("remove what runs of this project no longer need: their worktrees")
    .addOption(
      new Option(
        "--force <worktree>",
        "remove this one with everything in it; a branch that is not merged stays (repeatable)",
      ).argParser(collect),
    )
    .option("--json", "print JSON")
    .action(async (flags) => {
      const { collectRunsCommand } = await import("./commands/collect-runs-command.ts");
      finish(await collectRunsCommand(environment, flags));
    });
}
