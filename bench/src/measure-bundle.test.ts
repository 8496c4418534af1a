import { expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { measureBundle } from "./measure-bundle.ts";

test("what is imported at once leaves out what a late import leads to, and keeps what both need", async () => {
  const folder = await mkdtemp(join(tmpdir(), "atomic-bundle-"));
  try {
    const files = {
      "shared.ts": `export const shared = "${"s".repeat(1_000)}";`,
      "late.ts": `import { shared } from "./shared.ts"; export const late = shared + "${"l".repeat(5_000)}";`,
      "main.ts": `import { shared } from "./shared.ts"; export const load = () => import("./late.ts"); export { shared };`,
    };
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    const {
      eagerBytes = 0,
      bundleBytes = 0,
      firstRunBytes,
    } = await measureBundle({
      sizeFile: join(folder, "main.ts"),
      firstRun: undefined,
    });
    expect([eagerBytes > 1_000, eagerBytes < 2_000, bundleBytes > 6_000, firstRunBytes]).toEqual([
      true,
      true,
      true,
      undefined,
    ]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
