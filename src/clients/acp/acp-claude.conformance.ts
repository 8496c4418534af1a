import { describeClientConformance } from "../../testkit/conformance/client-conformance.ts";
import { openAcpConformanceBench } from "./fixtures/acp-conformance-bench.ts";
import { isInstalled } from "./fixtures/acp-test-bench.ts";

if (isInstalled("claude")) {
  await describeClientConformance("Claude over ACP", () => openAcpConformanceBench("claude", process.env.PATH ?? ""));
}
