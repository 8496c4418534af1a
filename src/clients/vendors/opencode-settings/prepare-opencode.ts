import { access, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { configHomeOf } from "../../process/isolated-home.ts";
import { makeNeutralFolder } from "../../process/neutral-folder.ts";
import { makeTemporaryFolder, removeTemporaryFolder } from "../../process/temporary-folder.ts";
import { prepareConfigHome } from "./opencode-config-home.ts";
import { OPENCODE_PLUGIN, type PluginHooks } from "./opencode-plugin.ts";
import { createServerPassword, SECRETS_PRELOAD } from "./opencode-secrets.ts";
import {
  buildOpenCodeEnvironment,
  buildOpenCodeSecrets,
  type OpenCodeSettingsOptions,
  type OpenCodeStartDetails,
} from "./opencode-settings.ts";

/** What one OpenCode process needs to start. */
export interface PreparedOpenCode {
  /** The complete environment of the process; it contains no secret. */
  readonly env: Readonly<Record<string, string>>;
  /** The folder to start it in: OpenCode's runtime executes files that it finds there. */
  readonly workingDirectory: string;
  readonly password: string;
  /** What the process reads and removes in a sandbox. */
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  /** Removes the files when the process has ended. Idempotent. */
  remove(): Promise<void>;
}

/** How OpenCode is used. */
export interface PrepareOpenCodeOptions {
  readonly hooks: PluginHooks;
  /** @default false */
  readonly isOverAcp?: boolean;
}

/** Writes the plugin, the secrets and the settings folders that one OpenCode process finds when it starts. */
export async function prepareOpenCode(
  options: OpenCodeSettingsOptions,
  { hooks, isOverAcp = false }: PrepareOpenCodeOptions,
): Promise<PreparedOpenCode> {
  const { homeDirectory, userSettings } = options;
  if (homeDirectory !== undefined) await prepareConfigHome(configHomeOf(homeDirectory));
  // Only its owner can look into it.
  const folder = await makeTemporaryFolder("opencode");
  const remove = () => removeTemporaryFolder(folder);
  try {
    const pluginPath = path.join(folder, "atomic.mjs");
    await writeFile(pluginPath, OPENCODE_PLUGIN);
    const modelsPath = path.join(folder, "models.json");
    await writeFile(modelsPath, "{}");
    const configHome = userSettings === false ? path.join(folder, "settings") : undefined;
    if (configHome !== undefined) await prepareConfigHome(configHome);
    const start = path.join(folder, "start");
    await mkdir(start);
    const preloadPath = path.join(start, "preload.mjs");
    await writeFile(preloadPath, SECRETS_PRELOAD);
    const workingDirectory = await makeNeutralFolder(folder);
    const password = createServerPassword();
    const shell = await findShell();
    const paths = { pluginPath, preloadPath, modelsPath };
    const details: OpenCodeStartDetails = { password, ...paths, hooks, isOverAcp, configHome, shell };
    const secrets = JSON.stringify(buildOpenCodeSecrets(options, details));
    await writeFile(path.join(start, "secrets.json"), secrets, { mode: 0o600 });
    const env = buildOpenCodeEnvironment(options, details);
    const readable = [pluginPath, modelsPath, workingDirectory, ...(configHome === undefined ? [] : [configHome])];
    return { env, workingDirectory, password, readable, writable: [start], remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** A shell that parses commands as the policy does: fish and zsh have other ways to start programs. */
async function findShell(): Promise<string | undefined> {
  for (const shell of ["/bin/bash", "/usr/bin/bash", "/bin/sh"]) {
    const isThere = await access(shell).then(
      () => true,
      () => false,
    );
    if (isThere) return shell;
  }
  return undefined;
}
