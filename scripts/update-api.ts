import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { API_FOLDER, reportApi } from "./api-report.ts";

// Writes what the entry points export into docs/api.

const ROOT = join(import.meta.dirname, "..");

await mkdir(join(ROOT, API_FOLDER), { recursive: true });
for (const [path, report] of await reportApi()) await writeFile(join(ROOT, path), report);
