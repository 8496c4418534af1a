import { randomUUID } from "node:crypto";
import { NO_USAGE } from "../../contracts/index.ts";
import { formatTable, safeLine } from "../../view/index.ts";
import type { RunNotification } from "../../workflows/index.ts";
import type { CliEnvironment } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";
import { showOnDesktop } from "../notifications/desktop-sink.ts";
import {
  findSecret,
  type NotificationSettings,
  nameOfWebhook,
  type Webhook,
} from "../notifications/notification-settings.ts";
import { listNotificationWays } from "../notifications/notification-ways.ts";
import { describeNotification } from "../notifications/run-notifications.ts";
import { sendWebhook } from "../notifications/send-webhook.ts";
import { terminalMethod, terminalOf, terminalSequence } from "../notifications/terminal-sink.ts";
import { formatJson } from "../output/format-json.ts";
import { tableColumns } from "../output/terminal.ts";
import { Workspace } from "../workspace.ts";

/** What became of a test notification. */
interface TestResult {
  readonly name: string;
  /** `sent`: nobody can say whether the terminal showed it. */
  readonly status: "sent" | "delivered" | "failed" | "off";
  readonly detail: string;
}

/** `atomic notify test`: sends one notification by each way of the settings. Exit code 1 if one failed. */
export async function testNotificationsCommand(
  environment: CliEnvironment,
  flags: { readonly json?: boolean },
): Promise<ExitCode> {
  const workspace = new Workspace(environment);
  const { user } = await workspace.loadConfigLayers(workspace.projectDirectory);
  const settings = user.notifications ?? {};
  const notification = createTest(workspace.projectDirectory);
  const results = [
    await testTerminal(environment, settings, notification),
    await testDesktop(environment, settings, notification),
    ...(await Promise.all((settings.webhooks ?? []).map((webhook) => testWebhook(environment, webhook, notification)))),
  ];
  const { stdout } = environment;
  if (flags.json) stdout.write(`${formatJson({ results })}\n`);
  else {
    const rows = results.map(({ name, status, detail }) => [
      name,
      status,
      safeLine(workspace.redactor.text(detail), 200),
    ]);
    stdout.write(`${formatTable(["WAY", "RESULT", "DETAIL"], rows, { columns: tableColumns(stdout) })}\n`);
  }
  return results.some(({ status }) => status === "failed") ? ExitCode.failed : ExitCode.done;
}

function createTest(project: string): RunNotification {
  const about = { runId: "test", workflow: "test", status: "running", usage: NO_USAGE, project } as const;
  return { id: `test:${randomUUID()}`, type: "test", ...about, at: new Date().toISOString() };
}

async function testTerminal(
  environment: CliEnvironment,
  settings: NotificationSettings,
  notification: RunNotification,
): Promise<TestResult> {
  const name = "terminal";
  const [way] = await listNotificationWays(
    environment,
    { ...settings, desktop: false, webhooks: [] },
    process.platform,
  );
  const method = terminalMethod(settings.terminal, environment.env);
  if (method === undefined) return { name, status: "off", detail: way?.detail ?? "" };
  const terminal = terminalOf(environment);
  if (terminal === undefined)
    return { name, status: "off", detail: "standard output and standard error are no terminal" };
  terminal.write(terminalSequence(method, describeNotification(notification), environment.env));
  const hint = (environment.env.TMUX ?? "") === "" ? "" : "; tmux needs: set -g allow-passthrough on";
  return { name, status: "sent", detail: `${method}${method === "bell" ? "" : hint}` };
}

async function testDesktop(
  environment: CliEnvironment,
  { desktop = false }: NotificationSettings,
  notification: RunNotification,
): Promise<TestResult> {
  const name = "desktop";
  if (!desktop) return { name, status: "off", detail: 'set "desktop": true in notifications' };
  const outcome = await showOnDesktop(environment, process.platform, describeNotification(notification));
  if (outcome.type === "delivered") return { name, status: "delivered", detail: "" };
  return { name, status: "failed", detail: outcome.reason };
}

async function testWebhook(
  environment: CliEnvironment,
  webhook: Webhook,
  notification: RunNotification,
): Promise<TestResult> {
  const name = `webhook ${nameOfWebhook(webhook)}`;
  const found = findSecret(webhook, environment.env);
  if (found.type === "unusable") return { name, status: "failed", detail: found.reason };
  const { secret } = found;
  const { url } = webhook;
  const { signal } = new AbortController();
  const outcome = await sendWebhook({ url, secret, id: notification.id, body: JSON.stringify(notification), signal });
  if (outcome.type === "delivered") return { name, status: "delivered", detail: "" };
  return { name, status: "failed", detail: outcome.reason };
}
