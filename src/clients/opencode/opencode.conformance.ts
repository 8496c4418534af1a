import { describeClientConformance } from "../../testkit/conformance/client-conformance.ts";
import { openOpenCodeBench } from "./fixtures/opencode-conformance-bench.ts";

await describeClientConformance("OpenCode", () => openOpenCodeBench(process.env.PATH ?? ""));
