import {
  addUsage,
  endsVisit,
  isVisitWithin,
  messageOf,
  NO_USAGE,
  type RunEvent,
  type Usage,
} from "../../contracts/index.ts";
import { sleep } from "../../system/index.ts";
import { safeLine } from "../../view/index.ts";
import type { RunFlags } from "../config/run-flags.ts";
import type { CliEnvironment } from "../environment.ts";
import type { PublishedPermission } from "../prompts/published-permissions.ts";
import type { Workspace } from "../workspace.ts";
import { type DeliveryFailure, deliverOutbox, describeFailures } from "./deliver-outbox.ts";
import { showOnDesktop } from "./desktop-sink.ts";
import { type NotificationSettings, secretOf, type Webhook } from "./notification-settings.ts";
import { Outbox } from "./outbox.ts";
import {
  type DatedNotification,
  describeNotification,
  type NotifiedRun,
  notifyOfPermission,
  notifyOfRequest,
} from "./run-notifications.ts";
import { recordNotifications, settleOutbox } from "./run-outbox.ts";
import { terminalMethod, terminalOf, terminalSequence } from "./terminal-sink.ts";

/** The end of a shorter run needs no notification: the person is still there. In milliseconds. */
const LONG_RUN_MS = 10_000;

/** How long the end of a call may wait for deliveries, in milliseconds. */
const CLOSE_TIMEOUT_MS = 5_000;

/** What a {@link Notifier} belongs to. */
export interface NotifierOptions {
  readonly environment: CliEnvironment;
  readonly workspace: Pick<Workspace, "store" | "runs" | "redactor">;
  readonly settings: NotificationSettings | undefined;
  readonly flags: Pick<RunFlags, "notify">;
  readonly projectDirectory: string;
  /** The id of a run that is there already. */
  readonly runId: string | undefined;
  readonly platform: string;
}

/** Notifies people of a run that this call executes. No method throws: a notification never fails a run. */
export class Notifier {
  readonly #options: NotifierOptions;
  readonly #webhooks: readonly Webhook[];
  readonly #problems = new Set<string>();
  readonly #failures: DeliveryFailure[] = [];
  readonly #closing = new AbortController();
  #run: NotifiedRun | undefined;
  #usage: Usage = NO_USAGE;
  #startedAt = 0;
  /** The visits that have begun, and neither ended nor asked a question. */
  readonly #inProgress = new Set<string>();
  /** No attempt is worth waiting for that is due later, in milliseconds since 1970. */
  #deadline = Number.POSITIVE_INFINITY;
  #desktop: Promise<unknown> = Promise.resolve();
  #work: Promise<void> | undefined;
  #wake: AbortController | undefined;

  constructor(options: NotifierOptions) {
    this.#options = options;
    const { settings, environment, workspace } = options;
    this.#webhooks = settings?.webhooks ?? [];
    for (const webhook of this.#webhooks) {
      const value = secretOf(webhook, environment.env);
      const name = webhook.secretVariable ?? "notifications.webhooks.secret";
      if (value !== undefined) workspace.redactor.learn([{ name, value }]);
    }
  }

  /** Call before a run that is there already continues: records what another process had no time for. */
  async open(): Promise<void> {
    const { runId, workspace, flags } = this.#options;
    if (runId === undefined) return;
    await this.#try(async () => {
      const outbox = this.#outboxOf(runId);
      if (flags.notify === false) return outbox.leave();
      if (this.#webhooks.length === 0) return;
      await settleOutbox(outbox, workspace.runs, runId, this.#recordOptions);
      // From here on, the session's file no longer says how far the run is.
      outbox.setState({ since: outbox.state()?.since ?? Date.now() });
      const { summary } = await workspace.runs.report(runId);
      this.#usage = summary?.usage ?? NO_USAGE;
      this.#kick(runId);
    });
  }

  /** Call for each event of the run. What it records is durable on return, before the run's next record. */
  onEvent(event: RunEvent): void {
    if (this.#options.flags.notify === false) return;
    try {
      this.#read(event);
    } catch (error) {
      this.#problems.add(messageOf(error));
    }
  }

  /** Call once for each permission request that is published for other processes. */
  onPermission(published: PublishedPermission): void {
    if (this.#options.flags.notify === false || this.#run === undefined) return;
    try {
      this.#notify(this.#run, notifyOfPermission(this.#run, published, this.#usage));
    } catch (error) {
      this.#problems.add(messageOf(error));
    }
  }

  /** Waits at most five seconds for deliveries. What remains is delivered by the next call about the run. */
  async close(): Promise<void> {
    const { workspace, flags, environment } = this.#options;
    const runId = this.#run?.runId ?? this.#options.runId;
    this.#deadline = Date.now() + CLOSE_TIMEOUT_MS;
    if (runId !== undefined && this.#webhooks.length > 0 && flags.notify !== false) {
      await this.#try(async () => {
        const outbox = this.#outboxOf(runId);
        // A run that has not begun has no folder.
        if (outbox.state() === undefined) return;
        await settleOutbox(outbox, workspace.runs, runId, this.#recordOptions);
        this.#kick(runId);
      });
    }
    const timer = setTimeout(() => this.#closing.abort(), CLOSE_TIMEOUT_MS);
    while (this.#work !== undefined) await this.#work;
    await this.#desktop;
    clearTimeout(timer);
    this.#closing.abort();
    for (const line of [...this.#problems, ...describeFailures(this.#failures)]) {
      environment.stderr.write(`warning: ${safeLine(workspace.redactor.text(line), 1_000)}\n`);
    }
  }

  get #recordOptions() {
    return { webhooks: this.#webhooks, redactor: this.#options.workspace.redactor };
  }

  #outboxOf(runId: string): Outbox {
    return new Outbox(this.#options.workspace.store.directoryOf(runId));
  }

  async #try(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#problems.add(`The notifications of the run cannot be recorded: ${messageOf(error)}`);
    }
  }

  #read(event: RunEvent): void {
    if (event.type === "node-start") this.#inProgress.add(event.taskId);
    else if (event.type === "request" || endsVisit(event)) this.#inProgress.delete(event.taskId);
    if (event.type === "run-start") this.#start(event);
    else if (event.type === "node-end") this.#usage = addUsage(this.#usage, event.usage);
    else if (event.type === "request") this.#ask(event);
    else if (event.type === "run-end" && event.status !== "suspended" && event.at - this.#startedAt >= LONG_RUN_MS) {
      const { status, error, runId } = event;
      const about = { workflow: this.#run?.workflow ?? "A run", runId, type: status };
      this.#show(describeNotification(error === undefined ? about : { ...about, error }));
    }
  }

  #start({ runId, workflow, at, isResume }: Extract<RunEvent, { type: "run-start" }>): void {
    this.#run = { runId, workflow, project: this.#options.projectDirectory };
    this.#startedAt = at;
    if (this.#webhooks.length === 0) return;
    const outbox = this.#outboxOf(runId);
    // Before the journal's first record: from here on, no crash loses a notification.
    if (outbox.state() === undefined) outbox.setState({ since: isResume ? at : 0 });
  }

  #ask({ request, taskId }: Extract<RunEvent, { type: "request" }>): void {
    if (this.#run === undefined) return;
    // A script that has the question waits with it.
    const isWorking = [...this.#inProgress].some((id) => !isVisitWithin(taskId, id));
    const status = isWorking || request.autoApproveAt !== undefined ? "running" : "suspended";
    this.#notify(this.#run, notifyOfRequest(this.#run, request, { status, usage: this.#usage }));
  }

  #notify({ runId }: NotifiedRun, dated: DatedNotification): void {
    this.#show(describeNotification(dated.notification));
    if (this.#webhooks.length === 0) return;
    recordNotifications(this.#outboxOf(runId), [dated], this.#recordOptions);
    this.#kick(runId);
  }

  #show(text: string): void {
    const { environment, settings, workspace, platform } = this.#options;
    const safe = workspace.redactor.text(text);
    const method = terminalMethod(settings?.terminal, environment.env);
    if (method !== undefined) terminalOf(environment)?.write(terminalSequence(method, safe, environment.env));
    // A missing program is no news: `doctor` and `notify test` report it.
    if (settings?.desktop === true) this.#desktop = showOnDesktop(environment, platform, safe);
  }

  /** Delivers now, and again when an attempt is due. */
  #kick(runId: string): void {
    this.#wake?.abort();
    this.#work ??= this.#deliver(runId)
      .catch((error: unknown) => {
        if (!this.#closing.signal.aborted) this.#problems.add(`A notification cannot be sent: ${messageOf(error)}`);
      })
      .finally(() => {
        this.#work = undefined;
        // A record that came when the work was done.
        if (this.#wake?.signal.aborted && !this.#closing.signal.aborted) this.#kick(runId);
      });
  }

  async #deliver(runId: string): Promise<void> {
    const { signal } = this.#closing;
    const outbox = this.#outboxOf(runId);
    for (;;) {
      const wake = new AbortController();
      this.#wake = wake;
      const nextAt = await deliverOutbox({
        outbox,
        webhooks: this.#webhooks,
        env: this.#options.environment.env,
        signal,
        onFailure: (failure) => void this.#failures.push(failure),
      });
      if (wake.signal.aborted) continue;
      if (nextAt === undefined || nextAt > this.#deadline) return;
      const delayMs = Math.max(0, nextAt - Date.now());
      await sleep(delayMs, AbortSignal.any([signal, wake.signal])).catch(() => signal.throwIfAborted());
    }
  }
}
