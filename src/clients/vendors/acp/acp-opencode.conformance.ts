import { describeClientConformance } from "../../../testkit/conformance/client/client-conformance.ts";
import { readSeed } from "../../../testkit/conformance/part-of-seed.ts";
import { openAcpConformanceBench } from "./fixtures/acp-bench.ts";

const openBench = () => openAcpConformanceBench("opencode", process.env.PATH ?? "");
// The other half than that of Claude over ACP, whose client is the same.
await describeClientConformance("OpenCode over ACP", openBench, { halfOfSeed: readSeed(process.env) + 1 });
