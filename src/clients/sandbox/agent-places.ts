import path from "node:path";

/** What an agent needs of the user's files and of the network to work at all. */
export interface AgentPlaces {
  /** Folders that the agent writes its conversations, logins and caches to. */
  readonly folders: readonly string[];
  /** Files that it writes to, where they are there. */
  readonly files: readonly string[];
  /** Files and folders that it reads. */
  readonly readable: readonly string[];
  /** What lies in these folders and decides what the agent does next time: it must not be changed from inside. */
  readonly guarded: readonly string[];
  /** Files that it would write into folders that it may only read, and fails without: their texts by their paths. */
  readonly laidReady?: Readonly<Record<string, string>>;
  /** The hosts of its models and its login. */
  readonly hosts: readonly string[];
}

/** The folders of a user that programs keep their files in. */
interface UserFolders {
  readonly home: string;
  readonly config: string;
  readonly data: string;
  readonly cache: string;
  readonly state: string;
  readonly env: Readonly<Record<string, string>>;
}

const CLAUDE_GUARDED = [
  "settings.json",
  "settings.local.json",
  "CLAUDE.md",
  "agents",
  "commands",
  "hooks",
  "output-styles",
  "plugins",
  "rules",
  "skills",
  "atomic",
];

const COPILOT_GUARDED = ["settings.json", "mcp-config.json", "agents", "hooks", "skills", "copilot-instructions.md"];

function claudePlaces({ home, cache, env }: UserFolders): AgentPlaces {
  const folder = env.CLAUDE_CONFIG_DIR ?? path.join(home, ".claude");
  return {
    folders: [folder, path.join(cache, "claude"), path.join(cache, "claude-cli-nodejs")],
    files: [path.join(home, ".claude.json")],
    readable: ["/etc/claude-code"],
    guarded: CLAUDE_GUARDED.map((name) => path.join(folder, name)),
    hosts: ["api.anthropic.com", "console.anthropic.com", "platform.claude.com", "claude.ai"],
  };
}

/** What OpenCode itself writes. */
const OPENCODE_IGNORED = "node_modules\npackage.json\npackage-lock.json\nbun.lock\n.gitignore\n";

function openCodePlaces({ home, config, data, cache, state }: UserFolders): AgentPlaces {
  return {
    folders: [data, cache, state].map((folder) => path.join(folder, "opencode")),
    files: [],
    readable: [
      path.join(config, "opencode"),
      ...[".opencode", ".claude/CLAUDE.md", ".claude/skills", ".agents"].map((name) => path.join(home, name)),
    ],
    guarded: [],
    laidReady: { [path.join(config, "opencode", ".gitignore")]: OPENCODE_IGNORED },
    hosts: [
      "opencode.ai",
      "models.dev",
      "api.anthropic.com",
      "api.openai.com",
      "generativelanguage.googleapis.com",
      "openrouter.ai",
    ],
  };
}

function copilotPlaces({ home, cache, env }: UserFolders): AgentPlaces {
  const folder = env.COPILOT_HOME ?? path.join(home, ".copilot");
  return {
    folders: [folder, env.COPILOT_CACHE_HOME ?? path.join(cache, "copilot")],
    files: [],
    readable: [],
    guarded: COPILOT_GUARDED.map((name) => path.join(folder, name)),
    hosts: ["github.com", "api.github.com", "*.githubcopilot.com", "copilot-proxy.githubusercontent.com"],
  };
}

function geminiPlaces({ home }: UserFolders): AgentPlaces {
  const folder = path.join(home, ".gemini");
  return {
    folders: [folder],
    files: [],
    readable: [],
    guarded: ["settings.json", "GEMINI.md", "commands", "extensions"].map((name) => path.join(folder, name)),
    hosts: ["generativelanguage.googleapis.com", "cloudcode-pa.googleapis.com", "oauth2.googleapis.com"],
  };
}

function codexPlaces({ home, env }: UserFolders): AgentPlaces {
  const folder = env.CODEX_HOME ?? path.join(home, ".codex");
  return {
    folders: [folder],
    files: [],
    readable: [],
    guarded: ["config.toml", "AGENTS.md", "prompts", "rules", "skills"].map((name) => path.join(folder, name)),
    hosts: ["api.openai.com", "auth.openai.com", "chatgpt.com"],
  };
}

/** Its provider is the user's choice, so its host is, too. */
function goosePlaces({ config, data, state }: UserFolders): AgentPlaces {
  return {
    folders: [data, state].map((folder) => path.join(folder, "goose")),
    files: [],
    readable: [path.join(config, "goose")],
    guarded: [],
    hosts: [],
  };
}

const PLACES: Readonly<Record<string, (folders: UserFolders) => AgentPlaces>> = {
  claude: claudePlaces,
  opencode: openCodePlaces,
  copilot: copilotPlaces,
  gemini: geminiPlaces,
  codex: codexPlaces,
  goose: goosePlaces,
};

const NOTHING: AgentPlaces = { folders: [], files: [], readable: [], guarded: [], hosts: [] };

/** The places of an agent whose process has this environment; none of one that Atomic does not know. Pure. */
export function agentPlaces(agent: string, env: Readonly<Record<string, string>>): AgentPlaces {
  const places = Object.hasOwn(PLACES, agent) ? PLACES[agent] : undefined;
  const home = env.HOME;
  if (places === undefined || home === undefined) return NOTHING;
  return places({
    home,
    config: env.XDG_CONFIG_HOME ?? path.join(home, ".config"),
    data: env.XDG_DATA_HOME ?? path.join(home, ".local", "share"),
    cache: env.XDG_CACHE_HOME ?? path.join(home, ".cache"),
    state: env.XDG_STATE_HOME ?? path.join(home, ".local", "state"),
    env,
  });
}
