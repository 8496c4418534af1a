import { z } from "zod";
import { setting } from "./setting-meta.ts";

const modelSchema = z.strictObject({
  id: z
    .string()
    .min(1)
    .meta(setting({ description: "The name of the model at the endpoint.", example: "qwen3-coder:30b" })),
  contextWindowTokens: z
    .int()
    .positive()
    .meta(
      setting({ description: "The size of its context window, in tokens.", defaultText: "unknown", example: 65_536 }),
    )
    .exactOptional(),
  outputTokens: z
    .int()
    .positive()
    .meta(setting({ description: "The most tokens of an answer.", defaultText: "unknown", example: 8_192 }))
    .exactOptional(),
  costPerMillionInputUsd: z
    .number()
    .nonnegative()
    .meta(
      setting({
        description: "The price of a million input tokens, in US dollars.",
        defaultText: "unknown",
        example: 0.5,
      }),
    )
    .exactOptional(),
  costPerMillionOutputUsd: z
    .number()
    .nonnegative()
    .meta(
      setting({
        description: "The price of a million output tokens, in US dollars.",
        defaultText: "unknown",
        example: 1.5,
      }),
    )
    .exactOptional(),
});

const endpointSchema = z
  .strictObject({
    protocol: z
      .enum(["openai-chat", "openai-responses", "anthropic-messages"])
      .meta(setting({ description: "The protocol that the endpoint speaks.", example: "openai-chat" })),
    baseUrl: z
      .url()
      .meta(setting({ description: "The address of the endpoint.", example: "http://127.0.0.1:11434/v1" })),
    apiKey: z
      .string()
      .meta(
        setting({
          description: "The key for the endpoint.",
          defaultText: "none",
          example: "the gateway's key",
          isSecret: true,
        }),
      )
      .exactOptional(),
    models: z
      .array(modelSchema)
      .min(1)
      .meta(
        setting({
          description: "The models at the endpoint; the first is the default.",
          example: [{ id: "qwen3-coder:30b" }],
        }),
      ),
  })
  .meta({ description: "Your own model endpoint." });

/** The settings that every agent has. */
const clientSchema = z.strictObject({
  homeDirectory: z
    .string()
    .meta(
      setting({
        description: "A separate home for the agent, without your settings and login.",
        defaultText: "your home",
        example: "/home/me/agent",
      }),
    )
    .exactOptional(),
  userSettings: z
    .boolean()
    .meta(
      setting({
        description: "Whether the agent loads its own settings, yours and those of the project.",
        default: true,
        example: false,
      }),
    )
    .exactOptional(),
  endpoint: endpointSchema.exactOptional(),
  model: z
    .string()
    .min(1)
    .meta(
      setting({
        description: "The agent's model when the call names none; it overrides the model for all agents.",
        defaultText: "the setting model",
        example: "opus",
        flag: "--model",
      }),
    )
    .exactOptional(),
  environment: z
    .array(z.string().min(1))
    .meta(
      setting({
        description:
          "The only environment variables that the agent gets, besides its own and those that every program needs.",
        defaultText: "all",
        example: ["AWS_*"],
      }),
    )
    .exactOptional(),
  stallTimeoutMs: z
    .int()
    .positive()
    .meta(
      setting({
        description: "A turn without output is stopped after this long, in milliseconds.",
        default: 300_000,
        example: 600_000,
      }),
    )
    .exactOptional(),
});

const vendorSchema = clientSchema.extend({
  binaryPath: z
    .string()
    .meta(
      setting({
        description: "The path of the program, when Atomic does not find it.",
        defaultText: "found by itself",
        example: "/opt/agent/bin/agent",
      }),
    )
    .exactOptional(),
});

/** A setting of agents over ACP. */
function acpText(description: string, about: { readonly defaultText: string; readonly example: string }) {
  return z
    .string()
    .min(1)
    .meta(setting({ description, ...about }));
}

/** Agents of any other name speak the Agent Client Protocol. */
const acpSchema = clientSchema.extend({
  preset: acpText("A known agent whose command and behavior apply.", {
    defaultText: "the one with the agent's name",
    example: "gemini",
  }).exactOptional(),
  command: acpText("The program.", { defaultText: "the preset's", example: "my-agent" }).exactOptional(),
  args: z
    .array(z.string())
    .meta(setting({ description: "The arguments of the program.", defaultText: "the preset's", example: ["--acp"] }))
    .exactOptional(),
  authMethod: z
    .string()
    .meta(
      setting({
        description: "How to sign in after the start: one of the methods that the agent lists.",
        defaultText: "your existing login",
        example: "api-key",
      }),
    )
    .exactOptional(),
  mode: z
    .string()
    .meta(
      setting({
        description: "The session mode, as the agent names it.",
        defaultText: "the preset's mode that asks most often",
        example: "ask",
      }),
    )
    .exactOptional(),
  loginCommand: z
    .string()
    .meta(
      setting({
        description: "The login command that Atomic prints when the agent needs a login.",
        defaultText: "the preset's",
        example: "my-agent login",
      }),
    )
    .exactOptional(),
  ungated: z
    .boolean()
    .meta(
      setting({
        description:
          "Starts an agent that does not ask before every tool call; Atomic's policy then applies only to the calls it asks about.",
        default: false,
        example: true,
        userOnly: true,
      }),
    )
    .exactOptional(),
});

/** The settings of the agents, by name. */
export const agentSettingsSchema = z
  .object({
    claude: vendorSchema.exactOptional(),
    copilot: vendorSchema
      .extend({
        cliUrl: z
          .string()
          .min(1)
          .meta(
            setting({
              description: "A runtime on this machine to connect to, instead of starting one.",
              defaultText: "Atomic starts one",
              example: "127.0.0.1:4321",
            }),
          )
          .exactOptional(),
      })
      .exactOptional(),
    opencode: vendorSchema
      .extend({
        config: z
          .record(z.string(), z.json())
          .meta(
            setting({
              description: "Settings in OpenCode's own format; they override yours.",
              default: {},
              example: { theme: "system" },
            }),
          )
          .exactOptional(),
        baseUrl: z
          .string()
          .min(1)
          .meta(
            setting({
              description: "A running server. Rejected, because Atomic cannot enforce its policy there.",
              defaultText: "Atomic starts one",
              example: "http://127.0.0.1:4096",
            }),
          )
          .exactOptional(),
      })
      .exactOptional(),
  })
  .catchall(acpSchema)
  .meta({ description: "The settings of the agents, by name. An agent of another name speaks ACP." });

/** The settings of the agents, by name. */
export type AgentSettings = z.infer<typeof agentSettingsSchema>;

/** The settings of an agent that speaks the Agent Client Protocol. */
export type AcpAgentSettings = z.infer<typeof acpSchema>;
