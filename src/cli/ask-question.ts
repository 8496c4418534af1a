import type { HumanRequest } from "../contracts/index.ts";
import { safeText } from "./safe-text.ts";

/** Puts a run's question to the person at the terminal. `undefined` when they leave it for later. */
export async function askQuestion(request: HumanRequest): Promise<string | undefined> {
  const { isCancel, select, text } = await import("@clack/prompts");
  const message = safeText([request.header, request.question].filter((part) => part !== undefined).join(": "));
  const { options } = request;
  const answer =
    options === undefined
      ? await text({ message })
      : await select({
          message,
          options: options.map(({ label, description }) => ({
            value: label,
            label: safeText(label),
            ...(description === undefined ? {} : { hint: safeText(description) }),
          })),
        });
  return isCancel(answer) ? undefined : answer;
}

/** Asks whether a project's code may run. */
export async function askTrust(projectDirectory: string, files: readonly string[]): Promise<boolean> {
  const { confirm, isCancel, note } = await import("@clack/prompts");
  note(files.map(safeText).join("\n"), "These files of the project run code on your machine");
  const answer = await confirm({ message: `Do you trust ${safeText(projectDirectory)}?`, initialValue: false });
  return !isCancel(answer) && answer;
}
