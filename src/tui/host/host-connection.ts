import type { PermissionHandler } from "../../contracts/index.ts";

/** What the UI provides to the program. */
export interface HostConnection {
  /** Asks the person about a command line in a prompt's text that requires approval. */
  readonly onPermissionAsk: PermissionHandler;
  /** Adds a line to the conversation. */
  readonly onNotice: (text: string, tone: "info" | "warning") => void;
  /** Loads the slash commands again: their files have changed. */
  readonly onCommandsChange: () => void;
}
