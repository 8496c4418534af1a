import { describeClientConformance } from "../../../testkit/conformance/client/client-conformance.ts";
import { openClaudeConformanceBench } from "./fixtures/claude-bench.ts";

await describeClientConformance("Claude Code", () => openClaudeConformanceBench(process.env.PATH ?? ""));
