import { useState } from "react";
import type { SessionInfo } from "../../contracts/index.ts";
import { formatAge, safeText } from "../../view/index.ts";
import type { PressedKey } from "../keys/keymap.ts";
import { useChat, useUi } from "../ui/ui-context.ts";
import { Picker, type PickerItem } from "./picker.tsx";
import { RenameDialog } from "./rename-dialog.tsx";
import { MessageDialog } from "./text-dialog.tsx";
import { useAttempt } from "./use-attempt.ts";
import { useLoaded } from "./use-loaded.ts";

const TITLE = "Conversations";

/** The conversations of this project. Letters filter, so that the other actions have Ctrl. */
export function SessionsDialog() {
  const { chat, ui, now } = useUi();
  const { sessionId, title } = useChat();
  const attempt = useAttempt();
  const loaded = useLoaded(async () => await chat.listSessions());
  const [note, setNote] = useState<string | undefined>();
  const [isRenaming, setRenaming] = useState(false);
  if (loaded.type === "loading") return <MessageDialog title={TITLE} message="Loading the conversations …" />;
  if (loaded.type === "failed") return <MessageDialog title={TITLE} message={safeText(loaded.message)} isError />;
  if (loaded.value.length === 0) return <MessageDialog title={TITLE} message="There are no conversations yet." />;
  if (isRenaming) return <RenameDialog title={title ?? ""} onCancel={() => setRenaming(false)} />;

  const onKey = (key: PressedKey, id: string | undefined): boolean => {
    if (!key.ctrl || id === undefined) return false;
    if (key.name === "r") {
      if (id === sessionId) setRenaming(true);
      else setNote("Only the current conversation can be renamed: resume this one first.");
      return true;
    }
    if (key.name !== "f") return false;
    attempt(async () => {
      if (id !== sessionId) await chat.resume(id);
      await chat.fork();
    });
    return true;
  };
  const choose = (id: string): void => {
    if (id === sessionId) ui.close();
    else attempt(() => chat.resume(id));
  };
  return (
    <Picker
      title={TITLE}
      items={sessionItems(loaded.value, { current: sessionId, now: now() })}
      note={note}
      keysHelp={["ctrl+r rename", "ctrl+f fork"]}
      onKey={onKey}
      onMove={() => setNote(undefined)}
      onChoose={choose}
      onCancel={() => ui.close()}
    />
  );
}

/** The conversations by the user's own name or the vendor's title, the newest first. */
export function sessionItems(
  sessions: readonly (SessionInfo & { readonly name?: string })[],
  { current, now }: { readonly current: string | undefined; readonly now: number },
): readonly PickerItem[] {
  return sessions
    .toSorted((one, other) => (other.updatedAt ?? 0) - (one.updatedAt ?? 0))
    .map(({ id, title, name, updatedAt }) => ({
      id,
      label: name ?? (title.trim() === "" ? id : title),
      right: updatedAt === undefined ? undefined : formatAge(now - updatedAt),
      isCurrent: id === current,
    }));
}
