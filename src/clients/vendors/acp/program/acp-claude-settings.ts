import path from "node:path";
import type { JsonObject } from "../../../../contracts/index.ts";
import { MAX_TIMER_MS } from "../../../../system/index.ts";
import type { ClientOptions } from "../../../options/client-options.ts";
import { CLAUDE_INSTRUCTIONS, loadProjectInstructions } from "../../../policy/project-instructions.ts";
import { type ClaudeHookHost, startClaudeHooks } from "../../claude-settings/claude-hooks.ts";
import {
  configDirectoryOf,
  homeFolderOf,
  needsInstructions,
  restrictiveSettings,
  settingSourcesOf,
  WITHOUT_HOOKS,
} from "../../claude-settings/claude-restrictions.ts";
import { TOOLS_BEYOND_THE_TURN } from "../../claude-settings/claude-tools.ts";
import { canWriteOneTimeKey, OneTimeKeys } from "../../claude-settings/one-time-keys.ts";
import { SettingsFiles } from "../../claude-settings/settings-file.ts";
import { buildAcpEnvironment, keyOf, withoutVersion } from "./acp-environment.ts";
import type { AcpPreparedProcess, AcpPreparedSession, AcpPresetSettings, AcpSessionPlan } from "./acp-preparation.ts";

/** A turn ends with the answer to its prompt, files that a message names are read with a tool, and hooks always run. */
const QUIET_TURNS: Readonly<Record<string, string>> = {
  CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1",
  CLAUDE_CODE_DISABLE_CRON: "1",
  CLAUDE_CODE_DISABLE_FILE_MENTIONS: "1",
  ...Object.fromEntries(WITHOUT_HOOKS.map((name) => [name, ""])),
};

/** With a title the agent does not ask the model for one. */
const DEFAULT_TITLE = "Atomic session";

const QUIET_CLAUDE: Readonly<Record<string, string>> = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  DISABLE_AUTOUPDATER: "1",
};

/** The settings of Claude Code over ACP. Pure. */
export function claudeSettings(options: ClientOptions): AcpPresetSettings {
  const { endpoint, model, homeDirectory } = options;
  const name = model ?? endpoint?.models[0]?.id;
  const env = {
    ...QUIET_TURNS,
    ...(homeDirectory === undefined ? {} : { CLAUDE_CONFIG_DIR: path.join(homeDirectory, ".claude") }),
    ...(homeDirectory === undefined && endpoint === undefined ? {} : QUIET_CLAUDE),
    ...(name === undefined ? {} : { ANTHROPIC_MODEL: name, ANTHROPIC_CUSTOM_MODEL_OPTION: name }),
    ...(endpoint === undefined
      ? {}
      : {
          ANTHROPIC_BASE_URL: withoutVersion(endpoint.baseUrl),
          ...(canWriteOneTimeKey()
            ? { ANTHROPIC_API_KEY: "", CLAUDE_CODE_API_KEY_HELPER_TTL_MS: String(MAX_TIMER_MS) }
            : { ANTHROPIC_API_KEY: keyOf(endpoint) }),
          // Only Anthropic's models know how to search for tools.
          ENABLE_TOOL_SEARCH: "false",
        }),
  };
  return {
    env,
    args: [],
    guardHome: homeFolderOf(options),
    // Keeps the adapter from starting another Claude Code at every prompt (0.4 s of CPU) to find out who is signed in:
    // with an endpoint nobody is. Without a gateway in the request it has no other effect.
    ...(endpoint === undefined ? {} : { authMethod: "gateway" }),
    ...(needsInstructions(options) ? { loadInstructions: instructionsFor(options) } : {}),
    prepare: () => prepareClaudeProcess(options, env),
    secretNames: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"],
  };
}

function instructionsFor(options: ClientOptions): NonNullable<AcpPresetSettings["loadInstructions"]> {
  const userFolder = configDirectoryOf(options);
  return (workingDirectory, { permissions }) =>
    loadProjectInstructions(workingDirectory, { places: CLAUDE_INSTRUCTIONS, permissions, userFolder });
}

/** The hook server and the keys of a process. A sandbox must know both before the process starts. */
async function prepareClaudeProcess(
  options: ClientOptions,
  env: Readonly<Record<string, string>>,
): Promise<AcpPreparedProcess> {
  const { endpoint, workingDirectory } = options;
  const hooks = await startClaudeHooks();
  const hasKeys = endpoint !== undefined && canWriteOneTimeKey();
  const keys = hasKeys ? await OneTimeKeys.create(keyOf(endpoint)) : undefined;
  const files = await SettingsFiles.create();
  const whole = buildAcpEnvironment(options, { env });
  const { CLAUDE_CODE_EXECUTABLE: executable } = whole;
  return {
    env: whole,
    // Each session names its own folder. Files in the project must not affect the start of the process.
    workingDirectory: path.parse(workingDirectory).root,
    openSession: (plan) => openClaudeSession(options, { plan, hooks, keys, files }),
    readable: [files.folder, ...(executable === undefined ? [] : [executable])],
    writable: keys === undefined ? [] : [keys.folder],
    ports: [hooks.port],
    release: async () => void (await Promise.all([hooks.stop(), keys?.remove(), files.remove()])),
  };
}

/** The same restrictions as in Claude Code's own client. */
async function openClaudeSession(
  options: ClientOptions,
  parts: {
    readonly plan: AcpSessionPlan;
    readonly hooks: ClaudeHookHost;
    readonly keys: OneTimeKeys | undefined;
    readonly files: SettingsFiles;
  },
): Promise<AcpPreparedSession> {
  const { config, guard } = parts.plan;
  const key = await parts.keys?.write();
  const hooks = parts.hooks.open(guard, config);
  const settings = { ...hooks.settings, ...key?.settings, ...restrictiveSettings(config, options) };
  const file = await parts.files.write(settings);
  const sent: JsonObject = {
    title: config.title ?? DEFAULT_TITLE,
    promptSuggestions: false,
    allowDangerouslySkipPermissions: false,
    // Other users of the machine can read the command line, so it must not contain their secrets.
    mcpServersDelivery: "initialize",
    disallowedTools: [...TOOLS_BEYOND_THE_TURN],
    ...settingSourcesOf(options),
    // As an object they would end up on the command line as well.
    extraArgs: { settings: file.path },
  };
  const close = async (): Promise<void> => {
    hooks.close();
    await Promise.all([key?.remove(), file.remove()]);
  };
  return { meta: { claudeCode: { options: sent } }, close };
}
