import { Writable } from "node:stream";
import { wrapWords } from "../../view/index.ts";
import { permissionFlagsOf, type RunFlags } from "../config/run-flags.ts";
import type { CliEnvironment, TextOutput } from "../environment.ts";
import { quoteWord } from "../output/quote-word.ts";

/** What the chat describes with the text of a command. */
export type Topic = "doctor" | "init" | "permissions" | "tools";

/** The narrowest table that can be read: that of the narrowest screen. Wrapped again, it could not. */
const MIN_COLUMNS = 20;

/** Columns of the conversation that text does not use. */
const MARGIN_COLUMNS = 6;

/**
 * The text of `atomic doctor`, `atomic permissions list` or `atomic tools list`, errors and notes included. Before the permissions,
 * a line names the options of this conversation that change them; of the protected files, only examples are named.
 */
export async function describeTopic(
  environment: CliEnvironment,
  topic: Topic,
  { flags = {} }: { readonly flags?: RunFlags } = {},
): Promise<string> {
  let text = "";
  const write = (more: string): void => {
    text += more;
  };
  const stream = new Writable({
    write(chunk, _encoding, done) {
      write(String(chunk));
      done();
    },
  });
  const columns = Math.max(MIN_COLUMNS, environment.stdout.columns - MARGIN_COLUMNS);
  const output: TextOutput = { write, stream, columns, isTTY: true };
  // Nobody can answer a question of a command: the terminal belongs to the UI.
  await runCommand({ ...environment, args: [topic], stdout: output, stderr: output, isInteractive: false }, topic);
  const options = topic === "permissions" ? optionsOf(flags) : [];
  const own = options.length === 0 ? [] : wrapWords(`This conversation also has: ${options.join(" ")}`, columns);
  return [...own, ...(own.length === 0 ? [] : [""]), text.trimEnd()].join("\n");
}

function optionsOf(flags: RunFlags): readonly string[] {
  const { allow, deny, isYolo } = permissionFlagsOf(flags);
  return [
    ...allow.map((rule) => `--allow ${quoteWord(rule)}`),
    ...deny.map((rule) => `--deny ${quoteWord(rule)}`),
    ...(isYolo ? ["--yolo"] : []),
  ];
}

async function runCommand(environment: CliEnvironment, topic: Topic): Promise<void> {
  switch (topic) {
    case "doctor": {
      const { doctorCommand } = await import("../commands/doctor-command.ts");
      await doctorCommand(environment, {});
      return;
    }
    case "init": {
      const { initCommand } = await import("../commands/init-command.ts");
      await initCommand(environment, { yes: true });
      return;
    }
    case "permissions": {
      const { listPermissionsCommand } = await import("../commands/permissions-commands.ts");
      await listPermissionsCommand(environment, { isFolded: true });
      return;
    }
    case "tools": {
      const { listToolsCommand } = await import("../tools/tools-commands.ts");
      await listToolsCommand(environment, {});
      return;
    }
  }
}
