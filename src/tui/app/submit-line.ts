import { messageOf } from "../../contracts/index.ts";
import type { ChatServices } from "./create-services.ts";

/** What {@link submitLine} uses. */
export type SubmitLineServices = Pick<ChatServices, "chat"> & {
  readonly host: Pick<ChatServices["host"], "history">;
  readonly runner: Pick<ChatServices["runner"], "submit">;
};

/** Submits a text that was not typed into the input, which stores its messages itself, and adds it to the history. */
export async function submitLine({ host, chat, runner }: SubmitLineServices, text: string): Promise<void> {
  host.history
    ?.append(text)
    .catch((error: unknown) =>
      chat.notice(`The message is not in the history: ${messageOf(error)}`, { tone: "error" }),
    );
  await runner.submit(text);
}
