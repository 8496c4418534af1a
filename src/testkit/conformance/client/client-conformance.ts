import { afterAll, describe, setDefaultTimeout } from "bun:test";
import type { ClientBench } from "./client-bench.ts";
import { describeCapabilities } from "./client-capabilities-conformance.ts";
import { describeCustomTools } from "./client-custom-tools-conformance.ts";
import { describeEndings } from "./client-endings-conformance.ts";
import { describeFaults } from "./client-faults-conformance.ts";
import { describeInterception } from "./client-interception-conformance.ts";
import { describeLimits } from "./client-limits-conformance.ts";
import { describeMcp } from "./client-mcp-conformance.ts";
import { describePermissions } from "./client-permissions-conformance.ts";
import { describeProcesses } from "./client-processes-conformance.ts";
import { describeQuestions } from "./client-questions-conformance.ts";
import { describeSessions } from "./client-sessions-conformance.ts";
import { describeSettings } from "./client-settings-conformance.ts";
import { describeStructured } from "./client-structured-conformance.ts";
import { describeSubagents } from "./client-subagents-conformance.ts";
import { describeText } from "./client-text-conformance.ts";
import { describeToolLists } from "./client-tool-lists-conformance.ts";
import { describeTools } from "./client-tools-conformance.ts";
import { describeUsage } from "./client-usage-conformance.ts";

/** The timeout of a case on a busy machine, in milliseconds. All cases wait for events. */
const CASE_TIMEOUT_MS = 180_000;

/**
 * What every `CodingAgentClient` must do. Opens the bench first, because the agent's capabilities decide which cases are
 * skipped. Call it once in a test file of its own:
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
    describeUsage(bench);
    describeSettings(bench);
    describeLimits(bench);
    describeStructured(bench);
    describeTools(bench);
    describeCustomTools(bench);
    describeMcp(bench);
    describeToolLists(bench);
    describePermissions(bench);
    describeInterception(bench);
    describeQuestions(bench);
    describeSubagents(bench);
    describeSessions(bench);
    describeEndings(bench);
    describeFaults(bench);
    describeCapabilities(bench);
    describeProcesses(bench);
    afterAll(() => bench.stop());
  });
}
