import { describeClientUnderLoad } from "../../fixtures/describe-client-load.ts";
import { openAcpConformanceBench } from "./fixtures/acp-bench.ts";

await describeClientUnderLoad("OpenCode over ACP", () => openAcpConformanceBench("opencode", process.env.PATH ?? ""));
