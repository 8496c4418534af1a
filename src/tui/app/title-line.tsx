import { safeLine } from "../../view/index.ts";
import { useChat, useTheme } from "../ui/ui-context.ts";

/** Which agent, which model, where. */
export function TitleLine() {
  const { colors } = useTheme();
  const { agentType, modelName, effort } = useChat();
  const facts = [agentType, modelName, effort].filter((fact) => fact !== undefined);
  return (
    <box height={1} paddingX={2} flexShrink={0}>
      <text fg={colors.muted}>{safeLine(facts.join(" · "), 76)}</text>
    </box>
  );
}
