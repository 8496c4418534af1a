import { describeClientConformance } from "../../../testkit/conformance/client/client-conformance.ts";
import { readSeed } from "../../../testkit/conformance/part-of-seed.ts";
import { isInstalled, openAcpConformanceBench } from "./fixtures/acp-bench.ts";

if (isInstalled("claude")) {
  const openBench = () => openAcpConformanceBench("claude", process.env.PATH ?? "");
  await describeClientConformance("Claude over ACP", openBench, { halfOfSeed: readSeed(process.env) });
}
