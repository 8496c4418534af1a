import { AtomicError } from "../errors/atomic-error.ts";
import { nearestName } from "../errors/nearest-name.ts";
import { assertPermissions } from "../permissions/check-permissions.ts";
import type { PermissionRule } from "../permissions/permission.ts";
import type { ToolDefinition } from "../tools/tool-definition.ts";
import type { PermissionMode, SessionConfig } from "./session-config.ts";

/** A session's settings are invalid. */
export class SessionConfigInvalidError extends AtomicError {
  readonly isRetryable = false;

  constructor(
    /** One sentence for each mistake, with its place. */
    readonly problems: readonly string[],
  ) {
    super("SESSION_CONFIG_INVALID", `The settings of the session cannot be used. Correct them: ${problems.join(" ")}`);
  }
}

/** What the permission mode `plan` denies. It is the policy's first rule; no other rule overrides it. */
export const PLAN_MODE_RULE: PermissionRule = { effect: "deny", tools: ["edit", "shell"] };

const KNOWN_KEYS: Readonly<Record<keyof SessionConfig, true>> = {
  model: true,
  reasoningEffort: true,
  systemPrompt: true,
  workingDirectory: true,
  title: true,
  sessionId: true,
  forkBefore: true,
  allowedTools: true,
  tools: true,
  mcpServers: true,
  permissions: true,
  permissionMode: true,
  onPermissionAsk: true,
  permissionMemory: true,
  onQuestion: true,
  beforeTool: true,
  maxTurns: true,
  maxBudgetUsd: true,
  spentUsd: true,
};

/** The valid values of single settings. `expected` completes the sentence "It must be …". */
export const SESSION_VALUES = {
  maxTurns: {
    expected: "a whole number from 1",
    accepts: (value) => Number.isSafeInteger(value) && isAboveZero(value),
  },
  maxBudgetUsd: { expected: "a number above 0", accepts: (value) => Number.isFinite(value) && isAboveZero(value) },
  spentUsd: {
    expected: "a number from 0",
    accepts: (value) => typeof value === "number" && Number.isFinite(value) && value >= 0,
  },
  forkBefore: {
    expected: "a time in milliseconds since 1970",
    accepts: (value) => Number.isFinite(value) && isAboveZero(value),
  },
  // It becomes part of file names.
  sessionId: {
    expected: 'up to 100 letters, digits, "-" and "_"',
    accepts: (value) => typeof value === "string" && /^[\w-]{1,100}$/.test(value),
  },
} as const satisfies Readonly<Record<string, SessionValue>>;

interface SessionValue {
  readonly expected: string;
  readonly accepts: (value: unknown) => boolean;
}

function isAboveZero(value: unknown): boolean {
  return typeof value === "number" && value > 0;
}

const MODES: readonly PermissionMode[] = ["default", "plan"];

/** Modes of other programs, and their equivalents here. */
const FOREIGN_MODES: Readonly<Record<string, string>> = {
  acceptEdits: 'Use permissions: { rules: [{ effect: "allow", tools: ["edit"] }] }.',
  bypassPermissions: 'Use permissions: { rules: [], otherwise: "allow" }.',
};

/**
 * Checks a session's settings, which may come from untyped code, and merges the permission mode into the policy.
 * @throws SessionConfigInvalidError, PermissionsInvalidError
 */
export function readSessionConfig(config: SessionConfig = {}): SessionConfig {
  assertPermissions(config.permissions);
  const { permissionMode, tools, mcpServers } = config;
  const problems = [
    ...problemsOfKeys(config),
    ...problemsOfValues(config),
    ...problemsOfMode(permissionMode),
    ...problemsOfTools(tools),
    ...problemsOfServers(mcpServers),
  ];
  if (problems.length > 0) throw new SessionConfigInvalidError(problems);
  if (permissionMode !== "plan") return config;
  const { permissions = { rules: [] } } = config;
  return { ...config, permissions: { ...permissions, rules: [PLAN_MODE_RULE, ...permissions.rules] } };
}

function problemsOfKeys(config: SessionConfig): readonly string[] {
  const known = Object.keys(KNOWN_KEYS);
  const given = Object.entries(config).flatMap(([key, value]) => (value === undefined ? [] : [key]));
  return given
    .filter((key) => !known.includes(key))
    .map((key) => {
      const near = nearestName(key, known);
      return `${key}: No such setting.${near === undefined ? "" : ` Did you mean "${near}"?`} Known: ${known.join(", ")}.`;
    });
}

function problemsOfValues(config: SessionConfig): readonly string[] {
  return Object.entries(SESSION_VALUES).flatMap(([name, { expected, accepts }]) => {
    // The cast is true: these are names of settings.
    const value: unknown = config[name as keyof typeof SESSION_VALUES];
    if (value === undefined || accepts(value)) return [];
    const shown = typeof value === "string" ? JSON.stringify(value) : String(value);
    return [`${name}: It must be ${expected}, not ${shown}.`];
  });
}

function problemsOfMode(mode: unknown): readonly string[] {
  if (mode === undefined || MODES.some((known) => known === mode)) return [];
  const foreign = typeof mode === "string" ? FOREIGN_MODES[mode] : undefined;
  const near = typeof mode === "string" ? nearestName(mode, MODES) : undefined;
  const advice = foreign ?? (near === undefined ? "" : `Did you mean "${near}"?`);
  const possible = MODES.map((known) => `"${known}"`).join(", ");
  return [
    `permissionMode: ${JSON.stringify(mode)} is not possible. ${advice === "" ? "" : `${advice} `}Possible: ${possible}.`,
  ];
}

function problemsOfTools(tools: readonly ToolDefinition[] | undefined): readonly string[] {
  if (tools === undefined) return [];
  if (!Array.isArray(tools)) return ["tools: It must be a list of tools."];
  const names = tools.map((tool: Partial<ToolDefinition> | null) => tool?.name);
  return tools.flatMap((tool: Partial<ToolDefinition> | null, index) => {
    const place = `tools[${index}]`;
    if (typeof tool?.name !== "string" || tool.name === "") return [`${place}: It needs a name.`];
    if (typeof tool.handler !== "function") return [`${place}: The tool "${tool.name}" needs a handler.`];
    if (names.indexOf(tool.name) < index) return [`${place}: There is already a tool "${tool.name}".`];
    return [];
  });
}

/** Agents put a server's name before the names of its tools, and lists of tools know Atomic's own tools by that. */
const RESERVED_SERVER = /^atomic(?![a-z0-9])/i;

function problemsOfServers(servers: SessionConfig["mcpServers"]): readonly string[] {
  return Object.keys(servers ?? {})
    .filter((name) => RESERVED_SERVER.test(name))
    .map((name) => `mcpServers: The name ${JSON.stringify(name)} is reserved for Atomic's own tools. Choose another.`);
}
