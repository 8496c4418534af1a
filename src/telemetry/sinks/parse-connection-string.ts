import { AtomicError } from "../../contracts/index.ts";

/** A key or connection string that Application Insights would not accept. */
export class AppInsightsKeyInvalidError extends AtomicError {
  constructor(problem: string) {
    super(
      "APP_INSIGHTS_KEY_INVALID",
      `ATOMIC_APP_INSIGHTS_KEY ${problem}. Set it to the connection string of your Application Insights resource: InstrumentationKey=…;IngestionEndpoint=https://…`,
    );
  }
}

/** Where events for a resource of Application Insights go. */
export interface AppInsightsDestination {
  readonly instrumentationKey: string;
  /** The URL that events are posted to. */
  readonly endpoint: string;
}

/** The endpoint of resources that only have an instrumentation key. */
const GLOBAL_ENDPOINT = "https://dc.services.visualstudio.com";

/**
 * Reads a connection string, `InstrumentationKey=…;IngestionEndpoint=…`, or an instrumentation key. An endpoint on another
 * machine must be `https`.
 *
 * @throws AppInsightsKeyInvalidError
 */
export function parseConnectionString(text: string): AppInsightsDestination {
  const fields = new Map<string, string>();
  for (const part of text.split(";").filter((field) => field.trim() !== "")) {
    const index = part.indexOf("=");
    fields.set(part.slice(0, Math.max(0, index)).trim().toLowerCase(), part.slice(index + 1).trim());
  }
  const isPlainKey = !text.includes("=");
  const instrumentationKey = isPlainKey ? text.trim() : fields.get("instrumentationkey");
  if (instrumentationKey === undefined || !/^[\w-]{8,100}$/.test(instrumentationKey)) {
    throw new AppInsightsKeyInvalidError("has no valid instrumentation key");
  }
  const suffix = fields.get("endpointsuffix");
  const base = fields.get("ingestionendpoint") ?? (suffix === undefined ? GLOBAL_ENDPOINT : `https://dc.${suffix}`);
  return { instrumentationKey, endpoint: `${checkedEndpoint(base)}/v2/track` };
}

function checkedEndpoint(base: string): string {
  const url = URL.canParse(base) ? new URL(base) : undefined;
  if (url === undefined) throw new AppInsightsKeyInvalidError("has an IngestionEndpoint that is not a URL");
  const isLocal = ["127.0.0.1", "localhost", "[::1]"].includes(url.hostname);
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLocal)) {
    throw new AppInsightsKeyInvalidError("has an IngestionEndpoint that is not https");
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}
