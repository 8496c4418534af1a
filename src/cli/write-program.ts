import type { Command } from "commander";
import type { CliEnvironment } from "./environment.ts";
import type { ExitCode } from "./exit-code.ts";
import { type Finish, hereOrDetached, refuseSeveralWords, withRunOptions } from "./program-options.ts";

const DETAILS = `
An agent writes a workflow script for the task. It is checked and tried with made-up answers, and you see it before it
runs: answer run, keep or discard, or say what to change. Its agents have the permissions of this call, and no more.

Exit codes: 0 done, 1 no script could be written or it failed, 2 usage error, 3 a script waits for your approval.`;

/** Adds `atomic write`. */
export function addWriteCommand(program: Command, environment: CliEnvironment, finish: Finish): void {
  const write = withRunOptions(program.command("write [task]"))
    .description("have an agent write a workflow script for a task, and run it when you approve")
    .addHelpText("after", DETAILS)
    .option("--name <name>", "the name of the script (default: the agent chooses)")
    .option("--max-agents <count>", "how many agents the script may call (default: 20)")
    .option("--keep", "keep the script in .atomic/workflows when it has run, without a question")
    .allowExcessArguments()
    .action(async (task: string | undefined, flags, { args }: Command) => {
      refuseSeveralWords(write, "write", args);
      const here = async (): Promise<ExitCode> => {
        const { writeCommand } = await import("./commands/write-command.ts");
        return await writeCommand(environment, task, flags);
      };
      finish(await hereOrDetached(environment, { flags }, here));
    });
}
