import { join } from "node:path";
import { failedChecks, formatCheckReport, runChecks } from "./run-checks.ts";

const reports = await runChecks(join(import.meta.dirname, ".."), process.argv.slice(2));
for (const report of reports) console.log(formatCheckReport(report));
const failed = failedChecks(reports);
console.log(`${reports.length - failed.length} passed, ${failed.length} failed`);
process.exitCode = failed.length > 0 || reports.length === 0 ? 1 : 0;
