import { useChat, useTheme } from "../ui/ui-context.ts";

/** What the agent does, what it used, and what the keys do here. */
export function StatusLine() {
  const { colors } = useTheme();
  const { status } = useChat();
  return (
    <box height={1} paddingX={2} flexShrink={0}>
      <text fg={colors.muted}>{status}</text>
    </box>
  );
}
