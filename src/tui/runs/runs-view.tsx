import { useTheme } from "../ui/ui-context.ts";

/** The runs of this machine. */
export function RunsView() {
  const { colors } = useTheme();
  return <text fg={colors.foreground}>Runs</text>;
}
