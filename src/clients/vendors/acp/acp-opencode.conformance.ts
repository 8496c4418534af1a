import { describeClientConformance } from "../../../testkit/conformance/client/client-conformance.ts";
import { openAcpConformanceBench } from "./fixtures/acp-bench.ts";

await describeClientConformance("OpenCode over ACP", () => openAcpConformanceBench("opencode", process.env.PATH ?? ""));
