import { useTheme } from "../ui/ui-context.ts";
import type { Dialog } from "../ui/ui-store.ts";

/** The open dialog. */
export function DialogView({ dialog }: { readonly dialog: Dialog }) {
  const { colors } = useTheme();
  return <text fg={colors.foreground}>{dialog.type}</text>;
}
