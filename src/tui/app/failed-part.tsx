import { messageOf } from "../../contracts/index.ts";
import { safeLine } from "../../view/index.ts";
import { wrapText } from "../dialogs/wrap-text.ts";
import type { ShownColor } from "../theme/shown-theme.ts";
import { useTheme, useUi } from "../ui/ui-context.ts";
import { useScreenSize } from "../ui/use-screen-size.ts";
import { usePadding } from "./use-padding.ts";

/** The longest message that is shown, in columns. */
const MESSAGE_COLUMNS = 400;

/** In place of a part of the screen that cannot be drawn. */
export function FailedPart({ error }: { readonly error: unknown }) {
  const { colors } = useTheme();
  const { glyphs, keymap } = useUi();
  const padding = usePadding();
  const { width } = useScreenSize();
  const columns = Math.max(1, width - 2 * padding);
  const message = `${glyphs.failed} This cannot be shown: ${safeLine(messageOf(error), MESSAGE_COLUMNS)}`;
  const help = `${keymap.labelOf("stop")} returns to the chat. The conversation is stored.`;
  return (
    // On a low screen the message loses its last rows: what the key does is more use.
    <box flexDirection="column" flexGrow={1} flexShrink={1} minHeight={0} overflow="hidden" paddingX={padding}>
      <box flexDirection="column" flexShrink={1} minHeight={1} overflow="hidden">
        <Rows text={message} columns={columns} fg={colors.error} />
      </box>
      <box flexDirection="column" flexShrink={0}>
        <Rows text={help} columns={columns} fg={colors.muted} />
      </box>
    </box>
  );
}

/** A text of several rows, each of which keeps its height. */
function Rows({ text, columns, fg }: { readonly text: string; readonly columns: number; readonly fg: ShownColor }) {
  return wrapText(text, columns).map((row, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity but their place
    <text key={index} wrapMode="none" height={1} flexShrink={0} fg={fg}>
      {row}
    </text>
  ));
}
