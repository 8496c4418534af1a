import type { PermissionHandler } from "../../contracts/index.ts";
import type { HostConnection } from "../../tui/index.ts";

/** A line for the conversation. */
interface Notice {
  readonly text: string;
  readonly tone: "info" | "warning";
}

/** The person at the UI, who can be reached once the UI has started. Notices from before are shown then. */
export class LateConnection {
  #connection: HostConnection | undefined;
  readonly #waiting: Notice[] = [];
  readonly #shown = new Set<string>();

  connect(connection: HostConnection): void {
    this.#connection = connection;
    for (const { text, tone } of this.#waiting.splice(0)) connection.onNotice(text, tone);
  }

  /** Shows a line, once in a conversation. */
  readonly tell = (text: string, tone: "info" | "warning" = "warning"): void => {
    if (this.#shown.has(text)) return;
    this.#shown.add(text);
    if (this.#connection === undefined) this.#waiting.push({ text, tone });
    else this.#connection.onNotice(text, tone);
  };

  reloadCommands(): void {
    this.#connection?.onCommandsChange();
  }

  /** Asks the person. Denies as long as there is none. */
  readonly ask: PermissionHandler = async (request, options) => {
    if (this.#connection === undefined) return { type: "deny", reason: "Nobody can approve it yet." };
    return await this.#connection.onPermissionAsk(request, options);
  };
}
