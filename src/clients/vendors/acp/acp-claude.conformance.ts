import { describeClientConformance } from "../../../testkit/conformance/client/client-conformance.ts";
import { isInstalled, openAcpConformanceBench } from "./fixtures/acp-bench.ts";

if (isInstalled("claude")) {
  await describeClientConformance("Claude over ACP", () => openAcpConformanceBench("claude", process.env.PATH ?? ""));
}
