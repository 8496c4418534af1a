import { AgentTurnError, type AtomicError, TurnStalledError } from "../../../contracts/index.ts";
import type { ClientBench } from "../../../testkit/conformance/client/client-bench.ts";
import { describeClientConformance } from "../../../testkit/conformance/client/client-conformance.ts";
import { openScriptedBench } from "../../../testkit/scripted-agent/fixtures/scripted-bench.ts";
import { withRecovery } from "./with-recovery.ts";

/** The defaults, except for stalls: the suite must see the first one. */
function mayPass(error: AtomicError): boolean {
  return !(error instanceof TurnStalledError) && !(error instanceof AgentTurnError && !error.isRetryable);
}

async function openBench(): Promise<ClientBench> {
  const policy = { baseDelayMs: 1, maxWaitMs: 5_000, retryOn: mayPass };
  const bench = await openScriptedBench((client) => withRecovery(client, policy));
  // Recovery exists to change this.
  return { ...bench, traits: { ...bench.traits, retriesByItself: true } };
}

await describeClientConformance("A recovering agent", openBench);
