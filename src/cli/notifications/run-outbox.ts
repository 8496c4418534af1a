import type { Redactor } from "../../contracts/index.ts";
import type { RunReport } from "../../workflows/index.ts";
import type { Workspace } from "../workspace.ts";
import { keyOfWebhook, type Webhook } from "./notification-settings.ts";
import type { Delivery, Outbox } from "./outbox.ts";
import { type DatedNotification, notificationsOf } from "./run-notifications.ts";

/** Who is notified, and what must not be in it. */
export interface RecordOptions {
  readonly webhooks: readonly Webhook[];
  readonly redactor: Redactor;
}

/** Records notifications for the webhooks that want them, durably, unless they are recorded already. */
export function recordNotifications(
  outbox: Outbox,
  dated: readonly DatedNotification[],
  { webhooks, redactor }: RecordOptions,
): void {
  for (const { notification, at } of dated) {
    const { id, type } = notification;
    if (outbox.has(id)) continue;
    const wanting = webhooks.filter(({ events }) => events?.some((event) => event === type) ?? true);
    const pending: Delivery = { state: "pending", attempts: 0, nextAt: 0 };
    const deliveries = Object.fromEntries(wanting.map((webhook) => [keyOfWebhook(webhook), pending]));
    const body = JSON.stringify(redactor.value(notification));
    outbox.add({ id, at, recordedAt: Date.now(), body, deliveries });
  }
}

/**
 * Records what the journal of an idle run requires, so that a process that died between the two loses nothing. Does nothing
 * for a run of which nobody is notified.
 *
 * @throws errors of the file system, what a report of the run throws
 */
export async function settleOutbox(
  outbox: Outbox,
  runs: Pick<Workspace["runs"], "report">,
  runId: string,
  options: RecordOptions,
): Promise<void> {
  const state = outbox.state();
  if (state === undefined) return;
  const report = await runs.report(runId);
  recordNotifications(outbox, notificationsOf(report, state.since), options);
  if (isIdle(report)) outbox.setState({ since: state.since, settled: report.session.lastUpdated });
}

/** Whether nothing more can happen to the run before its session changes. */
function isIdle({ status, session }: RunReport): boolean {
  return status !== "running" && status !== "interrupted" && session.status !== "running";
}
