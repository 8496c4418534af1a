import { z } from "zod";
import { impossibilitiesOf, PERMISSION_EFFECTS, TOOL_KINDS } from "../../contracts/index.ts";
import { notificationsSchema } from "../notifications/notification-settings.ts";
import { agentSettingsSchema } from "./agent-settings.ts";
import { type ConfigProblem, describeConfigIssue } from "./describe-config-issue.ts";
import { findLenientKeys } from "./find-lenient-keys.ts";
import { sandboxSchema } from "./sandbox-schema.ts";
import { setting } from "./setting-meta.ts";
import { uiSchema } from "./ui-settings.ts";

const toolKind = z.enum(TOOL_KINDS);
const effect = z.enum(PERMISSION_EFFECTS);

const ruleSchema = z
  .strictObject({
    effect: effect.meta(setting({ description: "What happens to a call that the rule matches.", example: "allow" })),
    tools: z
      .array(toolKind)
      .meta(
        setting({ description: "The kinds of calls that the rule matches.", defaultText: "all", example: ["edit"] }),
      )
      .exactOptional(),
    paths: z
      .array(z.string())
      .meta(
        setting({ description: "Globs of the files that the rule matches.", defaultText: "all", example: ["src/**"] }),
      )
      .exactOptional(),
    commands: z
      .array(z.string())
      .meta(
        setting({ description: "Globs of shell commands that it matches.", defaultText: "all", example: ["npm test"] }),
      )
      .exactOptional(),
  })
  .superRefine((rule, context) => {
    for (const message of impossibilitiesOf(rule)) context.addIssue({ code: "custom", message });
  });

const permissionPolicySchema = z.strictObject({
  rules: z
    .array(ruleSchema)
    .meta(
      setting({
        description: "Which calls of agents are allowed, denied, or need your approval. Those of both files apply.",
        default: [],
        example: [{ effect: "allow", tools: ["edit"], paths: ["src/**"] }],
      }),
    )
    .default([]),
  otherwise: effect
    .meta(
      setting({
        description: "What happens to a call that no rule matches. The stricter of both files applies.",
        default: "ask",
        example: "deny",
      }),
    )
    .exactOptional(),
  protectedPaths: z
    .array(z.string().min(1))
    .meta(
      setting({
        description: "Globs of more files whose changes require approval, in addition to the built-in list.",
        default: [],
        example: ["infra/**"],
      }),
    )
    .exactOptional(),
});

const scriptLimitsSchema = z
  .strictObject({
    maxConcurrency: z
      .int()
      .positive()
      .max(16)
      .meta(
        setting({
          description: "How many agents of a script may work at the same time. A project can only lower it.",
          defaultText: "the number of processors less 2, from 2 to 16",
          example: 4,
        }),
      )
      .exactOptional(),
    maxAgents: z
      .int()
      .positive()
      .meta(
        setting({
          description: "How many agents a script may call in all. A project can only lower it.",
          default: 1000,
          example: 200,
        }),
      )
      .exactOptional(),
  })
  .meta({ description: "Limits of each workflow script." });

const limitsSchema = z
  .strictObject({
    maxAgentsOnMachine: z
      .int()
      .positive()
      .meta(
        setting({
          description: "How many agents may be at work at a time in all your calls of Atomic together.",
          defaultText: "no limit",
          example: 3,
          userOnly: true,
        }),
      )
      .exactOptional(),
    scripts: scriptLimitsSchema.exactOptional(),
  })
  .meta({ description: "How much agents may do." });

/** A settings file. */
export const configSchema = z.strictObject({
  $schema: z
    .string()
    .meta(
      setting({
        description: "The JSON Schema of this file, for editors. Atomic does not read it.",
        example: "./config.schema.json",
      }),
    )
    .exactOptional(),
  agent: z
    .string()
    .min(1)
    .meta(
      setting({
        description: "The agent when a call names none.",
        default: "opencode",
        example: "claude",
        variable: "ATOMIC_AGENT",
        flag: "--agent",
      }),
    )
    .exactOptional(),
  model: z
    .string()
    .min(1)
    .meta(
      setting({
        description:
          "The model when a call names none, as the agent spells it. The variable overrides agents.NAME.model, too.",
        defaultText: "the agent's own",
        example: "openai/gpt-5",
        variable: "ATOMIC_MODEL",
        flag: "--model",
      }),
    )
    .exactOptional(),
  models: z
    .strictObject({
      fallback: z
        .array(z.string().min(1))
        .meta(
          setting({
            description: "Models to try in this order when the provider of the previous one keeps failing.",
            default: [],
            example: ["openai/gpt-5-mini"],
          }),
        )
        .exactOptional(),
    })
    .meta({ description: "What happens when a model fails." })
    .exactOptional(),
  permissions: permissionPolicySchema.meta({ description: "What agents may do." }).exactOptional(),
  limits: limitsSchema.exactOptional(),
  sandbox: sandboxSchema.exactOptional(),
  agents: agentSettingsSchema.exactOptional(),
  hooks: z
    .enum(["off", "user", "project-and-user"])
    .meta(
      setting({
        description: "Whose hooks run with agents. A project can only be stricter.",
        default: "project-and-user",
        example: "user",
      }),
    )
    .exactOptional(),
  notifications: notificationsSchema.exactOptional(),
  ui: uiSchema.exactOptional(),
});

/** The settings of a file. */
export type ConfigValues = Omit<z.infer<typeof configSchema>, "$schema">;

/** A checked value, or what is wrong with it. */
export type CheckedConfig =
  | {
      readonly type: "valid";
      readonly config: ConfigValues;
      /** Keys that were left out, because no setting has their name and none can be meant that guards anything. */
      readonly ignored: readonly ConfigProblem[];
    }
  | { readonly type: "invalid"; readonly problems: readonly ConfigProblem[]; readonly cause: unknown };

/** Checks the value of a settings file. Pure. */
export function checkConfig(value: unknown): CheckedConfig {
  const parsed = configSchema.safeParse(value);
  if (parsed.success) return { type: "valid", config: withoutSchema(parsed.data), ignored: [] };
  const { issues } = parsed.error;
  const lenient = findLenientKeys(issues, value, Object.keys(configSchema.shape));
  if (lenient !== undefined) {
    const rest = configSchema.safeParse(lenient.rest);
    if (rest.success) return { type: "valid", config: withoutSchema(rest.data), ignored: describe(issues, value) };
  }
  return { type: "invalid", problems: describe(issues, value), cause: parsed.error };
}

function describe(issues: readonly z.core.$ZodIssue[], settings: unknown): readonly ConfigProblem[] {
  return issues.flatMap((issue) => describeConfigIssue(issue, { schema: configSchema, settings }));
}

function withoutSchema({ $schema: _, ...config }: z.infer<typeof configSchema>): ConfigValues {
  return config;
}
