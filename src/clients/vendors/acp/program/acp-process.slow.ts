import { afterAll, setDefaultTimeout, test } from "bun:test";
import { waitUntil } from "../../../../testkit/conformance/wait-until.ts";
import { pidsOf, waitForNoProcessWith } from "../../../fixtures/running-processes.ts";
import { startAndWait } from "../../../fixtures/vendor-programs.ts";
import { openOddAgentBench } from "../fixtures/odd-agent-bench.ts";

setDefaultTimeout(30_000);

const bench = await openOddAgentBench(process.env.PATH ?? "");
afterAll(() => bench.stop());

test("an agent and its commands end with Atomic, even when Atomic is killed", async () => {
  const marker = `marker-${crypto.randomUUID()}`;
  const options = bench.optionsFor([], { env: { PATH: process.env.PATH ?? "", MARKER: marker } });
  const prompt = `run ${JSON.stringify({ command: "sleep 300" })}`;
  using atomic = startAndWait({ vendor: "acp", options, prompt });
  await waitUntil(() => pidsOf("sleep", marker).length > 0, "the command does not run", { timeoutMs: 10_000 });
  atomic.kill("SIGKILL");
  await waitForNoProcessWith(marker);
});
