import path from "node:path";

/** What an agent needs of the user's files and of the network. */
export interface AgentPlaces {
  /** Data folders that the agent writes and that persist: conversations, plans. Created if missing. */
  readonly folders: readonly string[];
  /** Existing data files that it writes and that persist: logins, histories. */
  readonly files: readonly string[];
  /** Files and folders that it reads. */
  readonly readable: readonly string[];
  /** Its own folders: their content is read-only except for the data, and new files in them are discarded. */
  readonly homes: readonly string[];
  /** Files and folders in all these that are hidden from it; what it writes there is discarded. */
  readonly hidden: readonly string[];
  /** Files that it gets a copy of; changes to the copy are discarded. */
  readonly copied: readonly string[];
  /** Folders among the data that contain programs: they are read-only. */
  readonly guarded: readonly string[];
  /** Files that it fails without and would write into read-only folders: their texts by their paths. */
  readonly laidReady?: Readonly<Record<string, string>>;
  /** The hosts of its models and its login. */
  readonly hosts: readonly string[];
}

/** The folders where programs keep a user's files. */
interface UserFolders {
  readonly home: string;
  readonly config: string;
  readonly data: string;
  readonly cache: string;
  readonly state: string;
  readonly env: Readonly<Record<string, string>>;
}

const NOTHING: AgentPlaces = {
  folders: [],
  files: [],
  readable: [],
  homes: [],
  hidden: [],
  copied: [],
  guarded: [],
  hosts: [],
};

const within = (folder: string, names: readonly string[]): readonly string[] =>
  names.map((name) => path.join(folder, name));

/** Claude Code sources the content of some of these before each command. */
const CLAUDE_HIDDEN = [
  "backups",
  "cache",
  "debug",
  "ide",
  "image-cache",
  "jobs",
  "paste-cache",
  "session-env",
  "sessions",
  "shell-snapshots",
  "statsig",
  "telemetry",
];

function claudePlaces({ home, cache, env }: UserFolders): AgentPlaces {
  const folder = env.CLAUDE_CONFIG_DIR ?? path.join(home, ".claude");
  return {
    ...NOTHING,
    folders: within(folder, ["projects", "todos", "tasks", "plans", "file-history"]),
    files: within(folder, [".credentials.json", "history.jsonl"]),
    readable: ["/etc/claude-code"],
    homes: [folder],
    hidden: [...within(folder, CLAUDE_HIDDEN), ...within(cache, ["claude", "claude-cli-nodejs"])],
    // They name the user's MCP servers.
    copied: [path.join(home, ".claude.json"), path.join(folder, ".claude.json")],
    hosts: ["api.anthropic.com", "console.anthropic.com", "platform.claude.com", "claude.ai"],
  };
}

/** What OpenCode itself writes. */
const OPENCODE_IGNORED = "node_modules\npackage.json\npackage-lock.json\nbun.lock\n.gitignore\n";

function openCodePlaces({ home, config, data, cache, state }: UserFolders): AgentPlaces {
  const [own, cached] = [path.join(data, "opencode"), path.join(cache, "opencode")];
  return {
    ...NOTHING,
    // Its database is a file in it.
    folders: [own],
    readable: [
      path.join(config, "opencode"),
      ...within(home, [".opencode", ".claude/CLAUDE.md", ".claude/skills", ".agents"]),
    ],
    homes: [cached, path.join(state, "opencode")],
    // It runs git in its own folders there.
    hidden: [...within(own, ["repos", "snapshot", "worktree"]), path.join(state, "opencode", "locks")],
    copied: within(cached, ["models.json", "version"]),
    guarded: [path.join(own, "bin")],
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
    ...NOTHING,
    folders: [path.join(folder, "session-state")],
    homes: [folder, env.COPILOT_CACHE_HOME ?? path.join(cache, "copilot")],
    hidden: within(folder, ["logs", "session-store.db", "session-store.db-shm", "session-store.db-wal"]),
    // It names the folders that are trusted.
    copied: within(folder, ["config.json", "command-history-state.json"]),
    hosts: ["github.com", "api.github.com", "*.githubcopilot.com", "copilot-proxy.githubusercontent.com"],
  };
}

function geminiPlaces({ home }: UserFolders): AgentPlaces {
  const folder = path.join(home, ".gemini");
  return {
    ...NOTHING,
    folders: [path.join(folder, "tmp")],
    files: within(folder, ["oauth_creds.json", "google_accounts.json", "installation_id"]),
    homes: [folder],
    // It runs git there.
    hidden: [path.join(folder, "history")],
    copied: within(folder, ["projects.json", "state.json"]),
    guarded: [path.join(folder, "tmp", "bin")],
    hosts: ["generativelanguage.googleapis.com", "cloudcode-pa.googleapis.com", "oauth2.googleapis.com"],
  };
}

function codexPlaces({ home, env }: UserFolders): AgentPlaces {
  const folder = env.CODEX_HOME ?? path.join(home, ".codex");
  return {
    ...NOTHING,
    folders: within(folder, ["sessions", "archived_sessions"]),
    files: within(folder, ["auth.json", "history.jsonl"]),
    homes: [folder],
    // It sources the snapshots, and has programs in its temporary folder.
    hidden: within(folder, ["cache", "log", "shell_snapshots", "tmp"]),
    copied: within(folder, ["internal_storage.json", "models_cache.json", "version.json"]),
    hosts: ["api.openai.com", "auth.openai.com", "chatgpt.com"],
  };
}

/** The user chooses its provider, and therefore its host. */
function goosePlaces({ config, data, state }: UserFolders): AgentPlaces {
  const [own, stated] = [path.join(data, "goose"), path.join(state, "goose")];
  return {
    ...NOTHING,
    folders: [path.join(own, "sessions")],
    readable: [path.join(config, "goose")],
    homes: [own, stated],
    hidden: [path.join(stated, "logs")],
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

/** The places of an agent with this environment; none for an agent that Atomic does not know. Pure. */
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
