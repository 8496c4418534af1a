import { describeClientConformance } from "../conformance/client/client-conformance.ts";
import { openScriptedBench } from "./fixtures/scripted-bench.ts";

await describeClientConformance("The scripted agent", () => openScriptedBench());
