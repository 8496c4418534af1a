import { platform } from "node:os";
import { PluginHost, withUserHooks } from "../../clients/index.ts";
import type { DiscoveryProblem, HookCommand, HookPlugin } from "../../contracts/index.ts";
import { type FoundHooks, readHookFiles } from "../../discovery/index.ts";
import { safeLine } from "../../view/index.ts";
import type { Config } from "../config/config.ts";
import type { CliEnvironment } from "../environment.ts";
import { compilerCacheFor } from "../loading/compiler-cache.ts";
import { commandOfFile } from "../loading/own-command.ts";
import { formatProblem } from "../loading/workflow-errors.ts";
import type { OpenedHooks } from "./opened-hooks.ts";
import { PLUGIN_PROGRAM } from "./plugin-request.ts";
import { hooksSettingOf, stateOf } from "./select-hooks.ts";

/** Where a call's hooks come from. */
export interface OpenHooksPlace {
  readonly environment: Pick<CliEnvironment, "env" | "userHomeDirectory" | "workingDirectory" | "redactor">;
  readonly config: Config;
  readonly flags: { readonly hooks?: boolean };
  readonly projectDirectory: string;
  /** Of agents. */
  readonly workingDirectory: string;
  /** Receives what hooks say, and what is wrong with them. */
  readonly tell: (message: string) => void;
}

/** Longer messages of hooks are cut, in characters. */
const MAX_MESSAGE = 2_000;

/** Opens the hooks of the user and the project for one call. Their files are read when an agent starts. */
export function openHooks(place: OpenHooksPlace): OpenedHooks {
  const { config, flags, workingDirectory, projectDirectory } = place;
  const setting = hooksSettingOf(config, flags);
  const told = new Set<string>();
  // Before it is cut: a part of a secret is not recognised.
  const tell = (message: string): void => place.tell(safeLine(place.environment.redactor.text(message), MAX_MESSAGE));
  const tellOnce = ({ problems }: FoundHooks): void => {
    // Events and kinds of hooks that only their own agent has are no news: `atomic hooks list` names them.
    for (const line of problems.filter(isBroken).map(describe)) {
      if (!told.has(line)) tell(line);
      told.add(line);
    }
  };
  return {
    async attach(client, { agentType, isProjectTrusted, env }) {
      if (setting === "off") return client;
      const sources = isProjectTrusted && setting !== "user" ? (["user", "project"] as const) : (["user"] as const);
      const found = await readHookFiles(hookFoldersOf(place, new Set(sources)));
      tellOnce(found);
      const options = { agentType, config, setting, isProjectTrusted, workingDirectory };
      const running = found.hooks.filter((hook) => stateOf(hook, options) === "runs");
      if (running.length === 0) return client;
      const plugins = running.filter((hook): hook is HookPlugin => hook.type === "plugin");
      return withUserHooks(client, {
        commands: running.filter((hook): hook is HookCommand => hook.type === "command"),
        plugins: plugins.length === 0 ? undefined : openPlugins(plugins, { ...place, env, tell }),
        ...{ workingDirectory, projectDirectory, env, tell },
      });
    },
  };
}

/** The folders with hooks of a call. */
export function hookFoldersOf(
  { environment, projectDirectory }: Pick<OpenHooksPlace, "environment" | "projectDirectory">,
  sources?: ReadonlySet<"user" | "project">,
): Parameters<typeof readHookFiles>[0] {
  const { userHomeDirectory, env } = environment;
  const isWindows = platform() === "win32";
  return { projectDirectory, userHomeDirectory, env, isWindows, ...(sources === undefined ? {} : { sources }) };
}

function openPlugins(
  plugins: readonly HookPlugin[],
  {
    environment,
    workingDirectory,
    projectDirectory,
    env,
    tell,
  }: Pick<OpenHooksPlace, "environment" | "workingDirectory" | "projectDirectory" | "tell"> & {
    readonly env: Readonly<Record<string, string>>;
  },
): PluginHost {
  const program = commandOfFile(new URL("plugin-program.ts", import.meta.url), [PLUGIN_PROGRAM]);
  return new PluginHost({
    ...{ ...program, plugins, workingDirectory, projectDirectory },
    env: { ...env, ...compilerCacheFor(environment) },
    onProblem: tell,
  });
}

function isBroken({ severity }: DiscoveryProblem): boolean {
  return severity === "error";
}

function describe(problem: DiscoveryProblem): string {
  return `Hooks: ${formatProblem(problem)}`;
}
