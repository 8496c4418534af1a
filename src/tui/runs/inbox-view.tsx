import { useTheme } from "../ui/ui-context.ts";

/** Everything that waits for a person, over all runs of this machine. */
export function InboxView() {
  const { colors } = useTheme();
  return <text fg={colors.foreground}>Waiting for you</text>;
}
