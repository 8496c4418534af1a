import { safeLine } from "../../view/index.ts";
import { useChat, useTheme } from "../ui/ui-context.ts";

/** How many queued messages are shown. */
const MAX_LINES = 3;

/** The messages that wait for the end of the turn. */
export function QueuedLines({ columns }: { readonly columns: number }) {
  const { colors } = useTheme();
  const { queue } = useChat();
  if (queue.length === 0) return null;
  const label = "queued: ";
  const roomColumns = Math.max(1, columns - 4 - label.length - 2);
  return (
    <box flexDirection="column" flexShrink={0} paddingLeft={2}>
      {queue.slice(0, MAX_LINES).map(({ id, text }, index) => (
        <text key={id} fg={colors.muted} height={1} wrapMode="none">
          {`${index === 0 ? label : " ".repeat(label.length)}"${safeLine(text, roomColumns)}"`}
        </text>
      ))}
      {queue.length > MAX_LINES ? (
        <text fg={colors.muted} height={1}>{`${" ".repeat(label.length)}and ${queue.length - MAX_LINES} more`}</text>
      ) : undefined}
    </box>
  );
}
