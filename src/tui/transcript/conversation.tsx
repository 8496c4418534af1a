import { useChat, useTheme } from "../ui/ui-context.ts";

/** The messages of the conversation, the newest at the bottom. */
export function Conversation() {
  const { colors } = useTheme();
  const { model } = useChat();
  return (
    <scrollbox flexGrow={1} stickyScroll stickyStart="bottom" viewportCulling>
      {model.entries.map((entry) => (
        <text key={entry.id} fg={colors.foreground}>
          {"text" in entry ? entry.text : entry.type}
        </text>
      ))}
    </scrollbox>
  );
}
