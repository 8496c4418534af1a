import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { TelemetryEvent } from "../telemetry-event.ts";
import { AppInsightsSink } from "./app-insights-sink.ts";
import { AppInsightsKeyInvalidError, parseConnectionString } from "./parse-connection-string.ts";

const KEY = "11111111-2222-3333-4444-555555555555";
let requests: { readonly path: string; readonly body: unknown }[];
let status: number;
let server: Bun.Server<undefined>;

beforeEach(() => {
  requests = [];
  status = 200;
  server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      requests.push({ path: new URL(request.url).pathname, body: await request.json() });
      return Response.json({ itemsReceived: 1, itemsAccepted: 1, errors: [] }, { status });
    },
  });
});
afterEach(() => server.stop(true));

const { signal } = new AbortController();
const EVENT: TelemetryEvent = {
  eventId: "e-1",
  timestamp: new Date("2026-11-28T10:00:00Z"),
  eventType: "sdk.message.received",
  sessionId: "s-1",
  executionId: "r-1",
  properties: { anonymousId: "id-1", atomicVersion: "1.2.3", agentType: "claude", isError: false, durationMs: 12 },
};

function sink(): AppInsightsSink {
  return new AppInsightsSink({
    key: `InstrumentationKey=${KEY};IngestionEndpoint=http://127.0.0.1:${server.port}/;LiveEndpoint=https://unused`,
  });
}

test("events are custom events of the ingestion endpoint, without an address", async () => {
  await sink().write([EVENT], { signal });
  expect(requests).toEqual([
    {
      path: "/v2/track",
      body: [
        {
          name: "Microsoft.ApplicationInsights.Event",
          time: "2026-11-28T10:00:00.000Z",
          iKey: KEY,
          tags: {
            "ai.cloud.role": "atomic",
            "ai.location.ip": "0.0.0.0",
            "ai.user.id": "id-1",
            "ai.session.id": "s-1",
            "ai.operation.id": "r-1",
            "ai.application.ver": "1.2.3",
          },
          data: {
            baseType: "EventData",
            baseData: {
              ver: 2,
              name: "sdk.message.received",
              properties: {
                eventId: "e-1",
                sessionId: "s-1",
                executionId: "r-1",
                atomicVersion: "1.2.3",
                agentType: "claude",
                isError: "false",
              },
              measurements: { durationMs: 12 },
            },
          },
        },
      ],
    },
  ]);
});

test("many events are in several requests", async () => {
  await sink().write(
    Array.from({ length: 501 }, () => EVENT),
    { signal },
  );
  expect(requests.map(({ body }) => (body as readonly unknown[]).length)).toEqual([500, 1]);
});

test.each([206, 400, 503])("a batch that is answered with %d is lost", async (code) => {
  status = code;
  expect(sink().write([EVENT], { signal })).rejects.toThrow(`Application Insights answered with the status ${code}`);
});

describe("a connection string", () => {
  test.each([
    { text: KEY, endpoint: "https://dc.services.visualstudio.com/v2/track" },
    { text: `InstrumentationKey=${KEY}`, endpoint: "https://dc.services.visualstudio.com/v2/track" },
    { text: ` instrumentationkey = ${KEY} ; EndpointSuffix=example.org`, endpoint: "https://dc.example.org/v2/track" },
    {
      text: `InstrumentationKey=${KEY};IngestionEndpoint=https://west.example.org//`,
      endpoint: "https://west.example.org/v2/track",
    },
  ])("$text sends to $endpoint", ({ text, endpoint }) => {
    expect(parseConnectionString(text)).toEqual({ instrumentationKey: KEY, endpoint });
  });

  test.each([
    { text: "IngestionEndpoint=https://example.org", problem: "has no valid instrumentation key" },
    { text: "a b", problem: "has no valid instrumentation key" },
    { text: `InstrumentationKey=${KEY};IngestionEndpoint=west`, problem: "has an IngestionEndpoint that is not a URL" },
    {
      text: `InstrumentationKey=${KEY};IngestionEndpoint=http://example.org`,
      problem: "has an IngestionEndpoint that is not https",
    },
  ])("$text $problem", ({ text, problem }) => {
    expect(() => parseConnectionString(text)).toThrow(new AppInsightsKeyInvalidError(problem));
  });
});
