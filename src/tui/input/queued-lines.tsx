import { columnsOf, padColumns, safeLine } from "../../view/index.ts";
import type { QueuedMessage } from "../chat/chat-state.ts";
import type { Keymap } from "../keys/keymap.ts";
import { useChat, useTheme, useUi } from "../ui/ui-context.ts";

/** How many queued messages are shown. */
const MAX_LINES = 3;

/** The messages that wait for the end of the turn, or for the person. */
export function QueuedLines({ columns }: { readonly columns: number }) {
  const { colors } = useTheme();
  const { keymap, glyphs } = useUi();
  const { queue } = useChat();
  if (queue.length === 0) return null;
  const lines = queuedLines(queue, { columns: Math.max(1, columns - 4), keymap, separator: glyphs.separator });
  return (
    <box flexDirection="column" flexShrink={0} paddingLeft={2}>
      {lines.map(({ id, text }) => (
        <text key={id} fg={colors.muted} height={1} wrapMode="none">
          {text}
        </text>
      ))}
    </box>
  );
}

/** A line for each message, and for messages that wait for the person one with their keys. */
export function queuedLines(
  queue: readonly QueuedMessage[],
  { columns, keymap, separator }: { readonly columns: number; readonly keymap: Keymap; readonly separator: string },
): readonly { readonly id: string; readonly text: string }[] {
  const labels = queue.map(({ isHeld = false }) => (isHeld ? "not sent: " : "queued: "));
  const width = Math.max(0, ...labels.map(columnsOf));
  const indent = " ".repeat(width);
  const lines = queue.slice(0, MAX_LINES).map(({ id, text }, index) => {
    const label = index > 0 && labels[index] === labels[index - 1] ? "" : (labels[index] ?? "");
    return { id, text: `${padColumns(label, width)}"${safeLine(text, Math.max(1, columns - width - 2))}"` };
  });
  const further = (id: string, text: string) => ({ id, text: `${indent}${safeLine(text, columns - width)}` });
  const keys = [`${keymap.labelOf("send")} sends`, `${keymap.labelOf("editQueue")} takes the last one back`];
  const isHeld = queue.some((message) => message.isHeld === true);
  return [
    ...lines,
    ...(queue.length > MAX_LINES ? [further("more", `and ${queue.length - MAX_LINES} more`)] : []),
    ...(isHeld ? [further("keys", keys.join(` ${separator} `))] : []),
  ];
}
