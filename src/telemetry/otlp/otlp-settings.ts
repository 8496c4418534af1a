/** Where one kind of data goes. */
export interface OtlpSignal {
  readonly url: string;
  /** How the data is encoded. */
  readonly protocol: "http/json" | "http/protobuf";
  readonly headers: Readonly<Record<string, string>>;
}

/** What OpenTelemetry's standard variables configure. */
export interface OtlpSettings {
  /** Absent if they turn traces off. */
  readonly traces?: OtlpSignal;
  /** Absent if they turn metrics off. */
  readonly metrics?: OtlpSignal;
  readonly serviceName: string;
  readonly resourceAttributes: Readonly<Record<string, string>>;
  /** How often metrics are exported during a run, in milliseconds. */
  readonly metricIntervalMs: number;
  /** Why a signal is not exported although an endpoint is set; for people. */
  readonly problems: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads `OTEL_EXPORTER_OTLP_ENDPOINT`, `…_HEADERS` and `…_PROTOCOL`, also in their forms for one signal such as
 * `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`; `OTEL_TRACES_EXPORTER`, `OTEL_METRICS_EXPORTER`, `OTEL_SDK_DISABLED`,
 * `OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES` and `OTEL_METRIC_EXPORT_INTERVAL`. Undefined if no endpoint is set, or
 * OpenTelemetry is disabled: the default endpoint of the specification is not used.
 */
export function readOtlpSettings(env: Environment): OtlpSettings | undefined {
  if (textOf(env, "OTEL_SDK_DISABLED").toLowerCase() === "true") return undefined;
  const problems: string[] = [];
  const traces = readSignal(env, "TRACES", problems);
  const metrics = readSignal(env, "METRICS", problems);
  if (traces === undefined && metrics === undefined && problems.length === 0) return undefined;
  const resourceAttributes = parsePairs(textOf(env, "OTEL_RESOURCE_ATTRIBUTES"));
  const interval = Number(textOf(env, "OTEL_METRIC_EXPORT_INTERVAL"));
  return {
    ...(traces === undefined ? {} : { traces }),
    ...(metrics === undefined ? {} : { metrics }),
    serviceName: textOf(env, "OTEL_SERVICE_NAME") || (resourceAttributes["service.name"] ?? "atomic"),
    resourceAttributes,
    metricIntervalMs: Number.isFinite(interval) && interval >= 100 ? interval : 60_000,
    problems,
  };
}

function readSignal(env: Environment, signal: "TRACES" | "METRICS", problems: string[]): OtlpSignal | undefined {
  const exporters = textOf(env, `OTEL_${signal}_EXPORTER`).toLowerCase();
  if (exporters !== "" && !exporters.split(",").some((exporter) => exporter.trim() === "otlp")) return undefined;
  const own = textOf(env, `OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`);
  const shared = textOf(env, "OTEL_EXPORTER_OTLP_ENDPOINT");
  if (own === "" && shared === "") return undefined;
  const variable = own === "" ? "OTEL_EXPORTER_OTLP_ENDPOINT" : `OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`;
  // Of the shared one, the specification appends the signal's path.
  const url = own === "" ? `${shared.replace(/\/+$/, "")}/v1/${signal.toLowerCase()}` : own;
  if (!URL.canParse(url) || !["http:", "https:"].includes(new URL(url).protocol)) {
    problems.push(
      `${variable} is not an http or https URL. Set it to that of your collector, such as http://127.0.0.1:4318`,
    );
    return undefined;
  }
  const protocol =
    textOf(env, `OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`) ||
    textOf(env, "OTEL_EXPORTER_OTLP_PROTOCOL") ||
    "http/protobuf";
  if (protocol !== "http/json" && protocol !== "http/protobuf") {
    const name = safeName(protocol);
    problems.push(
      `The OTLP protocol ${name} is not supported. Set OTEL_EXPORTER_OTLP_PROTOCOL to http/protobuf or http/json`,
    );
    return undefined;
  }
  const headers = {
    ...parsePairs(textOf(env, "OTEL_EXPORTER_OTLP_HEADERS")),
    ...parsePairs(textOf(env, `OTEL_EXPORTER_OTLP_${signal}_HEADERS`)),
  };
  return { url, protocol, headers };
}

function safeName(text: string): string {
  return /^[\w/.-]{1,40}$/.test(text) ? `"${text}"` : "of OTEL_EXPORTER_OTLP_PROTOCOL";
}

function textOf(env: Environment, name: string): string {
  return (env[name] ?? "").trim();
}

/** Reads `name=value,other=value`, whose values are percent-encoded. Skips what has no name. */
function parsePairs(text: string): Readonly<Record<string, string>> {
  const pairs: Record<string, string> = {};
  for (const part of text.split(",")) {
    const index = part.indexOf("=");
    const name = part.slice(0, Math.max(0, index)).trim();
    if (name !== "") pairs[name] = decoded(part.slice(index + 1).trim());
  }
  return pairs;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
