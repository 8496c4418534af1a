import { anonymousIdIn, readConsent, type StoredConsent, type TelemetryConsent } from "./consent.ts";
import { type OtlpSettings, readOtlpSettings } from "./otlp/otlp-settings.ts";
import { type TelemetryPlace, telemetryFolder } from "./telemetry-place.ts";

/** Why nothing is collected at all. */
export type TelemetryOffReason = "DO_NOT_TRACK" | "ATOMIC_TELEMETRY" | "consent" | "broken-consent";

/** Where a program's telemetry goes. */
export interface TelemetryConfig {
  /** Whether anything is collected, also locally. */
  readonly enabled: boolean;
  /** What turned it off. Absent when it is on. */
  readonly offReason?: TelemetryOffReason;
  /** Why the stored decision cannot be used, with the file's path; nothing is sent then. */
  readonly consentProblem?: string;
  /** What the person decided about sending. */
  readonly consent: TelemetryConsent;
  /** The folder of the local files. */
  readonly localLogPath: string;
  /** Absent where telemetry is off. */
  readonly anonymousId?: string;
  /** `ATOMIC_APP_INSIGHTS_KEY`. Absent without it or without consent. */
  readonly appInsightsKey?: string;
  /** The standard variables of OpenTelemetry. Absent without an endpoint or without consent. */
  readonly otlp?: OtlpSettings;
  /** What the environment configures, whether or not the person has consented. */
  readonly destinations: readonly ("Application Insights" | "OTLP")[];
  /** The OTLP receivers among them. */
  readonly otlpEndpoints?: OtlpSettings;
}

/**
 * Reads from the environment and the folder of telemetry what is collected, and where it goes: nothing with
 * `DO_NOT_TRACK=1`, with `ATOMIC_TELEMETRY=0`, or after `atomic telemetry off`; local files otherwise; destinations that the
 * environment configures only after the person has consented. Creates the anonymous id.
 *
 * ```ts
 * const collector = new UnifiedTelemetryCollector(loadTelemetryConfig({ env: process.env }));
 * ```
 */
export function loadTelemetryConfig(place: TelemetryPlace): TelemetryConfig {
  const { env } = place;
  const localLogPath = telemetryFolder(place);
  const { consent, problem } = readConsent(localLogPath);
  const key = (env.ATOMIC_APP_INSIGHTS_KEY ?? "").trim();
  const otlp = readOtlpSettings(env);
  const destinations = [...(key === "" ? [] : ["Application Insights" as const]), ...(otlp ? ["OTLP" as const] : [])];
  const offReason = offReasonOf(env, { consent, problem });
  const base = {
    consent,
    ...(problem === undefined ? {} : { consentProblem: problem }),
    localLogPath,
    destinations,
    ...(otlp === undefined ? {} : { otlpEndpoints: otlp }),
  };
  if (offReason !== undefined) return { ...base, enabled: false, offReason };
  const isSent = consent === "on";
  return {
    ...base,
    enabled: true,
    anonymousId: anonymousIdIn(localLogPath),
    ...(isSent && key !== "" ? { appInsightsKey: key } : {}),
    ...(isSent && otlp !== undefined ? { otlp } : {}),
  };
}

function offReasonOf(env: TelemetryPlace["env"], { consent, problem }: StoredConsent): TelemetryOffReason | undefined {
  // The variable's own convention: anything but an empty text, 0 or false.
  if (!["", "0", "false"].includes((env.DO_NOT_TRACK ?? "").trim().toLowerCase())) return "DO_NOT_TRACK";
  if (["0", "false", "off", "no"].includes((env.ATOMIC_TELEMETRY ?? "").trim().toLowerCase()))
    return "ATOMIC_TELEMETRY";
  if (problem !== undefined) return "broken-consent";
  return consent === "off" ? "consent" : undefined;
}
