import type { OpenAsk } from "../chat/chat-state.ts";
import { useTheme } from "../ui/ui-context.ts";

/** Properties of {@link AskDialog}. */
export interface AskDialogProps {
  readonly ask: OpenAsk;
  /** How many others wait after this one. */
  readonly otherCount: number;
}

/** A permission request or a question of the agent. It covers the input. */
export function AskDialog({ ask }: AskDialogProps) {
  const { colors } = useTheme();
  return <text fg={colors.warning}>{ask.type}</text>;
}
