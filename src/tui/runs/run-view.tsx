import { useTheme } from "../ui/ui-context.ts";

/** A run: its graph, its agents, its tasks, and the thread of the chosen agent. */
export function RunView({ runId }: { readonly runId: string }) {
  const { colors } = useTheme();
  return <text fg={colors.foreground}>{runId}</text>;
}
