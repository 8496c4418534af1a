import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { ClientOptions } from "../client-options.ts";
import { configHomeOf } from "../isolated-home.ts";
import { prepareConfigHome } from "./opencode-config-home.ts";
import { OPENCODE_PLUGIN } from "./opencode-plugin.ts";
import { createServerPassword } from "./opencode-secrets.ts";
import type { OpenCodeStartDetails } from "./opencode-settings.ts";

/** What is ready for one process of OpenCode's. */
export interface PreparedOpenCode {
  readonly details: Omit<OpenCodeStartDetails, "hooks">;
  /** Takes the files away again, when the process has ended. Idempotent. */
  remove(): Promise<void>;
}

/** Writes the plugin and the folders of settings that one process of OpenCode's finds when it starts. */
export async function prepareOpenCode({ homeDirectory, userSettings }: ClientOptions): Promise<PreparedOpenCode> {
  if (homeDirectory !== undefined) await prepareConfigHome(configHomeOf(homeDirectory));
  const folder = await mkdtemp(path.join(tmpdir(), "atomic-opencode-"));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const pluginPath = path.join(folder, "atomic.mjs");
    await writeFile(pluginPath, OPENCODE_PLUGIN);
    const configHome = userSettings === false ? path.join(folder, "settings") : undefined;
    if (configHome !== undefined) await prepareConfigHome(configHome);
    return { details: { password: createServerPassword(), pluginPath, configHome }, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
