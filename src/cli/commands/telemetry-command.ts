import {
  loadTelemetryConfig,
  readLocalEvents,
  storeConsent,
  type TelemetryConfig,
  telemetryFolder,
} from "../../telemetry/index.ts";
import { safeLine, safeText, visibleLine } from "../../view/index.ts";
import { UsageError } from "../config/usage-error.ts";
import type { CliEnvironment } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";
import { formatJson } from "../output/format-json.ts";
import { telemetryPlaceOf } from "../telemetry/open-telemetry.ts";
import { describeOffReason, listDestinations, type TelemetryDestination } from "../telemetry/telemetry-destinations.ts";

/** Options of the commands about telemetry. */
export interface TelemetryFlags {
  readonly json?: boolean;
}

/** `atomic telemetry status`: whether anything is recorded and sent, where, and why. */
export async function telemetryStatusCommand(environment: CliEnvironment, flags: TelemetryFlags): Promise<ExitCode> {
  const config = loadTelemetryConfig(telemetryPlaceOf(environment));
  const { enabled, offReason, consent, consentProblem, localLogPath, anonymousId } = config;
  const destinations = listDestinations(environment, config);
  const isSending = enabled && consent === "on" && destinations.some(({ problem }) => problem === undefined);
  if (flags.json) {
    const id = anonymousId === undefined ? {} : { anonymousId };
    const reason = offReason === undefined ? {} : { offReason };
    const problem = consentProblem === undefined ? {} : { consentProblem };
    print(
      environment,
      formatJson({ enabled, ...reason, consent, ...problem, isSending, folder: localLogPath, ...id, destinations }),
    );
  } else print(environment, describeStatus(config, { destinations, isSending }).join("\n"));
  return ExitCode.done;
}

/** `atomic telemetry on`, `atomic telemetry off`: stores the person's decision. @throws ConsentNotStoredError */
export async function decideTelemetryCommand(
  environment: CliEnvironment,
  consent: "on" | "off",
  flags: TelemetryFlags,
): Promise<ExitCode> {
  await storeConsent(telemetryFolder(telemetryPlaceOf(environment)), consent);
  return await telemetryStatusCommand(environment, flags);
}

/** `atomic telemetry show`: the last local events. @throws UsageError, FileUnusableError */
export async function showTelemetryCommand(
  environment: CliEnvironment,
  { json, count }: TelemetryFlags & { readonly count: string },
): Promise<ExitCode> {
  if (!/^[1-9]\d{0,5}$/.test(count)) {
    throw new UsageError(`--count takes a number from 1 to 999999, and "${visibleLine(count)}" is not one.`);
  }
  const folder = telemetryFolder(telemetryPlaceOf(environment));
  const { lines, isCut } = await readLocalEvents(folder, { count: Number(count) });
  if (isCut)
    environment.stderr.write(`note: The files in ${visibleLine(folder)} are large; older events are left out.\n`);
  if (json) print(environment, formatJson({ folder, events: lines.map(parseEvent) }));
  else if (lines.length > 0) print(environment, safeText(lines.join("\n")));
  else environment.stderr.write(`No events are recorded in ${visibleLine(folder)}.\n`);
  return ExitCode.done;
}

/** A line that a crash cut short stays a text. */
function parseEvent(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
}

function print({ stdout, redactor }: CliEnvironment, text: string): void {
  stdout.write(`${redactor.text(text)}\n`);
}

function describeStatus(
  config: TelemetryConfig,
  { destinations, isSending }: { readonly destinations: readonly TelemetryDestination[]; readonly isSending: boolean },
): readonly string[] {
  const { enabled, consent, localLogPath } = config;
  const heading = enabled
    ? `Telemetry is recorded in ${visibleLine(localLogPath)}, ${isSending ? "and sent:" : "and not sent."}`
    : `Telemetry is off: ${describeOffReason(config)}.`;
  const listed = destinations.map(({ name, endpoint, problem }) => {
    const place = [name, ...(endpoint === undefined ? [] : [endpoint])].join(": ");
    return `  ${safeLine(problem === undefined ? place : `${place} (not used: ${problem})`, 1_000)}`;
  });
  if (!enabled) return [heading];
  if (destinations.length === 0) return [heading, "Your environment configures no receiver (docs/telemetry.md)."];
  if (consent === "on") return [heading, ...listed];
  return [heading, "Your environment configures receivers:", ...listed, "Allow sending with: atomic telemetry on"];
}
