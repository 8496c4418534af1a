import type { OpenCodeSettingsOptions } from "../../opencode-settings/opencode-settings.ts";

/** Settings of `createOpenCodeClient`. */
export interface OpenCodeOptions extends OpenCodeSettingsOptions {
  /**
   * The address of a running server. It is always rejected: the plugin in which Atomic decides about tool calls is loaded
   * when a server starts, and cannot be added to a running one.
   * @throws ServerNotJoinedError
   */
  readonly baseUrl?: string;
}
