import { createHash } from "node:crypto";
import { z } from "zod";
import { NOTIFICATION_EVENTS } from "../../contracts/index.ts";
import { setting } from "../config/setting-meta.ts";

/** Shorter secrets can be guessed. */
const MIN_SECRET_LENGTH = 16;

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

const webhookSchema = z
  .strictObject({
    url: z
      .string()
      .meta(
        setting({ description: "The address that receives the notification.", example: "https://example.com/hook" }),
      ),
    secret: z
      .string()
      .meta(
        setting({
          description: "The key of the signature, of 16 characters or more.",
          defaultText: "that in secretVariable",
          example: "0123456789abcdef",
          isSecret: true,
        }),
      )
      .exactOptional(),
    secretVariable: z
      .string()
      .meta(
        setting({
          description: "The environment variable with the key of the signature.",
          defaultText: "secret is set",
          example: "HOOK_SECRET",
        }),
      )
      .exactOptional(),
    events: z
      .array(z.enum(NOTIFICATION_EVENTS))
      .min(1)
      .meta(setting({ description: "What it is notified of.", defaultText: "all", example: [NOTIFICATION_EVENTS[0]] }))
      .exactOptional(),
    allowHttp: z
      .boolean()
      .meta(setting({ description: "Sends over plain HTTP to other machines, too.", default: false, example: true }))
      .exactOptional(),
  })
  .superRefine((webhook, context) => {
    for (const [key, message] of problemsOf(webhook)) context.addIssue({ code: "custom", path: [key], message });
  });

/** The setting `notifications`. */
export const notificationsSchema = z
  .strictObject({
    terminal: z
      .enum(["auto", "osc9", "osc777", "bell", "off"])
      .meta(
        setting({
          description:
            "How a terminal notifies the person at it. auto: in the way that the terminal is known to support.",
          default: "auto",
          example: "bell",
          userOnly: true,
        }),
      )
      .exactOptional(),
    desktop: z
      .boolean()
      .meta(
        setting({
          description: "Shows notifications with notify-send or osascript.",
          default: false,
          example: true,
          userOnly: true,
        }),
      )
      .exactOptional(),
    webhooks: z
      .array(webhookSchema)
      .superRefine(findRepeated)
      .meta(
        setting({
          description: "Addresses that receive notifications.",
          default: [],
          example: [{ url: "https://example.com/hook", secretVariable: "HOOK_SECRET" }],
          userOnly: true,
        }),
      )
      .exactOptional(),
  })
  .meta({ description: "How you are notified of runs that wait or have ended." });

/** How a user wants to be notified of runs. */
export type NotificationSettings = z.infer<typeof notificationsSchema>;

/** An address that receives notifications. */
export type Webhook = z.infer<typeof webhookSchema>;

/** Without values: an address or a secret must not get into an error's text. */
function problemsOf(webhook: {
  readonly url: string;
  readonly secret?: string;
  readonly secretVariable?: string;
  readonly allowHttp?: boolean;
}): readonly (readonly [key: string, message: string])[] {
  const { secret, secretVariable } = webhook;
  const problems: (readonly [string, string])[] = [];
  const problem = urlProblem(webhook);
  if (problem !== undefined) problems.push(["url", problem]);
  if ((secret === undefined) === (secretVariable === undefined)) {
    problems.push(["secret", "write either secret or secretVariable, the variable that contains it"]);
  }
  if (secret !== undefined && secret.length < MIN_SECRET_LENGTH) {
    problems.push(["secret", `it is shorter than ${MIN_SECRET_LENGTH} characters. Create one: openssl rand -hex 32`]);
  }
  if (secretVariable !== undefined && !/^[A-Za-z_][A-Za-z0-9_]*$/.test(secretVariable)) {
    problems.push(["secretVariable", "it is not the name of an environment variable"]);
  }
  return problems;
}

/** What is wrong with an address. */
function urlProblem({
  url,
  allowHttp = false,
}: {
  readonly url: string;
  readonly allowHttp?: boolean;
}): string | undefined {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !["http:", "https:"].includes(parsed.protocol)) return "it is not an http or https URL";
  if (parsed.username !== "" || parsed.password !== "") return "it contains a login; the signature replaces that";
  if (parsed.protocol === "https:" || allowHttp || LOOPBACK.test(parsed.hostname)) return undefined;
  return "anybody on the way could read what is sent over http. Use https, or set allowHttp to true";
}

/** An address is one webhook: a notification is delivered to it once. */
function findRepeated(webhooks: readonly { readonly url: string }[], context: z.RefinementCtx): void {
  const urls = webhooks.map(({ url }) => url);
  for (const [index, url] of urls.entries()) {
    if (urls.indexOf(url) === index) continue;
    context.addIssue({ code: "custom", path: [index, "url"], message: "an earlier webhook has the same url" });
  }
}

/** A webhook as people may see it: the path of its address can be a secret. */
export function nameOfWebhook({ url }: Pick<Webhook, "url">): string {
  return new URL(url).origin;
}

/** What a webhook is recorded as. */
export function keyOfWebhook({ url }: Pick<Webhook, "url">): string {
  return createHash("sha256").update(url).digest("hex").slice(0, 16);
}

/** The key of a webhook's signature, or why it cannot be used. */
export type FoundSecret =
  | { readonly type: "usable"; readonly secret: string }
  | { readonly type: "unusable"; readonly reason: string };

/** Looks up the key of a webhook's signature. One from a variable is checked here, one from the settings with them. */
export function findSecret(
  webhook: Pick<Webhook, "secret" | "secretVariable">,
  env: Readonly<Record<string, string | undefined>>,
): FoundSecret {
  const secret = secretOf(webhook, env);
  const variable = `the variable ${webhook.secretVariable} with its secret`;
  if (secret === undefined) return { type: "unusable", reason: `${variable} is not set` };
  if (secret.length >= MIN_SECRET_LENGTH) return { type: "usable", secret };
  const remedy = "Create one: openssl rand -hex 32";
  return { type: "unusable", reason: `${variable} is shorter than ${MIN_SECRET_LENGTH} characters. ${remedy}` };
}

/** The key of a webhook's signature; undefined when its variable is not set. */
export function secretOf(
  { secret, secretVariable }: Pick<Webhook, "secret" | "secretVariable">,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const value = secret ?? env[secretVariable ?? ""];
  return value === "" ? undefined : value;
}
