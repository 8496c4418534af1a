import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { formatLicences, LICENCES_PAGE, listLicences, readLock } from "./licences.ts";

// Writes the page with the licences of the packages that npm installs together with Atomic.

const ROOT = join(import.meta.dirname, "..");

await writeFile(join(ROOT, LICENCES_PAGE), formatLicences(listLicences(await readLock(ROOT))));
