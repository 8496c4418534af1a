export { formatRunReport, REPORT_START } from "./html/format-run-report.ts";
export { createRunReport, type RunReportSources } from "./model/create-run-report.ts";
export type { GraphShape } from "./model/picture-of.ts";
export { withoutTexts } from "./model/without-texts.ts";
