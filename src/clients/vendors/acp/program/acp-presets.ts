import type { AgentCapabilities } from "../../../../contracts/index.ts";
import type { PlatformPackage } from "../../../process/find-program.ts";
import {
  FIRST_FOREIGN_OPENCODE_VERSION,
  OLDEST_OPENCODE_VERSION,
  OPENCODE_PACKAGE,
} from "../../opencode-settings/opencode-program.ts";

/** The agents with a preset. */
export type AcpPresetName = "gemini" | "codex" | "goose" | "opencode" | "copilot" | "claude";

/** What is known about one agent that speaks ACP. */
export interface AcpPreset {
  /** The name of its program. */
  readonly command: string;
  /** The arguments that make the program speak ACP on its standard input and output. */
  readonly args: readonly string[];
  /** The package with the program itself. */
  readonly platformPackage?: PlatformPackage;
  /** The oldest supported version of the program, as `1.2.3`. @default any */
  readonly oldestVersion?: string;
  /** The first unsupported newer version of the program, as `2.0.0`. @default none */
  readonly belowVersion?: string;
  /** The command that installs it. */
  readonly installCommand: string;
  /** The command that signs in. */
  readonly loginCommand: string;
  /** Whether Atomic decides about every tool call in advance, or only about the agent's permission requests. */
  readonly gate: "every-call" | "none";
  /** The session mode with the most permission requests. Set when a session starts in another mode. */
  readonly askingMode?: string;
  /** The message that makes the agent compact the conversation. */
  readonly compactCommand?: string;
  /** Whether all sessions of a process see the MCP servers of each. @default false */
  readonly sharesMcpServers?: boolean;
  /** Whether the reported tokens are not those of the prompt, so that they are left out. @default false */
  readonly hidesUsage?: boolean;
  /** Arguments of tool calls that the agent adds to the model's. @default none */
  readonly addedInputs?: readonly string[];
  /** Differences from what ACP lets any agent do, where the agent does not announce them when it starts. */
  readonly capabilities: Partial<AgentCapabilities>;
  /** What does not work, or is enforced less strictly than with the agent's own client. Shown to people. */
  readonly knownGaps: readonly string[];
}

const KEYS_ARE_INHERITED = "the keys in its environment are visible to the commands it runs";
const SETTINGS_CAN_ALLOW = "calls that the user's own settings allow need no approval from Atomic";

/** The presets by name. `acp-preset-settings.ts` configures their endpoints. */
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
      "it reads files without asking: only its own sandbox restricts it, not Atomic's policy",
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
    knownGaps: ["calls that tool_permissions.json allows need no approval from Atomic", KEYS_ARE_INHERITED],
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
      "it does not pass on permission requests of sub-agents, so its task tool is disabled",
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
      "it reports the tokens of the whole conversation, with cache reads in the input, so a turn's tokens are unknown",
      "it ends the turn when a call is denied",
      "calls that the user's own settings of trusted folders allow need no approval from Atomic",
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
