import { formatAge } from "../../view/index.ts";
import type { ChatEntry } from "../chat/chat-entry.ts";
import { useChat, useUi } from "../ui/ui-context.ts";
import { Picker, type PickerItem } from "./picker.tsx";
import { MessageDialog } from "./text-dialog.tsx";
import { useAttempt } from "./use-attempt.ts";

/** Properties of {@link RewindDialog}. */
export interface RewindDialogProps {
  /** Receives the message, so that the user can change it and send it again. */
  readonly onDraft: (text: string) => void;
}

/** The user's messages: the conversation goes back to before the chosen one. */
export function RewindDialog({ onDraft }: RewindDialogProps) {
  const { chat, ui, now } = useUi();
  const { model } = useChat();
  const attempt = useAttempt();
  const items = rewindItems(model.entries, now());
  if (items.length === 0) return <MessageDialog title="Rewind" message="You have not sent a message yet." />;
  const rewind = async (entryId: string): Promise<void> => {
    const text = await chat.rewind(entryId);
    if (text !== undefined) onDraft(text);
  };
  return (
    <Picker
      title="Rewind to before"
      items={items}
      note="Files stay as they are now."
      onChoose={(id) => attempt(() => rewind(id))}
      onCancel={() => ui.close()}
    />
  );
}

/** The user's messages, the newest first. Those sent into a turn are part of that turn. */
export function rewindItems(entries: readonly ChatEntry[], now: number): readonly PickerItem[] {
  return entries
    .flatMap((entry) => (entry.type === "user" && !entry.isSteering ? [entry] : []))
    .toReversed()
    .map(({ id, text, at }) => ({ id, label: text, right: formatAge(now - at) }));
}
