import { messageOf } from "../../contracts/index.ts";
import { parseConnectionString, type TelemetryConfig } from "../../telemetry/index.ts";
import { visibleLine } from "../../view/index.ts";
import type { CliEnvironment } from "../environment.ts";

/** Where telemetry can be sent. */
export interface TelemetryDestination {
  readonly name: string;
  /** Without a password or a query. */
  readonly endpoint?: string;
  /** Why nothing can be sent there. */
  readonly problem?: string;
}

/** Why nothing is recorded, in words. */
export function describeOffReason({ offReason, consentProblem = "" }: TelemetryConfig): string {
  switch (offReason) {
    case "DO_NOT_TRACK":
      return "the variable DO_NOT_TRACK is set";
    case "ATOMIC_TELEMETRY":
      return "the variable ATOMIC_TELEMETRY turns it off";
    case "broken-consent":
      return `the file with your decision is broken: ${visibleLine(consentProblem)}. Decide again with: atomic telemetry on, or atomic telemetry off`;
    default:
      return "you turned it off; turn it on with: atomic telemetry on";
  }
}

/** What the environment configures, whether or not it may be used. */
export function listDestinations(
  { env }: Pick<CliEnvironment, "env">,
  { destinations, otlpEndpoints }: TelemetryConfig,
): readonly TelemetryDestination[] {
  return destinations.flatMap((name): readonly TelemetryDestination[] => {
    if (name === "Application Insights") return [describeInsights(env.ATOMIC_APP_INSIGHTS_KEY ?? "")];
    const { traces, metrics, problems } = otlpEndpoints ?? { problems: [] };
    return [
      ...(traces === undefined ? [] : [{ name: "OTLP traces", endpoint: withoutSecrets(traces.url) }]),
      ...(metrics === undefined ? [] : [{ name: "OTLP metrics", endpoint: withoutSecrets(metrics.url) }]),
      // Traces and metrics can have the same one.
      ...[...new Set(problems)].map((problem) => ({ name: "OTLP", problem })),
    ];
  });
}

function describeInsights(key: string): TelemetryDestination {
  const name = "Application Insights";
  try {
    return { name, endpoint: parseConnectionString(key.trim()).endpoint };
  } catch (error) {
    return { name, problem: messageOf(error) };
  }
}

function withoutSecrets(text: string): string {
  const url = new URL(text);
  return `${url.origin}${url.pathname}`;
}
