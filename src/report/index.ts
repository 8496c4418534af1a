export { type FormatRunReportOptions, formatRunReport, REPORT_START } from "./html/format-run-report.ts";
export { createRunReport, type RunReportSources } from "./model/create-run-report.ts";
export type { GraphShape } from "./model/picture-of.ts";
export type { ReportedBase, ReportedChanges, RunReportPage } from "./model/run-report-page.ts";
export { withoutTexts } from "./model/without-texts.ts";
