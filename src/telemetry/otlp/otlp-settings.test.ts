import { describe, expect, test } from "bun:test";
import { readOtlpSettings } from "./otlp-settings.ts";

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318/" };
const signal = (path: string) => ({ url: `http://127.0.0.1:4318/v1/${path}`, protocol: "http/protobuf", headers: {} });

describe("OpenTelemetry's variables", () => {
  test("configure traces and metrics with one endpoint", () => {
    expect(readOtlpSettings(ENDPOINT)).toEqual({
      traces: signal("traces"),
      metrics: signal("metrics"),
      serviceName: "atomic",
      resourceAttributes: {},
      metricIntervalMs: 60_000,
      problems: [],
    } as never);
  });

  test("configure each signal, its protocol, its headers and the resource", () => {
    expect(
      readOtlpSettings({
        ...ENDPOINT,
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://traces.example.org/in",
        OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
        OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: "http/protobuf",
        OTEL_EXPORTER_OTLP_HEADERS: "api-key=a%20b, x=1,broken,=none",
        OTEL_EXPORTER_OTLP_TRACES_HEADERS: "x=2",
        OTEL_SERVICE_NAME: "mine",
        OTEL_RESOURCE_ATTRIBUTES: "service.name=other,team=core%2Cdata,bad=%E0%A4%A",
        OTEL_METRIC_EXPORT_INTERVAL: "5000",
      }),
    ).toEqual({
      traces: { url: "https://traces.example.org/in", protocol: "http/json", headers: { "api-key": "a b", x: "2" } },
      metrics: { ...signal("metrics"), headers: { "api-key": "a b", x: "1" } },
      serviceName: "mine",
      resourceAttributes: { "service.name": "other", team: "core,data", bad: "%E0%A4%A" },
      metricIntervalMs: 5_000,
      problems: [],
    } as never);
  });

  test.each([
    { title: "without an endpoint", env: { OTEL_SERVICE_NAME: "mine" } },
    { title: "with OTEL_SDK_DISABLED", env: { ...ENDPOINT, OTEL_SDK_DISABLED: "TRUE" } },
    {
      title: "with other exporters",
      env: { ...ENDPOINT, OTEL_TRACES_EXPORTER: "none", OTEL_METRICS_EXPORTER: "console" },
    },
  ])("export nothing $title", ({ env }) => {
    expect(readOtlpSettings(env)).toBeUndefined();
  });

  test("turn off one signal alone", () => {
    const { traces, metrics } = readOtlpSettings({ ...ENDPOINT, OTEL_TRACES_EXPORTER: "none" }) ?? {};
    expect({ traces, metrics }).toEqual({ traces: undefined, metrics: signal("metrics") } as never);
  });

  test.each([
    {
      env: { ...ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" },
      problem:
        'The OTLP protocol "grpc" is not supported. Set OTEL_EXPORTER_OTLP_PROTOCOL to http/protobuf or http/json',
    },
    {
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: "127.0.0.1:4318" },
      problem:
        "OTEL_EXPORTER_OTLP_ENDPOINT is not an http or https URL. Set it to that of your collector, such as http://127.0.0.1:4318",
    },
  ])("with a problem say what to change: $problem", ({ env, problem }) => {
    const { traces, metrics, problems } = readOtlpSettings(env) ?? {};
    expect({ traces, metrics, problems: [...new Set(problems)] }).toEqual({
      traces: undefined,
      metrics: undefined,
      problems: [problem],
    });
  });
});
