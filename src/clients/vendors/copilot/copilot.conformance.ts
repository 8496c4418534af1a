import { describeClientConformance } from "../../../testkit/conformance/client/client-conformance.ts";
import { openCopilotConformanceBench } from "./fixtures/copilot-bench.ts";

await describeClientConformance("Copilot", () => openCopilotConformanceBench(process.env.PATH ?? ""));
