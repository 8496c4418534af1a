import { describeClientUnderLoad } from "../../fixtures/describe-client-load.ts";
import { openClaudeConformanceBench } from "./fixtures/claude-bench.ts";

await describeClientUnderLoad("Claude Code", () => openClaudeConformanceBench(process.env.PATH ?? ""));
