import type { OpenCodeSettingsOptions } from "../opencode-settings/opencode-settings.ts";

/** Settings of `createOpenCodeClient`. */
export interface OpenCodeOptions extends OpenCodeSettingsOptions {
  /**
   * A server that runs already. It is refused: the plugin in which Atomic decides about tool calls is loaded when a server
   * starts, and cannot be brought into a running one.
   * @throws ServerNotJoinedError
   */
  readonly baseUrl?: string;
}
