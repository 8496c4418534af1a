import { z } from "zod";
import { impossibilitiesOf, PERMISSION_EFFECTS, TOOL_KINDS } from "../../contracts/index.ts";
import { notificationsSchema } from "../notifications/notification-settings.ts";
import { agentSettingsSchema } from "./agent-settings.ts";
import { describeConfigIssue } from "./describe-config-issue.ts";
import { sandboxSchema } from "./sandbox-schema.ts";
import { uiSchema } from "./ui-settings.ts";

const toolKind = z.enum(TOOL_KINDS);
const effect = z.enum(PERMISSION_EFFECTS);

const permissionPolicySchema = z.strictObject({
  rules: z
    .array(
      z
        .strictObject({
          effect,
          tools: z.array(toolKind).exactOptional(),
          paths: z.array(z.string()).exactOptional(),
          commands: z.array(z.string()).exactOptional(),
        })
        .superRefine((rule, context) => {
          for (const message of impossibilitiesOf(rule)) context.addIssue({ code: "custom", message });
        }),
    )
    .default([]),
  otherwise: effect.exactOptional(),
  /** Globs of more files whose changes require approval, in addition to the built-in list. */
  protectedPaths: z.array(z.string().min(1)).exactOptional(),
});

/** A settings file. */
export const configSchema = z.strictObject({
  /** The agent when a call names none. */
  agent: z.string().min(1).exactOptional(),
  model: z.string().min(1).exactOptional(),
  models: z
    .strictObject({
      /** Models to try in this order when the provider of the previous one keeps failing. */
      fallback: z.array(z.string().min(1)).exactOptional(),
    })
    .exactOptional(),
  permissions: permissionPolicySchema.exactOptional(),
  limits: z
    .strictObject({
      /** How many agents may be at work at a time in all calls of the user. Only the user's own settings may set this. */
      maxAgentsOnMachine: z.int().positive().exactOptional(),
      /** Limits of each workflow script. A project can only lower those of the user, or the default ones. */
      scripts: z
        .strictObject({
          /** How many agents of a script may work at the same time, at most 16. */
          maxConcurrency: z.int().positive().max(16).exactOptional(),
          /** How many agents a script may call in all. */
          maxAgents: z.int().positive().exactOptional(),
        })
        .exactOptional(),
    })
    .exactOptional(),
  /** Runs all agents in a sandbox with these limits; `true` means the default ones. */
  sandbox: sandboxSchema.exactOptional(),
  agents: agentSettingsSchema.exactOptional(),
  /** Whose hooks run with agents. A project can only turn them off. @default "project-and-user" */
  hooks: z.enum(["off", "user", "project-and-user"]).exactOptional(),
  /** How you are notified of runs that wait or have ended. Only the user's own settings may set this. */
  notifications: notificationsSchema.exactOptional(),
  /** How the chat looks and which keys it has. */
  ui: uiSchema.exactOptional(),
});

/** A checked value, or what is wrong with it. */
export type CheckedConfig =
  | { readonly type: "valid"; readonly config: z.infer<typeof configSchema> }
  | { readonly type: "invalid"; readonly problems: readonly string[]; readonly cause: unknown };

/** Checks the value of a settings file. Pure. */
export function checkConfig(value: unknown): CheckedConfig {
  const parsed = configSchema.safeParse(value);
  if (parsed.success) return { type: "valid", config: parsed.data };
  const problems = parsed.error.issues.flatMap((issue) =>
    describeConfigIssue(issue, { schema: configSchema, settings: value }),
  );
  return { type: "invalid", problems, cause: parsed.error };
}
