import { messageOf } from "../../contracts/index.ts";
import { safeLine } from "../../view/index.ts";
import { useTheme, useUi } from "../ui/ui-context.ts";

/** The longest message that is shown, in columns. */
const MESSAGE_COLUMNS = 400;

/** In place of a part of the screen that cannot be drawn. */
export function FailedPart({ error }: { readonly error: unknown }) {
  const { colors } = useTheme();
  const { glyphs, keymap } = useUi();
  return (
    <box flexDirection="column" flexGrow={1} paddingX={2}>
      <text
        fg={colors.error}
      >{`${glyphs.failed} This cannot be shown: ${safeLine(messageOf(error), MESSAGE_COLUMNS)}`}</text>
      <text fg={colors.muted}>{`${keymap.labelOf("stop")} returns to the chat. The conversation is stored.`}</text>
    </box>
  );
}
