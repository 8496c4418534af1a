import { describeClientUnderLoad } from "../fixtures/describe-client-load.ts";
import { openCopilotBench } from "./fixtures/copilot-conformance-bench.ts";

await describeClientUnderLoad("Copilot", () => openCopilotBench(process.env.PATH ?? ""));
