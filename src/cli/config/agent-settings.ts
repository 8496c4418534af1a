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

/** What can be set about every agent. */
const clientSchema = z.strictObject({
  /** A home of its own for the agent, apart from the user's settings and login. */
  homeDirectory: z.string().exactOptional(),
  /** Whether the user's and the project's own settings of the agent hold. */
  userSettings: z.boolean().exactOptional(),
  /** A model endpoint of the user's own. */
  endpoint: endpointSchema.exactOptional(),
  /** The agent's model where the call names none; it comes before the `model` for all agents. */
  model: z.string().min(1).exactOptional(),
  /** The only variables of the environment that the agent gets, besides what every program needs and its own. */
  environment: z.array(z.string().min(1)).exactOptional(),
  /** How long a turn may be silent before it is stopped, in milliseconds. */
  stallTimeoutMs: z.int().positive().exactOptional(),
});

const vendorSchema = clientSchema.extend({
  /** The program, where it is not found by itself. */
  binaryPath: z.string().exactOptional(),
});

/** An agent of any other name speaks the Agent Client Protocol. */
const acpSchema = clientSchema.extend({
  /** A known agent whose command and habits are taken over. */
  preset: z.string().min(1).exactOptional(),
  /** The program; the preset's where there is one. */
  command: z.string().min(1).exactOptional(),
  args: z.array(z.string()).exactOptional(),
  authMethod: z.string().exactOptional(),
  mode: z.string().exactOptional(),
  loginCommand: z.string().exactOptional(),
  /**
   * Starts an agent that does not ask before each call of a tool: Atomic's policy then holds only for what it asks. Only in
   * the user's own settings.
   */
  ungated: z.boolean().exactOptional(),
});

/** The settings of the agents, by name. */
export const agentSettingsSchema = z
  .object({
    claude: vendorSchema.exactOptional(),
    copilot: vendorSchema
      .extend({
        /** A runtime on this machine that is joined in the place of one of Atomic's own. */
        cliUrl: z.string().min(1).exactOptional(),
      })
      .exactOptional(),
    opencode: vendorSchema
      .extend({
        /** Settings in OpenCode's own format, laid over the user's. */
        config: z.record(z.string(), z.json()).exactOptional(),
        /** A server that runs already; refused, because the policy would not hold in it. */
        baseUrl: z.string().min(1).exactOptional(),
      })
      .exactOptional(),
  })
  .catchall(acpSchema);

/** The settings of the agents, by name. */
export type AgentSettings = z.infer<typeof agentSettingsSchema>;

/** The settings of an agent that speaks the Agent Client Protocol. */
export type AcpAgentSettings = z.infer<typeof acpSchema>;
