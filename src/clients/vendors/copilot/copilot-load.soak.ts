import { describeClientUnderLoad } from "../../fixtures/describe-client-load.ts";
import { openCopilotConformanceBench } from "./fixtures/copilot-bench.ts";

await describeClientUnderLoad("Copilot", () => openCopilotConformanceBench(process.env.PATH ?? ""));
