import { afterAll, describe, setDefaultTimeout } from "bun:test";
import type { ClientBench } from "./client-bench.ts";
import { describeCustomTools } from "./client-custom-tools-conformance.ts";
import { describeEndings } from "./client-endings-conformance.ts";
import { describePermissions } from "./client-permissions-conformance.ts";
import { describeSessions } from "./client-sessions-conformance.ts";
import { describeText } from "./client-text-conformance.ts";
import { describeTools } from "./client-tools-conformance.ts";

/** How long a case may take on a busy machine, in milliseconds; all of them wait for events, not for this. */
const CASE_TIMEOUT_MS = 30_000;

/**
 * What every `CodingAgentClient` must do. Opens the bench first, because what is skipped depends on the agent's
 * capabilities. Call it once in a test file of its own:
 *
 * ```ts
 * await describeClientConformance("OpenCode", openOpenCodeBench);
 * ```
 */
export async function describeClientConformance(name: string, openBench: () => Promise<ClientBench>): Promise<void> {
  setDefaultTimeout(CASE_TIMEOUT_MS);
  const bench = await openBench();
  describe(`${name} as a CodingAgentClient`, () => {
    describeText(bench);
    describeTools(bench);
    describeCustomTools(bench);
    describePermissions(bench);
    describeSessions(bench);
    describeEndings(bench);
    afterAll(() => bench.stop());
  });
}
