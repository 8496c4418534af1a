import { describeClientConformance } from "../../testkit/conformance/client-conformance.ts";
import { openAcpConformanceBench } from "./fixtures/acp-conformance-bench.ts";

await describeClientConformance("OpenCode over ACP", () => openAcpConformanceBench("opencode", process.env.PATH ?? ""));
