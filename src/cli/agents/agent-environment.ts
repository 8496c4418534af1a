import { delimiter } from "node:path";

/** What programs need to find their files, their language, the network and a place for temporary files. */
const ALWAYS: readonly string[] = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "LC_*",
  "TZ",
  "TERM",
  "COLORTERM",
  "TMPDIR",
  "TEMP",
  "TMP",
  "XDG_*",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "NO_PROXY",
  "http_proxy",
  "https_proxy",
  "no_proxy",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "NODE_EXTRA_CA_CERTS",
  "APPDATA",
  "LOCALAPPDATA",
  "USERPROFILE",
  "SystemRoot",
  "ComSpec",
  "PATHEXT",
];

/** The agents' own settings and keys. */
const OF_AGENT: Readonly<Record<string, readonly string[]>> = {
  claude: ["ANTHROPIC_*", "CLAUDE_*"],
  opencode: ["OPENCODE_*", "ANTHROPIC_*", "OPENAI_*", "GOOGLE_*", "GEMINI_*", "OPENROUTER_*"],
  copilot: ["COPILOT_*", "GH_TOKEN", "GITHUB_TOKEN"],
  codex: ["OPENAI_*", "CODEX_*"],
  gemini: ["GEMINI_*", "GOOGLE_*"],
  goose: ["GOOSE_*", "ANTHROPIC_*", "OPENAI_*"],
};

/** Settings of {@link agentEnvironment}. */
export interface AgentEnvironmentOptions {
  /** The agent as Atomic knows it: `claude`, `codex`, or a name from the settings. */
  readonly kind: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /**
   * Names of variables that the agent gets besides those that every program needs and its own; a final `*` matches any
   * ending. @default all variables
   */
  readonly allowed?: readonly string[] | undefined;
}

/**
 * The environment of an agent's process: the user's own, because the agent and its keys are theirs, or the part that the
 * settings allow. Drops empty values, and relative folders of the PATH, because the repository could fill them.
 */
export function agentEnvironment({ kind, env, allowed }: AgentEnvironmentOptions): Record<string, string> {
  const ofAgent = Object.hasOwn(OF_AGENT, kind) ? OF_AGENT[kind] : undefined;
  const patterns = allowed === undefined ? ["*"] : [...ALWAYS, ...(ofAgent ?? []), ...allowed];
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || !patterns.some((pattern) => matches(pattern, name))) continue;
    kept[name] = name === "PATH" ? withoutRelativeFolders(value) : value;
  }
  return kept;
}

/**
 * Drops the receivers of OpenTelemetry that are meant for Atomic: OpenCode and others send the whole text of a conversation to
 * them, secrets included, without asking. Claude Code has a switch of its own. Settings that name the variables keep them.
 */
export function withoutTelemetryReceivers(
  env: Readonly<Record<string, string>>,
  { kind, allowed = [] }: Pick<AgentEnvironmentOptions, "kind" | "allowed">,
): Readonly<Record<string, string>> {
  if (kind === "claude" || allowed.some((pattern) => pattern.startsWith("OTEL_"))) return env;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("OTEL_EXPORTER_OTLP_")));
}

function matches(pattern: string, name: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

function withoutRelativeFolders(searchPath: string): string {
  return searchPath
    .split(delimiter)
    .filter((folder) => folder.startsWith("/"))
    .join(delimiter);
}
