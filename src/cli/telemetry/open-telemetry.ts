import { type CodingAgentClient, messageOf, type TelemetryPort } from "../../contracts/index.ts";
import type { ClientProvider } from "../../graph/index.ts";
import {
  combineTelemetry,
  loadTelemetryConfig,
  type NameLookup,
  type OtlpTelemetry,
  openOtlp,
  parseConnectionString,
  type TelemetryConfig,
  type TrackedEvent,
  UnifiedTelemetryCollector,
  withGraphTelemetry,
  withTelemetry,
} from "../../telemetry/index.ts";
import { safeLine } from "../../view/index.ts";
import { type CliEnvironment, isDebug } from "../environment.ts";
import { VERSION } from "../version.ts";
import { askConsent } from "./ask-consent.ts";

/** How long the end of a call may wait for telemetry, in milliseconds. */
const CLOSE_TIMEOUT_MS = 1_000;

/** Shorter values of headers are not redacted. */
const MIN_SECRET_LENGTH = 8;

/** The telemetry of one call of Atomic. No method throws, and none waits for a receiver, except for `close`. */
export interface CallTelemetry {
  /** Adds telemetry to the one that a graph has of its own. Undefined where there is neither. */
  portFor(own: TelemetryPort | undefined): TelemetryPort | undefined;
  /** The same agents, whose sessions are tracked. */
  wrap(provider: ClientProvider): ClientProvider;
  track(event: TrackedEvent): void;
  /** Measures a look-up of a name. */
  observeLookup(lookup: NameLookup): void;
  /** Sends what waits, for a second at most. Idempotent. */
  close(): Promise<void>;
}

/** Settings of {@link openTelemetry}. */
export interface OpenTelemetryOptions {
  readonly environment: CliEnvironment;
  /** Whether a person is there, whom it can ask for their consent if it never did. */
  readonly mayAsk: boolean;
  /** Whether runs may be executed: their traces and metrics have exporters, which take a while to load. @default false */
  readonly hasRuns?: boolean;
  /** Prints a line for a person. */
  readonly tell: (line: string) => void;
}

/** Telemetry that is off. */
export const NO_TELEMETRY: CallTelemetry = {
  portFor: (own) => own,
  wrap: (provider) => provider,
  track: () => undefined,
  observeLookup: () => undefined,
  close: async () => undefined,
};

/** What telemetry reads of a call's environment. */
export function telemetryPlaceOf({ env, userHomeDirectory }: Pick<CliEnvironment, "env" | "userHomeDirectory">) {
  return { env, homeDirectory: userHomeDirectory, platform: process.platform };
}

/** Opens the telemetry of a call, as the environment and the person's decision have it. Never throws. */
export async function openTelemetry(options: OpenTelemetryOptions): Promise<CallTelemetry> {
  const { environment, mayAsk } = options;
  const tell = (line: string): void => options.tell(safeLine(environment.redactor.text(line), 1_000));
  try {
    let config = loadTelemetryConfig(telemetryPlaceOf(environment));
    if (mayAsk && (await askConsent(environment, config))) config = loadTelemetryConfig(telemetryPlaceOf(environment));
    return config.enabled ? await open(config, { ...options, tell }) : NO_TELEMETRY;
  } catch (error) {
    tell(`Telemetry is off for this call: ${messageOf(error)}`);
    return NO_TELEMETRY;
  }
}

async function open(
  config: TelemetryConfig,
  { environment, hasRuns = false, tell }: OpenTelemetryOptions,
): Promise<CallTelemetry> {
  const { redactor } = environment;
  const secrets = secretsOf(config);
  redactor.learn(secrets);
  const failed = new Set<string>();
  const onFailure = (sink: string, error: unknown): void => {
    // A receiver that is down is no news for a person who works: the local files have the events.
    if (isDebug(environment) && !failed.has(sink)) tell(`Telemetry: a batch for ${sink} is lost: ${messageOf(error)}`);
    failed.add(sink);
  };
  const { appInsightsKey: _checked, ...rest } = config;
  const appInsightsKey = checkedKey(config, tell);
  const collector = new UnifiedTelemetryCollector({
    ...rest,
    ...(appInsightsKey === undefined ? {} : { appInsightsKey }),
    common: { atomicVersion: VERSION, nodeVersion: process.version },
    redactor,
    shutdownTimeoutMs: CLOSE_TIMEOUT_MS,
    onFailure,
  });
  const otlp = hasRuns ? await openExporters(config, { environment, tell, onFailure }) : undefined;
  const { telemetry: port } = withGraphTelemetry(otlp === undefined ? {} : { telemetry: otlp.port }, collector);
  const wrapped = new WeakMap<CodingAgentClient, CodingAgentClient>();
  let closing: Promise<void> | undefined;
  return {
    portFor: (own) => (own === undefined ? port : combineTelemetry([own, port])),
    wrap: (provider) => async (agentType, wish) => {
      const client = await provider(agentType, wish);
      const known = wrapped.get(client) ?? withTelemetry(client, collector);
      wrapped.set(client, known);
      return known;
    },
    track: (event) => collector.track(event),
    observeLookup: (lookup) => otlp?.observeLookup(lookup),
    close() {
      closing ??= closeAll(collector, { config, otlp, onFailure });
      return closing;
    },
  };
}

/** Headers and keys must not appear in any message. */
function secretsOf({ appInsightsKey, otlp }: TelemetryConfig) {
  const headers = [otlp?.traces, otlp?.metrics].flatMap((signal) => Object.values(signal?.headers ?? {}));
  return [
    ...(appInsightsKey === undefined ? [] : [{ name: "ATOMIC_APP_INSIGHTS_KEY", value: appInsightsKey }]),
    // `Bearer TOKEN` has its secret in the second word. A word of few characters is part of other texts.
    ...headers
      .flatMap((value) => [value, ...value.split(" ")])
      .filter((value) => value.length >= MIN_SECRET_LENGTH)
      .map((value) => ({ name: "OTEL_EXPORTER_OTLP_HEADERS", value })),
  ];
}

function checkedKey({ appInsightsKey }: TelemetryConfig, tell: (line: string) => void): string | undefined {
  if (appInsightsKey === undefined) return undefined;
  try {
    parseConnectionString(appInsightsKey);
    return appInsightsKey;
  } catch (error) {
    tell(`warning: ${messageOf(error)}`);
    return undefined;
  }
}

async function openExporters(
  { otlp, anonymousId }: TelemetryConfig,
  {
    environment,
    tell,
    onFailure,
  }: Pick<OpenTelemetryOptions, "environment" | "tell"> & {
    readonly onFailure: (sink: string, error: unknown) => void;
  },
): Promise<OtlpTelemetry | undefined> {
  if (otlp === undefined) return undefined;
  for (const problem of new Set(otlp.problems)) tell(`warning: Telemetry is not sent: ${problem}.`);
  if (otlp.traces === undefined && otlp.metrics === undefined) return undefined;
  return await openOtlp(otlp, {
    version: VERSION,
    anonymousId,
    redactor: environment.redactor,
    onFailure: (error) => onFailure("OTLP", error),
  });
}

/** Where the time is up for a receiver, what it has not taken is lost. */
async function closeAll(
  collector: UnifiedTelemetryCollector,
  {
    config,
    otlp,
    onFailure,
  }: {
    readonly config: TelemetryConfig;
    readonly otlp: OtlpTelemetry | undefined;
    readonly onFailure: (sink: string, error: unknown) => void;
  },
): Promise<void> {
  let isSent = otlp === undefined;
  const sending = otlp?.shutdown().then(() => {
    isSent = true;
  });
  await within(CLOSE_TIMEOUT_MS, [collector.shutdown(), sending]);
  if (isSent) return;
  const { traces, metrics } = config.otlp ?? {};
  const places = [traces, metrics].flatMap((signal) => (signal === undefined ? [] : [new URL(signal.url).origin]));
  onFailure("OTLP", new Error(`${[...new Set(places)].join(" and ")} did not take it within ${CLOSE_TIMEOUT_MS} ms`));
}

async function within(timeoutMs: number, works: readonly (Promise<void> | undefined)[]): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs);
  });
  await Promise.race([Promise.all(works), limit]);
  clearTimeout(timer);
}
