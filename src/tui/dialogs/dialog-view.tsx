import type { Dialog } from "../ui/ui-store.ts";
import { AgentDialog } from "./agent-dialog.tsx";
import { ConfirmQuitDialog } from "./confirm-quit-dialog.tsx";
import { ContextDialog } from "./context-dialog.tsx";
import { HelpDialog } from "./help-dialog.tsx";
import { McpDialog } from "./mcp-dialog.tsx";
import { ModelDialog } from "./model-dialog.tsx";
import { RewindDialog } from "./rewind-dialog.tsx";
import { SessionsDialog } from "./sessions-dialog.tsx";
import type { OnTyped } from "./text-dialog.tsx";
import { ThemeDialog } from "./theme-dialog.tsx";

/** Properties of {@link DialogView}. */
export interface DialogViewProps {
  readonly dialog: Dialog;
  /** Receives a text for the input. */
  readonly onDraft: (text: string) => void;
  /** Receives what is typed while a dialog only shows something. @default it is ignored */
  readonly onTyped?: OnTyped | undefined;
}

/** The open dialog. The input itself shows the search of the history. */
export function DialogView({ dialog, onDraft, onTyped }: DialogViewProps) {
  switch (dialog.type) {
    case "help":
      return <HelpDialog first={dialog.first ?? "keys"} onTyped={onTyped} />;
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
      return <McpDialog onTyped={onTyped} />;
    case "context":
      return <ContextDialog onTyped={onTyped} />;
    case "confirm-quit":
      return <ConfirmQuitDialog />;
  }
}
