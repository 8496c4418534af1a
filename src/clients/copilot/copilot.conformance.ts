import { describeClientConformance } from "../../testkit/conformance/client-conformance.ts";
import { openCopilotBench } from "./fixtures/copilot-conformance-bench.ts";

await describeClientConformance("Copilot", () => openCopilotBench(process.env.PATH ?? ""));
