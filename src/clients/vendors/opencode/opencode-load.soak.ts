import { describeClientUnderLoad } from "../../fixtures/describe-client-load.ts";
import { openOpenCodeConformanceBench } from "./fixtures/opencode-bench.ts";

await describeClientUnderLoad("OpenCode", () => openOpenCodeConformanceBench(process.env.PATH ?? ""));
