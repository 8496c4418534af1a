import { messageOf } from "../../contracts/index.ts";
import { safeLine } from "../../view/index.ts";
import type { WorkflowSession } from "../../workflows/index.ts";
import type { CliEnvironment } from "../environment.ts";
import type { Workspace } from "../workspace.ts";
import { type DeliveryFailure, deliverOutbox, describeFailures } from "./deliver-outbox.ts";
import type { Webhook } from "./notification-settings.ts";
import { Outbox } from "./outbox.ts";
import { settleOutbox } from "./run-outbox.ts";

/** How many runs are looked at at the same time. */
const MAX_AT_ONCE = 8;

/** What {@link settleRuns} does, and for how long. */
export interface SettleRunsOptions {
  /** @default all runs */
  readonly runId?: string;
  /** What is not delivered by then is left for the next call, in milliseconds. */
  readonly timeoutMs: number;
}

/**
 * Delivers what other processes have not: notifications that failed, and those of runs whose process died before it sent
 * them. Does not throw, warns once for each webhook.
 */
export async function settleRuns(
  environment: Pick<CliEnvironment, "env" | "stderr">,
  workspace: Workspace,
  { runId, timeoutMs }: SettleRunsOptions,
): Promise<void> {
  const problems = new Set<string>();
  const failures: DeliveryFailure[] = [];
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    // Only the user's own settings have webhooks.
    const { user } = await workspace.loadConfigLayers(workspace.projectDirectory);
    const webhooks = user.notifications?.webhooks ?? [];
    if (webhooks.length === 0) return;
    const sessions =
      runId === undefined ? (await workspace.store.list()).sessions : [await workspace.store.load(runId)];
    const queue = sessions.values();
    const settle = async (): Promise<void> => {
      for (const session of queue) {
        if (signal.aborted) return;
        try {
          await settleRun(session, { environment, workspace, webhooks, signal, failures });
        } catch (error) {
          if (!signal.aborted) problems.add(`The notifications of the run ${session.sessionId}: ${messageOf(error)}`);
        }
      }
    };
    await Promise.all(Array.from({ length: MAX_AT_ONCE }, settle));
  } catch (error) {
    problems.add(`The notifications of runs cannot be sent: ${messageOf(error)}`);
  }
  for (const line of [...problems, ...describeFailures(failures)]) {
    environment.stderr.write(`warning: ${safeLine(workspace.redactor.text(line), 1_000)}\n`);
  }
}

interface SettlePlace {
  readonly environment: Pick<CliEnvironment, "env">;
  readonly workspace: Workspace;
  readonly webhooks: readonly Webhook[];
  readonly signal: AbortSignal;
  readonly failures: DeliveryFailure[];
}

async function settleRun(
  { sessionId, sessionDir, lastUpdated }: WorkflowSession,
  { environment, workspace, webhooks, signal, failures }: SettlePlace,
): Promise<void> {
  const outbox = new Outbox(sessionDir);
  const state = outbox.state();
  // Its own process notifies.
  const isOpen = state !== undefined && state.settled !== lastUpdated && !(await workspace.runs.isLive(sessionId));
  if (isOpen) await settleOutbox(outbox, workspace.runs, sessionId, { webhooks, redactor: workspace.redactor });
  const onFailure = (failure: DeliveryFailure): void => void failures.push(failure);
  await deliverOutbox({ outbox, webhooks, env: environment.env, signal, onFailure });
}
