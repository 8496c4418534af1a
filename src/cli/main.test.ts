import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";

const SOURCE = resolve(import.meta.dirname, "..");
const LIGHT_ROOMS = ["cli", "contracts", "system", "view"];

/** What a file loads before its first line runs: the rooms of Atomic, and the packages. */
async function loadedBy(
  file: string,
): Promise<{ readonly rooms: readonly string[]; readonly packages: readonly string[] }> {
  const transpiler = new Bun.Transpiler({ loader: "ts" });
  const files = new Set([join(SOURCE, file)]);
  const packages = new Set<string>();
  // A set also iterates over what is added to it meanwhile.
  for (const path of files) {
    if (!path.endsWith(".ts")) continue;
    const imports = transpiler.scanImports(await readFile(path, "utf8"));
    for (const { kind, path: specifier } of imports) {
      if (kind !== "import-statement" || specifier.startsWith("node:")) continue;
      if (specifier.startsWith(".")) files.add(resolve(dirname(path), specifier));
      else packages.add(specifier);
    }
  }
  const rooms = [...files].map((path) => relative(SOURCE, path).split("/")[0] ?? "").filter((room) => room !== "..");
  return { rooms: [...new Set(rooms)].sort(), packages: [...packages].sort() };
}

test("atomic --version and --help load neither the engine nor a client", async () => {
  expect(await loadedBy("cli/main.ts")).toEqual({ rooms: LIGHT_ROOMS, packages: ["commander"] });
});

test.each(["runs", "workflows"])("atomic %s list loads no client", async (name) => {
  const { rooms } = await loadedBy(`cli/commands/${name}-commands.ts`);
  expect(rooms).toEqual([...LIGHT_ROOMS, "discovery", "graph", "workflows"].sort());
});
