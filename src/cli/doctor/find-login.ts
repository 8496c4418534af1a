import { existsSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { type Config, settingsOf } from "../config/config.ts";

/**
 * Whether an agent has a login. `found`: a key or a file with a login is there; only the agent knows whether it is still valid.
 * `unneeded`: it has an endpoint of the user's own. `unknown`: it keeps its login where only it can look.
 */
export type Login = "found" | "none" | "unneeded" | "unknown";

/** Where to look. Nothing is read: only names of variables and files count. */
export interface LoginPlace {
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly userHomeDirectory: string;
  readonly platform: string;
}

interface KnownLogin {
  readonly variables: readonly string[];
  /** Relative to the home, unless absolute. */
  readonly files: (env: LoginPlace["env"]) => readonly string[];
  /** Platforms where the login is in the system's own store. */
  readonly hidden?: readonly string[];
}

const KNOWN: Readonly<Record<string, KnownLogin>> = {
  claude: {
    variables: [
      ...["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"],
      ...["CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX"],
    ],
    files: ({ CLAUDE_CONFIG_DIR }) => [join(CLAUDE_CONFIG_DIR || ".claude", ".credentials.json")],
    hidden: ["darwin"],
  },
  opencode: {
    variables: ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY"],
    files: ({ XDG_DATA_HOME }) => [join(XDG_DATA_HOME || ".local/share", "opencode/auth.json")],
  },
  copilot: {
    variables: ["COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN"],
    files: () => [],
    hidden: ["darwin", "linux", "win32"],
  },
  gemini: {
    variables: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    files: () => [".gemini/oauth_creds.json"],
  },
  codex: { variables: ["OPENAI_API_KEY"], files: ({ CODEX_HOME }) => [join(CODEX_HOME || ".codex", "auth.json")] },
};

/** Whether an agent has a login, as far as that can be seen without starting it. Uses no network. */
export function findLogin(agent: string, { config, env, userHomeDirectory, platform }: LoginPlace): Login {
  const settings = settingsOf(config, agent);
  if (settings?.endpoint !== undefined) return "unneeded";
  const preset = settings !== undefined && "preset" in settings ? settings.preset : undefined;
  const name = preset ?? agent;
  const known = Object.hasOwn(KNOWN, name) ? KNOWN[name] : undefined;
  if (known === undefined) return "unknown";
  if (known.variables.some((variable) => (env[variable] ?? "") !== "")) return "found";
  const home = settings?.homeDirectory ?? userHomeDirectory;
  if (known.files(env).some((file) => existsSync(isAbsolute(file) ? file : join(home, file)))) return "found";
  return known.hidden?.includes(platform) === true ? "unknown" : "none";
}
