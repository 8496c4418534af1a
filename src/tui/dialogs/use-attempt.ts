import { messageOf } from "../../contracts/index.ts";
import { useUi } from "../ui/ui-context.ts";

/** Closes the dialog and does something. An error becomes a line of the conversation. */
export function useAttempt(): (action: () => Promise<void>) => void {
  const { chat, ui } = useUi();
  return (action) => {
    ui.close();
    action().catch((error: unknown) => chat.notice(messageOf(error), { tone: "error" }));
  };
}
