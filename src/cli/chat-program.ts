import type { Command } from "commander";
import type { ChatFlags } from "./chat/chat-flags.ts";
import type { CliEnvironment } from "./environment.ts";
import type { ExitCode } from "./exit-code.ts";

/** Options that only `atomic -p` has, by the names of their values. */
const PROMPT_ONLY = ["schema", "file", "image", "json"] as const;

/** Options that only the chat has. */
const CHAT_ONLY = ["continue", "full", "inline", "plain"] as const;

const CI_IS_SET =
  'error: The chat does not open, because the variable CI is set. Unset it, or send one message: atomic -p "…"';

/** Adds the options of the chat to those of the program, which it has in common with `atomic -p`. */
export function addChatOptions(program: Command): void {
  program
    .option("-c, --continue", "chat: continue the newest conversation of this project")
    .option("--full", "chat: use the whole screen")
    .option("--inline", "chat: keep finished messages in the terminal's own scrollback")
    .option("--plain", "chat: print lines of text only, for screen readers and logs");
}

/** Whether a person is there, at a terminal where the chat can be drawn. */
export function canOpenChat({ isInteractive, stdout }: Pick<CliEnvironment, "isInteractive" | "stdout">): boolean {
  return isInteractive && stdout.isTTY;
}

/** Opens the chat, if a person is there or `--plain` asks for lines. Undefined where the help is to be shown. */
export async function openChatIfPossible(
  program: Command,
  environment: CliEnvironment,
  flags: ChatFlags,
): Promise<ExitCode | undefined> {
  if (!canOpenChat(environment) && flags.plain !== true) {
    const isInTerminal = environment.stdout.isTTY && !environment.hasPipedInput;
    if (isInTerminal && environment.env.CI) program.error(CI_IS_SET, { code: "atomic.chatInCi" });
    rejectOptions(program, CHAT_ONLY, () => "needs a terminal, where the chat opens.");
    return undefined;
  }
  rejectOptions(program, PROMPT_ONLY, (option) => `needs a message: atomic -p "…" ${option}`);
  const { chatCommand } = await import("./commands/chat-command.ts");
  return await chatCommand(environment, flags);
}

/** Reports an option of the chat beside a message of `atomic -p`, which has no use for it. */
export function rejectChatOptions(program: Command): void {
  rejectOptions(program, CHAT_ONLY, () => "is for the chat. Omit -p, or the option.");
}

function rejectOptions(program: Command, names: readonly string[], describe: (option: string) => string): void {
  const option = program.options.find(
    (known) => names.includes(known.attributeName()) && program.getOptionValueSource(known.attributeName()) === "cli",
  );
  if (option === undefined) return;
  program.error(`error: ${option.long ?? option.flags} ${describe(option.flags)}`, {
    code: "commander.conflictingOption",
  });
}
