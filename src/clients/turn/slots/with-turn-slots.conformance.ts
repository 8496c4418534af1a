import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MachineSlots } from "../../../system/index.ts";
import type { ClientBench } from "../../../testkit/conformance/client/client-bench.ts";
import { describeClientConformance } from "../../../testkit/conformance/client/client-conformance.ts";
import { openScriptedBench } from "../../../testkit/scripted-agent/fixtures/scripted-bench.ts";
import { TurnSlots } from "./turn-slots.ts";
import { withTurnSlots } from "./with-turn-slots.ts";

async function openBench(): Promise<ClientBench> {
  const folder = await mkdtemp(join(tmpdir(), "atomic-slots-"));
  const slots = new TurnSlots({ slots: new MachineSlots({ folder, readLimit: async () => 8 }) });
  const bench = await openScriptedBench((client) => withTurnSlots(client, slots));
  return {
    ...bench,
    async stop() {
      await bench.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

await describeClientConformance("An agent whose turns hold slots", openBench);
