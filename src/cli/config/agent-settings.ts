import { z } from "zod";

const endpointSchema = z.strictObject({
  protocol: z.enum(["openai-chat", "openai-responses", "anthropic-messages"]),
  baseUrl: z.url(),
  apiKey: z.string().exactOptional(),
  models: z
    .array(
      z.strictObject({
        id: z.string().min(1),
        contextWindowTokens: z.int().positive().exactOptional(),
        outputTokens: z.int().positive().exactOptional(),
        costPerMillionInputUsd: z.number().nonnegative().exactOptional(),
        costPerMillionOutputUsd: z.number().nonnegative().exactOptional(),
      }),
    )
    .min(1),
});

/** The settings that every agent has. */
const clientSchema = z.strictObject({
  /** A separate home for the agent, without the user's settings and login. */
  homeDirectory: z.string().exactOptional(),
  /** Whether the agent loads its own settings, those of the user and of the project. */
  userSettings: z.boolean().exactOptional(),
  /** The user's own model endpoint. */
  endpoint: endpointSchema.exactOptional(),
  /** The agent's model when the call names none; it overrides the `model` for all agents. */
  model: z.string().min(1).exactOptional(),
  /** The only environment variables that the agent gets, besides its own and those that every program needs. */
  environment: z.array(z.string().min(1)).exactOptional(),
  /** A turn without output is stopped after this long, in milliseconds. */
  stallTimeoutMs: z.int().positive().exactOptional(),
});

const vendorSchema = clientSchema.extend({
  /** The path of the program, when Atomic does not find it. */
  binaryPath: z.string().exactOptional(),
});

/** Agents of any other name speak the Agent Client Protocol. */
const acpSchema = clientSchema.extend({
  /** A known agent whose command and behavior apply. */
  preset: z.string().min(1).exactOptional(),
  /** The program. @default the preset's */
  command: z.string().min(1).exactOptional(),
  args: z.array(z.string()).exactOptional(),
  authMethod: z.string().exactOptional(),
  mode: z.string().exactOptional(),
  loginCommand: z.string().exactOptional(),
  /**
   * Starts an agent that does not ask before every tool call; Atomic's policy then applies only to the calls it asks about.
   * Only the user's own settings may set this.
   */
  ungated: z.boolean().exactOptional(),
});

/** The settings of the agents, by name. */
export const agentSettingsSchema = z
  .object({
    claude: vendorSchema.exactOptional(),
    copilot: vendorSchema
      .extend({
        /** A runtime on this machine to connect to, instead of starting one. */
        cliUrl: z.string().min(1).exactOptional(),
      })
      .exactOptional(),
    opencode: vendorSchema
      .extend({
        /** Settings in OpenCode's own format; they override the user's. */
        config: z.record(z.string(), z.json()).exactOptional(),
        /** A running server; rejected, because Atomic cannot enforce its policy there. */
        baseUrl: z.string().min(1).exactOptional(),
      })
      .exactOptional(),
  })
  .catchall(acpSchema);

/** The settings of the agents, by name. */
export type AgentSettings = z.infer<typeof agentSettingsSchema>;

/** The settings of an agent that speaks the Agent Client Protocol. */
export type AcpAgentSettings = z.infer<typeof acpSchema>;
