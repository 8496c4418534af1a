/**
 * The owner of a project's settings file: an agent, Atomic, its workflows, its tools, the agents' hooks that Atomic runs, or
 * git, which all agents call.
 */
export type ProjectSettingsOwner =
  | "claude"
  | "opencode"
  | "copilot"
  | "gemini"
  | "codex"
  | "atomic"
  | "workflows"
  | "tools"
  | "hooks"
  | "git";

/** A file or folder of a project that can run code or loosen permissions as soon as an agent starts there. */
export interface ProjectSetting {
  readonly owner: ProjectSettingsOwner;
  /** Relative to the folder that is searched. */
  readonly path: string;
  /** Its effect, for people. */
  readonly effect: string;
  /**
   * The folders to search: the working directory only, or also those above it, up to the root of the project or
   * repository, or up to the root of the file system. The home folder is never searched.
   */
  readonly lookup: "folder" | "upward" | "everywhere-upward";
  /** The file counts only if its text matches. @default always */
  readonly holds?: RegExp;
  /** Names in a folder to ignore. */
  readonly ignoredNames?: RegExp;
}

/** Owners whose agents always load their project settings, so they start only in a trusted project. */
export const ALWAYS_LOADED_OWNERS: ReadonlySet<ProjectSettingsOwner> = new Set(["gemini", "codex"]);

const CLAUDE: readonly ProjectSetting[] = [
  ...[".claude/settings.json", ".claude/settings.local.json"].map(
    (path) =>
      ({
        owner: "claude",
        path,
        effect: "hooks, permissions, programs for keys, environment",
        lookup: "folder",
      }) as const,
  ),
  { owner: "claude", path: ".mcp.json", effect: "MCP servers", lookup: "upward" },
  { owner: "claude", path: ".lsp.json", effect: "language servers", lookup: "folder" },
  ...["agents", "commands", "skills", "workflows", "output-styles"].map(
    (name) =>
      ({
        owner: "claude",
        path: `.claude/${name}`,
        effect: "commands that run when it is used, allowed tools",
        lookup: "upward",
      }) as const,
  ),
  { owner: "claude", path: ".claude/hooks", effect: "programs of hooks", lookup: "folder" },
  { owner: "claude", path: ".claude/plugins", effect: "hooks, MCP servers", lookup: "folder" },
  {
    owner: "claude",
    path: ".claude/scheduled_tasks.json",
    effect: "prompts that are sent by themselves",
    lookup: "folder",
  },
];

const OPENCODE: readonly ProjectSetting[] = [
  ...["opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"].map(
    (path) =>
      ({
        owner: "opencode",
        path,
        effect: "plugins, MCP servers, permissions, formatters, language servers",
        lookup: "upward",
      }) as const,
  ),
  ...["plugin", "plugins", "tool", "tools"].map(
    (name) =>
      ({
        owner: "opencode",
        path: `.opencode/${name}`,
        effect: "code that OpenCode imports",
        lookup: "upward",
      }) as const,
  ),
  ...["command", "commands", "agent", "agents", "mode", "modes", "skill", "skills"].map(
    (name) =>
      ({ owner: "opencode", path: `.opencode/${name}`, effect: "commands, permissions", lookup: "upward" }) as const,
  ),
  ...["typescript", "eslint", "oxlint", "vue", "svelte", "astro", "prettier", "oxfmt", "@biomejs/biome"].map(
    (name) =>
      ({
        owner: "opencode",
        path: `node_modules/${name}`,
        effect: "a language server or formatter",
        lookup: "upward",
      }) as const,
  ),
];

const COPILOT: readonly ProjectSetting[] = [
  { owner: "copilot", path: ".github/hooks", effect: "hooks", lookup: "upward" },
  ...[".github/mcp.json", ".vscode/mcp.json", ".mcp.json"].map(
    (path) => ({ owner: "copilot", path, effect: "MCP servers", lookup: "upward" }) as const,
  ),
  ...[".github/copilot/settings.json", ".github/copilot/settings.local.json"].map(
    (path) => ({ owner: "copilot", path, effect: "hooks, permissions, plugins", lookup: "upward" }) as const,
  ),
  ...["agents", "skills", "prompts", "chatmodes", "extensions", "plugin"].map(
    (name) =>
      ({ owner: "copilot", path: `.github/${name}`, effect: "tools, MCP servers, code", lookup: "upward" }) as const,
  ),
  { owner: "copilot", path: ".github/lsp.json", effect: "language servers", lookup: "upward" },
];

/** Hooks of agents, which Atomic runs with any other agent. */
const HOOKS: readonly ProjectSetting[] = [
  ...[".claude/settings.json", ".claude/settings.local.json"].map(
    (path) => ({ owner: "hooks", path, effect: "hooks", lookup: "upward", holds: /"hooks"/ }) as const,
  ),
  { owner: "hooks", path: ".github/hooks", effect: "hooks", lookup: "upward" },
  ...["plugin", "plugins"].map(
    (name) => ({ owner: "hooks", path: `.opencode/${name}`, effect: "code of plugins", lookup: "upward" }) as const,
  ),
];

/** Gemini CLI's environment files: it uses those of the nearest folder that has one, even outside the repository. */
const GEMINI_ENVIRONMENT: readonly ProjectSetting[] = [".gemini/.env", ".env"].map(
  (path) => ({ owner: "gemini", path, effect: "environment, and so endpoints", lookup: "everywhere-upward" }) as const,
);

/**
 * Git settings that name a program or another settings file, with or without their section's name. Linear in the text: `\s`
 * would also match the ends of lines.
 */
const GIT_PROGRAMS = new RegExp(
  [
    /(?:^|\])[ \t]*(?:fsmonitor|hookspath|sshcommand|gitproxy|askpass|editor|pager|external|difffilter|driver)\b/,
    /(?:^|\])[ \t]*(?:clean|smudge|process|textconv|command|cmd|helper|program|defaultkeycommand|uploadpack|receivepack|vcs)\b/,
    /(?:^|\])[ \t]*(?:savecookies|sslcainfo|sslcapath|sslverify)\b/,
    /^[ \t]*\[[ \t]*(?:include|includeif|alias|pager|protocol)\b/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "im",
);

/** Every such file, by owner, in the order in which they are listed for people. */
export const PROJECT_SETTINGS: readonly ProjectSetting[] = [
  ...["config.json", "config.jsonc"].map(
    (name) =>
      ({
        owner: "atomic",
        path: `.atomic/${name}`,
        effect: "what agents may do and how they are started",
        lookup: "upward",
      }) as const,
  ),
  { owner: "workflows", path: ".atomic/workflows", effect: "code that Atomic imports", lookup: "upward" },
  { owner: "tools", path: ".atomic/tools", effect: "code that Atomic imports", lookup: "upward" },
  ...["agents", "commands", "skills"].map(
    (name) =>
      ({
        owner: "workflows",
        path: `.atomic/${name}`,
        effect: "prompts, and commands in them",
        lookup: "upward",
      }) as const,
  ),
  ...CLAUDE,
  ...OPENCODE,
  ...COPILOT,
  ...HOOKS,
  ...[".gemini/settings.json", ".gemini/commands", ".gemini/extensions", ".gemini/hooks"].map(
    (path) => ({ owner: "gemini", path, effect: "hooks, MCP servers, permissions", lookup: "upward" }) as const,
  ),
  ...GEMINI_ENVIRONMENT,
  ...[".codex/config.toml", ".codex/hooks.json", ".codex/hooks"].map(
    (path) => ({ owner: "codex", path, effect: "MCP servers, hooks, approvals", lookup: "upward" }) as const,
  ),
  ...[".git/config", ".git/config.worktree"].map(
    (path) =>
      ({
        owner: "git",
        path,
        effect: "programs that git runs by itself",
        lookup: "upward",
        holds: GIT_PROGRAMS,
      }) as const,
  ),
  { owner: "git", path: ".git/hooks", effect: "git hooks", lookup: "upward", ignoredNames: /\.sample$/ },
];
