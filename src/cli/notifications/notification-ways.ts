import type { CliEnvironment } from "../environment.ts";
import { desktopProgram, findDesktopProgram } from "./desktop-sink.ts";
import { findSecret, type NotificationSettings, nameOfWebhook } from "./notification-settings.ts";
import { terminalMethod } from "./terminal-sink.ts";

/** A way in which a user is notified, and whether it can work. */
export interface NotificationWay {
  readonly name: string;
  /** `off`: the user does not want it, or this terminal is not known to support it. */
  readonly status: "ok" | "off" | "missing";
  readonly detail: string;
}

/** The ways of these settings; sends nothing. */
export async function listNotificationWays(
  environment: Pick<CliEnvironment, "env">,
  { terminal, desktop = false, webhooks = [] }: NotificationSettings,
  platform: string,
): Promise<readonly NotificationWay[]> {
  const { env } = environment;
  const method = terminalMethod(terminal, env);
  const program = desktop ? await findDesktopProgram(environment, platform) : undefined;
  const known = 'this terminal is not known to show notifications; "osc9", "osc777" or "bell" sends them anyway';
  return [
    method === undefined
      ? { name: "terminal", status: "off", detail: terminal === "off" ? "turned off" : known }
      : { name: "terminal", status: "ok", detail: method },
    !desktop
      ? { name: "desktop", status: "off", detail: "turned off" }
      : program === undefined
        ? { name: "desktop", status: "missing", detail: `${desktopProgram(platform)} is not installed` }
        : { name: "desktop", status: "ok", detail: program },
    ...webhooks.map((webhook): NotificationWay => {
      const name = `webhook ${nameOfWebhook(webhook)}`;
      const found = findSecret(webhook, env);
      return found.type === "usable"
        ? { name, status: "ok", detail: (webhook.events ?? ["all"]).join(", ") }
        : { name, status: "missing", detail: found.reason };
    }),
  ];
}
