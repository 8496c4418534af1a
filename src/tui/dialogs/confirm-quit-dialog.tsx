import { formatDuration, safeLine } from "../../view/index.ts";
import type { ChatState } from "../chat/chat-state.ts";
import { useChat, useKeys, useUi } from "../ui/ui-context.ts";
import { DialogFrame, useDialogSize } from "./dialog-frame.tsx";
import { TextLine } from "./text-line.tsx";
import { useNow } from "./use-now.ts";
import { wrapText } from "./wrap-text.ts";

/** Asks before the chat ends while something is in progress. Only `y` quits. */
export function ConfirmQuitDialog() {
  const { keymap, ui, quit } = useUi();
  const chat = useChat();
  const { columns } = useDialogSize();
  const now = useNow({ isRunning: chat.model.turn !== undefined });
  useKeys(
    (key) => {
      if (key.name === "y" && !key.ctrl && !key.meta) quit();
      else if (key.name === "n" || key.name === "return" || keymap.matches("stop", key)) ui.close();
      return true;
    },
    { isModal: true },
  );
  return (
    <DialogFrame title="Quit?" footer={["y quit", `n or ${keymap.labelOf("stop")} stay`]} tone="warning">
      {whatQuitEnds(chat, now)
        .flatMap((line) => wrapText(line, columns))
        .map((line) => (
          <TextLine key={line} text={line} />
        ))}
    </DialogFrame>
  );
}

/** What ends when the chat does, and what does not. */
export function whatQuitEnds({ agentType, model, queue, asks }: ChatState, now: number): readonly string[] {
  const { turn } = model;
  return [
    ...(turn === undefined
      ? []
      : [
          `${agentType} works: ${safeLine(turn.activity, 40)}, ${formatDuration(now - turn.startedAt)}. Its turn is stopped.`,
        ]),
    ...(queue.length === 0 ? [] : [`Queued messages that are not sent: ${queue.length}.`]),
    ...(asks.length === 0 ? [] : [`Questions of the agent that are not answered: ${asks.length}.`]),
    "The conversation is stored, and runs in the background continue.",
  ];
}
