import { describeClientConformance } from "../conformance/client-conformance.ts";
import { openScriptedBench } from "./fixtures/scripted-bench.ts";

await describeClientConformance("The scripted agent", () => openScriptedBench());
