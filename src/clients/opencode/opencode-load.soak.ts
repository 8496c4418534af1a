import { describeClientUnderLoad } from "../fixtures/describe-client-load.ts";
import { openOpenCodeBench } from "./fixtures/opencode-conformance-bench.ts";

await describeClientUnderLoad("OpenCode", () => openOpenCodeBench(process.env.PATH ?? ""));
