import { TextField } from "../ui/text-field.tsx";
import { useKeys, useUi } from "../ui/ui-context.ts";
import { useLatestState } from "../ui/use-latest-state.ts";
import { DialogFrame } from "./dialog-frame.tsx";
import { useAttempt } from "./use-attempt.ts";

/** Properties of {@link RenameDialog}. */
export interface RenameDialogProps {
  /** The name so far. */
  readonly title: string;
  readonly onCancel: () => void;
}

/** A new name for the current conversation. */
export function RenameDialog({ title, onCancel }: RenameDialogProps) {
  const { chat, keymap } = useUi();
  const attempt = useAttempt();
  const text = useLatestState(title);
  useKeys(
    (key) => {
      if (keymap.matches("stop", key) || keymap.matches("quit", key)) onCancel();
      else if (key.name !== "return") return false;
      else if (text.current().trim() !== "") attempt(() => chat.rename(text.current().trim()));
      return true;
    },
    { isModal: true },
  );
  return (
    <DialogFrame title="Name of this conversation" footer={["enter rename", `${keymap.labelOf("stop")} back`]}>
      <TextField value={title} onInput={text.set} />
    </DialogFrame>
  );
}
