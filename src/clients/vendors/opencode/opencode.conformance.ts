import { describeClientConformance } from "../../../testkit/conformance/client/client-conformance.ts";
import { openOpenCodeConformanceBench } from "./fixtures/opencode-bench.ts";

await describeClientConformance("OpenCode", () => openOpenCodeConformanceBench(process.env.PATH ?? ""));
