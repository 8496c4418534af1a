import { afterAll, afterEach, describe, setDefaultTimeout } from "bun:test";
import type { CodingAgentClient, Session } from "../../../contracts/index.ts";
import { partOfSeed } from "../part-of-seed.ts";
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

/** The parts of the suite, in the order in which they run. */
const PARTS: readonly ((bench: ClientBench) => void)[] = [
  describeText,
  describeUsage,
  describeSettings,
  describeLimits,
  describeStructured,
  describeTools,
  describeCustomTools,
  describeMcp,
  describeToolLists,
  describePermissions,
  describeInterception,
  describeQuestions,
  describeSubagents,
  describeSessions,
  describeEndings,
  describeFaults,
  describeCapabilities,
  describeProcesses,
];

/** Settings of {@link describeClientConformance}. */
export interface ClientConformanceOptions {
  /** Runs every other part of the suite, the others with the next seed. @default all parts */
  readonly halfOfSeed?: number;
}

/**
 * What every `CodingAgentClient` must do. Opens the bench first, because the agent's capabilities decide which cases are
 * skipped. Call it once in a test file of its own:
 *
 * ```ts
 * await describeClientConformance("OpenCode", openOpenCodeBench);
 * ```
 */
export async function describeClientConformance(
  name: string,
  openBench: () => Promise<ClientBench>,
  { halfOfSeed }: ClientConformanceOptions = {},
): Promise<void> {
  setDefaultTimeout(CASE_TIMEOUT_MS);
  const opened = await openBench();
  const sessions: Session[] = [];
  const bench: ClientBench = { ...opened, client: noteSessions(opened.client, sessions) };
  // Some agents keep a process for each session that is open.
  afterEach(async () => {
    await Promise.allSettled(sessions.splice(0).map((session) => session.destroy()));
  });
  const half = halfOfSeed === undefined ? "" : `, half of the suite by the seed ${halfOfSeed}`;
  describe(`${name} as a CodingAgentClient${half}`, () => {
    const parts = halfOfSeed === undefined ? PARTS : partOfSeed(PARTS, 2, halfOfSeed);
    for (const describePart of parts) describePart(bench);
    afterAll(() => bench.stop());
  });
}

/** The same client, which notes the sessions that it opens. */
function noteSessions(client: CodingAgentClient, sessions: Session[]): CodingAgentClient {
  const note = async (opening: Promise<Session>): Promise<Session> => {
    const session = await opening;
    sessions.push(session);
    return session;
  };
  const noting: Partial<CodingAgentClient> = {
    createSession: (config) => note(client.createSession(config)),
    resumeSession: (...given) => note(client.resumeSession(...given)),
    forkSession: (...given) => note(client.forkSession(...given)),
  };
  return new Proxy(client, {
    get(target, name) {
      const own: unknown = Reflect.get(noting, name);
      if (own !== undefined) return own;
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
