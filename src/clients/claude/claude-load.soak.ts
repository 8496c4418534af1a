import { describeClientUnderLoad } from "../fixtures/describe-client-load.ts";
import { openClaudeBench } from "./fixtures/claude-conformance-bench.ts";

await describeClientUnderLoad("Claude Code", () => openClaudeBench(process.env.PATH ?? ""));
