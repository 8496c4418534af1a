import { storeConsent, type TelemetryConfig } from "../../telemetry/index.ts";
import type { CliEnvironment } from "../environment.ts";
import { promptStreams } from "../prompts/prompt-streams.ts";
import { waitForQuietKeyboard } from "../prompts/quiet-keyboard.ts";
import { selectAnswer } from "../prompts/select-answer.ts";

const EXPLANATION =
  "Sent are names of nodes and tools, times, counts and error codes; never prompts, answers, code, paths or output.";

/**
 * Asks a person whether telemetry may be sent to what their environment configures. Asks once, ever: leaving the question
 * counts as no. Does not ask where no destination is configured, where they decided before, and where no person is there.
 *
 * @returns whether the person decided now
 * @throws ConsentNotStoredError
 */
export async function askConsent(
  environment: CliEnvironment,
  { enabled, consent, destinations, localLogPath }: TelemetryConfig,
): Promise<boolean> {
  if (!enabled || consent !== "unset" || destinations.length === 0 || !environment.isInteractive) return false;
  const streams = promptStreams(environment);
  // The input has ended: nobody is there.
  if (!(await waitForQuietKeyboard(streams.input))) return false;
  const answer = await selectAnswer({
    streams,
    message: `Your environment configures a receiver for telemetry (${destinations.join(" and ")}). May Atomic send it there?\n${EXPLANATION}`,
    options: [{ label: "No" }, { label: "Yes" }],
    safe: 0,
  });
  await storeConsent(localLogPath, answer === 1 ? "on" : "off");
  environment.stderr.write("You can change that at any time: atomic telemetry on, atomic telemetry off\n");
  return true;
}
