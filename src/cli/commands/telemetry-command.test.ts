import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type CallOptions, TestEnvironment } from "../fixtures/test-environment.ts";

const KEY = "11111111-2222-3333-4444-555555555555";
const FOLDER = "<root>/home/.local/share/atomic/telemetry";
const DESTINATIONS = {
  ATOMIC_APP_INSIGHTS_KEY: `InstrumentationKey=${KEY};IngestionEndpoint=https://west.example.org`,
  OTEL_EXPORTER_OTLP_ENDPOINT: "http://me:pa55@127.0.0.1:4318",
};

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
});
afterEach(() => environment.remove());

async function call(args: string, env: CallOptions["env"] = {}) {
  const { exitCode, stdout, stderr } = await environment.start(args.split(" "), { env }).ended;
  // Not normalised any further: a part of the random id can look like the id of a run.
  const short = (text: string): string => text.replaceAll(environment.root, "<root>");
  return { exitCode, stdout: short(stdout), stderr: short(stderr) };
}

const json = async (args: string, env: CallOptions["env"] = {}) =>
  JSON.parse((await call(`${args} --json`, env)).stdout);

describe("atomic telemetry status", () => {
  test("says that events stay on the machine", async () => {
    expect(await call("telemetry status")).toEqual({
      exitCode: 0,
      stdout: [
        `Telemetry is recorded in ${FOLDER}, and not sent.`,
        "Your environment configures no receiver (docs/telemetry.md).",
        "",
      ].join("\n"),
      stderr: "",
    });
  });

  test("lists the receivers without passwords, and says how to allow them", async () => {
    const receivers = [
      "  Application Insights: https://west.example.org/v2/track",
      "  OTLP traces: http://127.0.0.1:4318/v1/traces",
      "  OTLP metrics: http://127.0.0.1:4318/v1/metrics",
    ];
    expect((await call("telemetry status", DESTINATIONS)).stdout).toBe(
      [
        `Telemetry is recorded in ${FOLDER}, and not sent.`,
        "Your environment configures receivers:",
        ...receivers,
        "Allow sending with: atomic telemetry on",
        "",
      ].join("\n"),
    );
    expect((await call("telemetry on", DESTINATIONS)).stdout).toBe(
      [`Telemetry is recorded in ${FOLDER}, and sent:`, ...receivers, ""].join("\n"),
    );
  });

  test("says what is wrong with a receiver", async () => {
    const env = { ATOMIC_APP_INSIGHTS_KEY: "no key", OTEL_EXPORTER_OTLP_ENDPOINT: "here" };
    const { isSending, destinations } = await json("telemetry on", env);
    const problem =
      "OTEL_EXPORTER_OTLP_ENDPOINT is not an http or https URL. Set it to that of your collector, such as http://127.0.0.1:4318";
    expect({ isSending, destinations }).toEqual({
      isSending: false,
      destinations: [
        { name: "Application Insights", problem: expect.stringContaining("has no valid instrumentation key") },
        { name: "OTLP", problem },
      ],
    });
    const { stdout } = await call("telemetry status", env);
    expect(stdout.split("\n").filter((line) => line.includes("OTLP"))).toEqual([`  OTLP (not used: ${problem})`]);
  });

  test.each([
    { env: { DO_NOT_TRACK: "1" }, reason: "the variable DO_NOT_TRACK is set" },
    { env: { ATOMIC_TELEMETRY: "0" }, reason: "the variable ATOMIC_TELEMETRY turns it off" },
  ])("says that $reason", async ({ env, reason }) => {
    expect((await call("telemetry on", { ...DESTINATIONS, ...env })).stdout).toBe(`Telemetry is off: ${reason}.\n`);
  });

  test("says that the file with the decision is broken, and that nothing is sent", async () => {
    const folder = join(environment.root, "home/.local/share/atomic/telemetry");
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "consent.json"), "{broken");
    const consentProblem = `${FOLDER}/consent.json is no valid JSON`;
    expect((await call("telemetry status", DESTINATIONS)).stdout).toBe(
      `Telemetry is off: the file with your decision is broken: ${consentProblem}. Decide again with: atomic telemetry on, or atomic telemetry off.\n`,
    );
    expect(await json("telemetry status")).toMatchObject({
      offReason: "broken-consent",
      consentProblem,
      isSending: false,
    });
    expect((await call("telemetry on")).stdout).toContain(`Telemetry is recorded in ${FOLDER}`);
  });

  test("prints JSON", async () => {
    expect(await json("telemetry off")).toEqual({
      enabled: false,
      offReason: "consent",
      consent: "off",
      isSending: false,
      folder: FOLDER,
      destinations: [],
    });
    expect((await call("telemetry status")).stdout).toBe(
      "Telemetry is off: you turned it off; turn it on with: atomic telemetry on.\n",
    );
    expect(await json("telemetry on")).toEqual({
      enabled: true,
      consent: "on",
      isSending: false,
      folder: FOLDER,
      anonymousId: expect.stringMatching(/^[\da-f-]{36}$/),
      destinations: [],
    });
  });
});

describe("atomic telemetry show", () => {
  test("prints the last events as they are in the files", async () => {
    const folder = join(environment.root, "home/.local/share/atomic/telemetry");
    await mkdir(folder, { recursive: true });
    const lines = ['{"eventId":"a"}', '{"eventId":"b"}', '{"eventId":"c"', ""];
    await writeFile(join(folder, "telemetry-2026-11-28.jsonl"), lines.join("\n"));
    expect(await call("telemetry show --count 2")).toEqual({
      exitCode: 0,
      stdout: '{"eventId":"b"}\n{"eventId":"c"\n',
      stderr: "",
    });
    expect(await json("telemetry show")).toEqual({
      folder: FOLDER,
      events: [{ eventId: "a" }, { eventId: "b" }, '{"eventId":"c"'],
    });
  });

  test("says that there are none, and rejects a count that is no number", async () => {
    expect(await call("telemetry show")).toEqual({
      exitCode: 0,
      stdout: "",
      stderr: `No events are recorded in ${FOLDER}.\n`,
    });
    expect(await call("telemetry show --count many")).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--count takes a number from 1 to 999999, and "many" is not one.'),
    });
  });
});

test("a decision that cannot be stored is an error", async () => {
  await writeFile(join(environment.root, "home/.local"), "");
  const { exitCode, stderr } = await call("telemetry off");
  expect(exitCode).toBe(1);
  expect(stderr).toContain("Your decision about telemetry cannot be stored in <root>/home/.local/share");
  expect(stderr).toContain("ATOMIC_TELEMETRY=0");
});
