import { createHash } from "node:crypto";
import { z } from "zod";
import { NOTIFICATION_EVENTS } from "../../contracts/index.ts";

/** Shorter secrets can be guessed. */
const MIN_SECRET_LENGTH = 16;

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

const webhookSchema = z
  .strictObject({
    url: z.string(),
    /** The key of the signature. */
    secret: z.string().exactOptional(),
    /** The environment variable with the key of the signature. */
    secretVariable: z.string().exactOptional(),
    /** @default all */
    events: z.array(z.enum(NOTIFICATION_EVENTS)).min(1).exactOptional(),
    /** Sends over plain HTTP to other machines, too. */
    allowHttp: z.boolean().exactOptional(),
  })
  .superRefine((webhook, context) => {
    for (const [key, message] of problemsOf(webhook)) context.addIssue({ code: "custom", path: [key], message });
  });

/** The setting `notifications`. */
export const notificationsSchema = z.strictObject({
  /** How a terminal notifies the person at it. `auto`: in the way that the terminal is known to support. */
  terminal: z.enum(["auto", "osc9", "osc777", "bell", "off"]).exactOptional(),
  /** Shows notifications with `notify-send` or `osascript`. @default false */
  desktop: z.boolean().exactOptional(),
  webhooks: z.array(webhookSchema).superRefine(findRepeated).exactOptional(),
});

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
