import type { AgentCapabilities } from "../../../contracts/index.ts";
import type { PlatformPackage } from "../../process/find-program.ts";
import {
  FIRST_FOREIGN_OPENCODE_VERSION,
  OLDEST_OPENCODE_VERSION,
  OPENCODE_PACKAGE,
} from "../opencode-settings/opencode-program.ts";

/** The agents whose ways Atomic knows. */
export type AcpPresetName = "gemini" | "codex" | "goose" | "opencode" | "copilot" | "claude";

/** What is known about one agent that speaks ACP. */
export interface AcpPreset {
  /** The name of its program. */
  readonly command: string;
  /** What makes the program speak ACP on its standard input and output. */
  readonly args: readonly string[];
  /** The package with the program itself. */
  readonly platformPackage?: PlatformPackage;
  /** The oldest version of the program that will do, as `1.2.3`. @default any */
  readonly oldestVersion?: string;
  /** The first version of the program that will not do any more, as `2.0.0`. @default none */
  readonly belowVersion?: string;
  /** How to get it. */
  readonly installCommand: string;
  /** How to sign in. */
  readonly loginCommand: string;
  /** Whether Atomic decides about each of its tool calls before it happens, or only about those that the agent asks for. */
  readonly gate: "every-call" | "none";
  /** The session mode in which the agent asks for leave the most. Set when a session begins in another one. */
  readonly askingMode?: string;
  /** The message that makes the agent compact the conversation. */
  readonly compactCommand?: string;
  /** Whether all sessions of a process see the MCP servers of each. @default false */
  readonly sharesMcpServers?: boolean;
  /** Whether the tokens that it tells are not those of the prompt: then they are left out. @default false */
  readonly hidesUsage?: boolean;
  /** Arguments of tool calls that are the agent's own addition, not the model's. @default none */
  readonly addedInputs?: readonly string[];
  /** What the agent can do and does not announce when it starts. Absent: what ACP lets any agent do. */
  readonly capabilities: Partial<AgentCapabilities>;
  /** What does not work, or less firmly than with the agent's own client, for people. */
  readonly knownGaps: readonly string[];
}

const KEYS_ARE_INHERITED = "the keys in its environment are visible to the commands it runs";
const SETTINGS_CAN_ALLOW = "what the user's own settings allow is not asked about";

/** The agents whose ways Atomic knows, by name. How each is told about an endpoint: `acp-preset-settings.ts`. */
export const ACP_PRESETS: Readonly<Record<AcpPresetName, AcpPreset>> = {
  gemini: {
    command: "gemini",
    gate: "none",
    args: ["--acp"],
    installCommand: "npm install -g @google/gemini-cli",
    loginCommand: "gemini",
    askingMode: "default",
    capabilities: { customEndpoint: false, userSettings: false, subagents: false, cost: false, contextUsage: false },
    knownGaps: [
      "versions before 0.30 call the flag --experimental-acp: set args",
      "it speaks only Google's own protocol, so an endpoint of another kind cannot be given",
      SETTINGS_CAN_ALLOW,
      KEYS_ARE_INHERITED,
    ],
  },
  codex: {
    command: "codex-acp",
    gate: "none",
    args: [],
    installCommand: "npm install -g @agentclientprotocol/codex-acp",
    loginCommand: "codex login",
    askingMode: "read-only",
    compactCommand: "/compact",
    capabilities: { userSettings: false, subagents: false, cost: false },
    knownGaps: [
      "it reads files without asking: its sandbox, not Atomic's policy, is what holds it",
      "an endpoint must speak the openai-responses protocol",
      SETTINGS_CAN_ALLOW,
      KEYS_ARE_INHERITED,
    ],
  },
  goose: {
    command: "goose",
    gate: "none",
    args: ["acp"],
    installCommand: "curl -fsSL https://github.com/block/goose/releases/download/stable/download_cli.sh | bash",
    loginCommand: "goose configure",
    askingMode: "approve",
    capabilities: { userSettings: false, subagents: false, questions: false, cost: false },
    knownGaps: ["what tool_permissions.json allows is not asked about", KEYS_ARE_INHERITED],
  },
  opencode: {
    command: "opencode",
    gate: "every-call",
    args: ["acp"],
    platformPackage: OPENCODE_PACKAGE,
    oldestVersion: OLDEST_OPENCODE_VERSION,
    belowVersion: FIRST_FOREIGN_OPENCODE_VERSION,
    installCommand: "atomic install opencode",
    loginCommand: "opencode auth login",
    askingMode: "build",
    compactCommand: "/compact",
    sharesMcpServers: true,
    addedInputs: ["cwd"],
    capabilities: { questions: false, subagents: false, deleteSession: false, userSettings: false },
    knownGaps: [
      "it passes no permission requests of sub-agents on, so its task tool is switched off",
      "it reports the tokens of a turn's last model call only",
      KEYS_ARE_INHERITED,
    ],
  },
  copilot: {
    command: "copilot",
    gate: "none",
    args: ["--acp", "--no-auto-update"],
    installCommand: "npm install -g @github/copilot",
    loginCommand: "copilot login",
    hidesUsage: true,
    capabilities: { questions: false, subagents: false, userSettings: false, cost: false, contextUsage: false },
    knownGaps: [
      "it tells the tokens of the whole conversation, cache reads among the input, so a turn's are not known",
      "it ends the turn at a refused call",
      "what the user's own settings of trusted folders allow is not asked about",
      KEYS_ARE_INHERITED,
    ],
  },
  claude: {
    command: "claude-agent-acp",
    gate: "every-call",
    args: [],
    installCommand: "npm install -g @agentclientprotocol/claude-agent-acp",
    loginCommand: "claude /login",
    askingMode: "default",
    compactCommand: "/compact",
    capabilities: { subagents: true },
    knownGaps: ["it needs Node 22 or later, or Bun", KEYS_ARE_INHERITED],
  },
};
