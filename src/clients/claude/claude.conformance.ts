import { describeClientConformance } from "../../testkit/conformance/client-conformance.ts";
import { openClaudeBench } from "./fixtures/claude-conformance-bench.ts";

await describeClientConformance("Claude Code", () => openClaudeBench(process.env.PATH ?? ""));
