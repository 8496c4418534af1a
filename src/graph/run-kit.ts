// The third face of the engine, for rooms that run graphs and report on runs: what authors do not need.

export { stepsOfType } from "./dry-run/plan-report.ts";
export { describeLoss } from "./journal/lost-records.ts";
export { smallestSchemaValue } from "./json-schema/smallest-schema-value.ts";
export { createImportScope } from "./model/default-services.ts";
export { describeMisspelledTools } from "./nodes/agents/limit-tools.ts";
