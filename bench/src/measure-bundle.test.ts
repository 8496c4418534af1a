import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { measureBundle } from "./measure-bundle.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "atomic-bundle-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Writes the files; the last one is the entry point. */
async function writeFiles(files: Readonly<Record<string, string>>): Promise<string> {
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return join(folder, Object.keys(files).at(-1) ?? "");
}

describe("what is imported at once", () => {
  test("leaves out what a late import leads to, and keeps what both need", async () => {
    const sizeFile = await writeFiles({
      "shared.ts": `export const shared = "${"s".repeat(1_000)}";`,
      "late.ts": `import { shared } from "./shared.ts"; export const late = shared + "${"l".repeat(5_000)}";`,
      "main.ts": `import { shared } from "./shared.ts"; export const load = () => import("./late.ts"); export { shared };`,
    });
    const { eagerBytes = 0, bundleBytes = 0, firstRunBytes } = await measureBundle({ sizeFile, firstRun: undefined });
    expect([eagerBytes > 1_000, eagerBytes < 2_000, bundleBytes > 6_000, firstRunBytes]).toEqual([
      true,
      true,
      true,
      undefined,
    ]);
  });

  test("is found where a late import imports the entry point, too", async () => {
    const sizeFile = await writeFiles({
      "late.ts": `export const late = "${"l".repeat(5_000)}"; export const again = () => import("./main.ts");`,
      "main.ts": `export const load = () => import("./late.ts"); export const own = "${"o".repeat(1_000)}";`,
    });
    const { eagerBytes = 0 } = await measureBundle({ sizeFile, firstRun: undefined });
    expect([eagerBytes > 1_000, eagerBytes < 2_000]).toEqual([true, true]);
  });
});

test("a folder may be reached by a link", async () => {
  const sizeFile = await writeFiles({ "main.ts": `export const own = "${"o".repeat(1_000)}";` });
  await symlink(folder, join(folder, "link"));
  const linked = { sizeFile: join(folder, "link", "main.ts"), firstRun: undefined };
  expect(await measureBundle(linked)).toEqual(await measureBundle({ sizeFile, firstRun: undefined }));
});

describe("what a first run loads", () => {
  test("is the size of all files together", async () => {
    const sizeFile = await writeFiles({
      "run.ts": `console.log("ran"); console.log(JSON.stringify([new URL("./main.ts", import.meta.url)]));`,
      "main.ts": `export const own = 1;`,
    });
    const firstRun = [process.execPath, join(folder, "run.ts")] as const;
    expect((await measureBundle({ sizeFile, firstRun })).firstRunBytes).toBe(21);
  });

  test("that is nothing is an error", async () => {
    const sizeFile = await writeFiles({ "run.ts": `console.log("[]");`, "main.ts": `export const own = 1;` });
    const firstRun = [process.execPath, join(folder, "run.ts")] as const;
    await expect(measureBundle({ sizeFile, firstRun })).rejects.toThrow(
      new Error(`Error: ${firstRun.join(" ")} says that it loaded no file.`),
    );
  });
});
