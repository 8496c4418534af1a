import type { Vendor } from "../agents/agent-types.ts";

/** The name under which the sandbox is installed. */
export const SANDBOX = "sandbox";

/** An installable, as messages name it. */
export function installedName(name: string): string {
  return name === SANDBOX ? "The sandbox" : `The agent "${name}"`;
}

/** What `atomic install` installs of one agent, or of the sandbox. */
export interface VendorPackages {
  /** The npm packages, each with the exact version that Atomic is tested with. */
  readonly packages: Readonly<Record<string, string>>;
  /** Approximate disk space, in megabytes. */
  readonly megabytes: number;
  /** How to sign in afterwards. Absent for the sandbox. */
  readonly signIn?: SignIn;
}

/** How a person signs in to an agent. */
export type SignIn =
  /** Calls the agent's own program, wherever it is, with these arguments. */
  | { readonly type: "program"; readonly vendor: Vendor; readonly args: string }
  | { readonly type: "words"; readonly text: string };

/** What can be installed. */
export const VENDOR_PACKAGES: Readonly<Record<string, VendorPackages>> = {
  claude: {
    packages: { "@anthropic-ai/claude-agent-sdk": "0.3.330" },
    megabytes: 400,
    signIn: { type: "program", vendor: "claude", args: "auth login" },
  },
  opencode: {
    packages: { "@opencode-ai/sdk": "1.19.3", "opencode-ai": "1.18.33" },
    megabytes: 350,
    signIn: { type: "program", vendor: "opencode", args: "auth login" },
  },
  copilot: {
    packages: { "@github/copilot-sdk": "1.0.14" },
    megabytes: 120,
    // The package contains a runtime that can only serve.
    signIn: {
      type: "words",
      text: 'a token in COPILOT_GITHUB_TOKEN, or "copilot login" of GitHub\'s own program (npm install -g @github/copilot)',
    },
  },
  acp: {
    packages: { "@agentclientprotocol/sdk": "2.4.0" },
    megabytes: 10,
    signIn: { type: "words", text: "what the agent's own documentation says" },
  },
  [SANDBOX]: {
    packages: { "@anthropic-ai/sandbox-runtime": "0.0.83" },
    megabytes: 25,
  },
};
