import { loadTelemetryConfig } from "../../telemetry/index.ts";
import type { AgentCheck as Check } from "../agents/check-agents.ts";
import type { CliEnvironment } from "../environment.ts";
import { telemetryPlaceOf } from "../telemetry/open-telemetry.ts";
import { describeOffReason, listDestinations } from "../telemetry/telemetry-destinations.ts";

/** Whether telemetry is recorded and sent, and where. A receiver that cannot be used is a warning. */
export function checkTelemetry(environment: CliEnvironment): Check {
  const config = loadTelemetryConfig(telemetryPlaceOf(environment));
  const { enabled, consent, consentProblem, localLogPath } = config;
  const name = "telemetry";
  if (!enabled && consentProblem !== undefined) {
    const remedy = "Decide again with `atomic telemetry on` or `atomic telemetry off`, which replaces the file.";
    return { name, status: "warning", detail: `off: ${environment.redactor.text(consentProblem)}`, remedy };
  }
  if (!enabled) return { name, status: "ok", detail: `off: ${describeOffReason(config)}` };
  const destinations = listDestinations(environment, config);
  const usable = destinations.filter(({ problem }) => problem === undefined);
  const places = usable.map(({ name, endpoint = "" }) => `${name} ${endpoint}`.trim()).join(", ");
  const isSending = consent === "on" && usable.length > 0;
  const sent = isSending ? `sent: ${places}` : "not sent";
  const detail = environment.redactor.text(`recorded in ${localLogPath}, ${sent}`);
  const broken = destinations.flatMap(({ name, problem }) => (problem === undefined ? [] : [`${name}: ${problem}`]));
  if (broken.length === 0) return { name, status: "ok", detail };
  const remedy = `${environment.redactor.text(broken.join("\n"))}\nCorrect the variables: docs/telemetry.md.`;
  return { name, status: "warning", detail, remedy };
}
