import { formatDuration, safeLine } from "../../view/index.ts";
import type { ChatState } from "../chat/chat-state.ts";
import { countComments } from "../chat/diff-comments.ts";
import { describeUnsent } from "../chat/message-queue.ts";
import type { ChatHost } from "../host/chat-host.ts";
import { useChat, useKeys, useScreen, useUi } from "../ui/ui-context.ts";
import type { Dialog } from "../ui/ui-store.ts";
import { DialogFrame, useDialogSize } from "./dialog-frame.tsx";
import { TextLine } from "./text-line.tsx";
import { useNow } from "./use-now.ts";
import { wrapText } from "./wrap-text.ts";

/** Asks before the chat ends while something is in progress. Only `y` quits. */
export function ConfirmQuitDialog() {
  const { keymap, ui, quit, host } = useUi();
  const { dialog } = useScreen();
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
      {[...commentLines(dialog, host), ...whatQuitEnds(chat, now)]
        .flatMap((line) => wrapText(line, columns))
        .map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their place
          <TextLine key={index} text={line} />
        ))}
    </DialogFrame>
  );
}

function commentLines(dialog: Dialog | undefined, { conversations }: ChatHost): readonly string[] {
  const count = dialog?.type === "confirm-quit" ? (dialog.commentCount ?? 0) : 0;
  const end = conversations?.saveEntries === undefined ? "." : ", and stay with the conversation.";
  return count === 0 ? [] : [`${countComments(count)} on diffs will not be sent${end}`];
}

/** How many queued messages are named. */
const MAX_NAMED = 3;

/** The longest part of a queued message that is shown, in columns. */
const MESSAGE_COLUMNS = 60;

/** What ends when the chat does, and what does not. */
export function whatQuitEnds({ agentType, model, queue, asks }: ChatState, now: number): readonly string[] {
  const { turn } = model;
  return [
    ...(turn === undefined
      ? []
      : [
          `${agentType} works: ${safeLine(turn.activity, 40)}, ${formatDuration(now - turn.startedAt)}. Its turn is stopped.`,
        ]),
    ...queuedLines(queue),
    ...(asks.length === 0 ? [] : [`Questions of the agent that are not answered: ${asks.length}.`]),
    "The conversation is stored, and runs in the background continue.",
  ];
}

function queuedLines(queue: ChatState["queue"]): readonly string[] {
  if (queue.length === 0) return [];
  const named = queue.slice(0, MAX_NAMED).map(({ text }) => `  "${safeLine(text, MESSAGE_COLUMNS)}"`);
  const more = queue.length - MAX_NAMED;
  return [`${describeUnsent(queue.length)}:`, ...named, ...(more > 0 ? [`  and ${more} more`] : [])];
}
