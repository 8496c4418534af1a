import type { OpenCodeSettingsOptions } from "../opencode-settings/opencode-settings.ts";

/** Settings of `createOpenCodeClient`. */
export type OpenCodeOptions = OpenCodeSettingsOptions;
