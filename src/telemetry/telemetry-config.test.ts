import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { anonymousIdIn, ConsentNotStoredError, readConsent, storeConsent } from "./consent.ts";
import { loadTelemetryConfig } from "./telemetry-config.ts";
import { telemetryFolder } from "./telemetry-place.ts";

const KEY = "11111111-2222-3333-4444-555555555555";
const DESTINATIONS = { ATOMIC_APP_INSIGHTS_KEY: KEY, OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" };
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

let home: string;
let folder: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "atomic-telemetry-"));
  folder = join(home, ".local", "share", "atomic", "telemetry");
});
afterEach(() => rm(home, { recursive: true, force: true }));

const load = (env: Readonly<Record<string, string>> = {}) =>
  loadTelemetryConfig({ env, homeDirectory: home, platform: "linux" });

describe("the folder of telemetry", () => {
  test.each([
    { platform: "linux", env: {}, expected: "/home/me/.local/share/atomic/telemetry" },
    { platform: "darwin", env: { XDG_DATA_HOME: "/data" }, expected: "/data/atomic/telemetry" },
    { platform: "linux", env: { XDG_DATA_HOME: "data" }, expected: "/home/me/.local/share/atomic/telemetry" },
    { platform: "win32", env: { LOCALAPPDATA: "/local" }, expected: "/local/atomic/telemetry" },
    { platform: "win32", env: {}, expected: "/home/me/AppData/Local/atomic/telemetry" },
  ])("on $platform with $env is $expected", ({ platform, env, expected }) => {
    expect(telemetryFolder({ env, platform, homeDirectory: "/home/me" })).toBe(expected);
  });
});

describe("what is collected", () => {
  test("is local by default, and is sent nowhere before a person consents", () => {
    const { otlpEndpoints, ...config } = load(DESTINATIONS);
    expect(config).toEqual({
      enabled: true,
      consent: "unset",
      localLogPath: folder,
      anonymousId: expect.stringMatching(UUID),
      destinations: ["Application Insights", "OTLP"],
    });
    expect(otlpEndpoints?.traces?.url).toBe("http://127.0.0.1:4318/v1/traces");
  });

  test("is sent to what the environment configures after a person consented", async () => {
    await storeConsent(folder, "on");
    const { appInsightsKey, otlp, destinations } = load(DESTINATIONS);
    expect({ appInsightsKey, traces: otlp?.traces?.url, destinations }).toEqual({
      appInsightsKey: KEY,
      traces: "http://127.0.0.1:4318/v1/traces",
      destinations: ["Application Insights", "OTLP"],
    });
    expect(load().destinations).toEqual([]);
  });

  test.each([
    { variable: "DO_NOT_TRACK", value: "1" },
    { variable: "DO_NOT_TRACK", value: "true" },
    { variable: "ATOMIC_TELEMETRY", value: "0" },
    { variable: "ATOMIC_TELEMETRY", value: "off" },
  ] as const)("is nothing with $variable=$value, whatever a person decided", async ({ variable, value }) => {
    await storeConsent(folder, "on");
    const { otlpEndpoints: _known, ...config } = load({ ...DESTINATIONS, [variable]: value });
    expect(config).toEqual({
      enabled: false,
      offReason: variable,
      consent: "on",
      localLogPath: folder,
      destinations: ["Application Insights", "OTLP"],
    });
    expect(await readdir(folder)).toEqual(["consent.json"]);
  });

  test.each([{ DO_NOT_TRACK: "0" }, { DO_NOT_TRACK: "" }, { ATOMIC_TELEMETRY: "1" }])("is not limited by %p", (env) => {
    expect(load(env).enabled).toBe(true);
  });

  test("is nothing after a person said no, and where their decision cannot be read", async () => {
    await storeConsent(folder, "off");
    expect(load()).toEqual({
      enabled: false,
      offReason: "consent",
      consent: "off",
      localLogPath: folder,
      destinations: [],
    });
  });

  test.each([
    { text: "{broken", reason: "is no valid JSON" },
    { text: '{"consent":"maybe"}', reason: "contains no decision" },
    { text: "x".repeat(10_001), reason: "is larger than 10000 bytes" },
    { text: undefined, reason: "is not a regular file" },
  ])("counts as a no if the file $reason, and says that the file is broken", async ({ text, reason }) => {
    const path = join(folder, "consent.json");
    await mkdir(folder, { recursive: true });
    if (text === undefined) execFileSync("mkfifo", [path]);
    else await writeFile(path, text);
    expect(readConsent(folder)).toEqual({ consent: "off", problem: `${path} ${reason}` });
    expect(load()).toEqual({
      enabled: false,
      offReason: "broken-consent",
      consent: "off",
      consentProblem: `${path} ${reason}`,
      localLogPath: folder,
      destinations: [],
    });
    await storeConsent(folder, "on");
    expect(readConsent(folder)).toEqual({ consent: "on" });
  });
});

describe("the anonymous id", () => {
  test("is random, and stays the same", async () => {
    const { anonymousId } = load();
    expect(load().anonymousId).toBe(anonymousId);
    expect(await readFile(join(folder, "anonymous-id"), "utf8")).toBe(`${anonymousId}\n`);
    expect(await readdir(folder)).toEqual(["anonymous-id"]);
    await rm(folder, { recursive: true });
    expect(load().anonymousId).not.toBe(anonymousId);
  });

  test("does not wait for a pipe in its place", async () => {
    await mkdir(folder, { recursive: true });
    execFileSync("mkfifo", [join(folder, "anonymous-id")]);
    expect(anonymousIdIn(folder)).toMatch(UUID);
  });

  test("is another one for each call where it cannot be stored", async () => {
    const file = join(home, "file");
    await writeFile(file, "");
    expect(anonymousIdIn(join(file, "telemetry"))).toMatch(UUID);
  });
});

test("a decision that cannot be stored is an error that says what to do", async () => {
  const file = join(home, "file");
  await writeFile(file, "");
  const path = join(file, "telemetry", "consent.json");
  const error = await storeConsent(join(file, "telemetry"), "off").catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ConsentNotStoredError);
  expect(String(error)).toStartWith(
    `ConsentNotStoredError: Your decision about telemetry cannot be stored in ${path}: `,
  );
  expect(String(error)).toEndWith(
    "Make the folder writable, or set ATOMIC_TELEMETRY=0 to turn telemetry off without it.",
  );
});
