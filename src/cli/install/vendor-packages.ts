/** What `atomic install` installs of one agent. */
export interface VendorPackages {
  /** The npm packages, each with the exact version that Atomic is tested with. */
  readonly packages: Readonly<Record<string, string>>;
  /** About how much it takes on disk, in megabytes. */
  readonly megabytes: number;
  /** How to sign in afterwards. */
  readonly loginCommand: string;
}

/** The agents that can be installed. */
export const VENDOR_PACKAGES: Readonly<Record<string, VendorPackages>> = {
  claude: {
    packages: { "@anthropic-ai/claude-agent-sdk": "0.3.330" },
    megabytes: 400,
    loginCommand: "claude auth login",
  },
  opencode: {
    packages: { "@opencode-ai/sdk": "1.19.3", "opencode-ai": "1.18.33" },
    megabytes: 350,
    loginCommand: "opencode auth login",
  },
  copilot: {
    packages: { "@github/copilot-sdk": "1.0.14" },
    megabytes: 120,
    loginCommand: "copilot login",
  },
  acp: {
    packages: { "@agentclientprotocol/sdk": "2.4.0" },
    megabytes: 10,
    loginCommand: "see the agent's own documentation",
  },
};
