import type { Dialog } from "../ui/ui-store.ts";
import { AgentDialog } from "./agent-dialog.tsx";
import { ConfirmQuitDialog } from "./confirm-quit-dialog.tsx";
import { ContextDialog } from "./context-dialog.tsx";
import { HelpDialog } from "./help-dialog.tsx";
import { McpDialog } from "./mcp-dialog.tsx";
import { ModelDialog } from "./model-dialog.tsx";
import { RewindDialog } from "./rewind-dialog.tsx";
import { SessionsDialog } from "./sessions-dialog.tsx";
import { ThemeDialog } from "./theme-dialog.tsx";

/** Properties of {@link DialogView}. */
export interface DialogViewProps {
  readonly dialog: Dialog;
  /** Receives a text for the input. */
  readonly onDraft: (text: string) => void;
}

/** The open dialog. The input itself shows the search of the history. */
export function DialogView({ dialog, onDraft }: DialogViewProps) {
  switch (dialog.type) {
    case "help":
      return <HelpDialog />;
    case "model":
      return <ModelDialog />;
    case "agent":
      return <AgentDialog />;
    case "theme":
      return <ThemeDialog />;
    case "sessions":
      return <SessionsDialog />;
    case "rewind":
      return <RewindDialog onDraft={onDraft} />;
    case "mcp":
      return <McpDialog />;
    case "context":
      return <ContextDialog />;
    case "confirm-quit":
      return <ConfirmQuitDialog />;
  }
}
