import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { dirname, extname, join, relative, resolve } from "node:path";

const SOURCE = resolve(import.meta.dirname, "..");
const LIGHT_ROOMS = ["cli", "contracts", "system", "view"];

interface Loaded {
  /** Relative to the sources. */
  readonly files: readonly string[];
  readonly rooms: readonly string[];
  readonly packages: readonly string[];
}

/** What a file loads before its first line runs: the files and rooms of Atomic, and the packages. */
async function loadedBy(file: string): Promise<Loaded> {
  const transpilers = { ".ts": new Bun.Transpiler({ loader: "ts" }), ".tsx": new Bun.Transpiler({ loader: "tsx" }) };
  const files = new Set([join(SOURCE, file)]);
  const packages = new Set<string>();
  // A set also iterates over what is added to it meanwhile.
  for (const path of files) {
    const extension = extname(path);
    if (extension !== ".ts" && extension !== ".tsx") continue;
    const imports = transpilers[extension].scanImports(await readFile(path, "utf8"));
    for (const { kind, path: specifier } of imports) {
      if (kind !== "import-statement" || specifier.startsWith("node:")) continue;
      if (specifier.startsWith(".")) files.add(resolve(dirname(path), specifier));
      else packages.add(specifier);
    }
  }
  const own = [...files].map((path) => relative(SOURCE, path)).sort();
  const rooms = own.map((path) => path.split("/")[0] ?? "").filter((room) => room !== "..");
  return { files: own, rooms: [...new Set(rooms)].sort(), packages: [...packages].sort() };
}

test("atomic --version and --help load neither the engine nor a client", async () => {
  expect(await loadedBy("cli/main.ts")).toMatchObject({ rooms: LIGHT_ROOMS, packages: [] });
  expect(await loadedBy("cli/program.ts")).toMatchObject({
    rooms: LIGHT_ROOMS.filter((room) => room !== "system"),
    packages: ["commander"],
  });
});

test("the chat's first frame waits neither for the engine, nor for agents, nor for a package besides the UI's", async () => {
  const { files, rooms, packages } = await loadedBy("cli/commands/chat-command.ts");
  expect({ rooms, packages }).toEqual({
    rooms: [...LIGHT_ROOMS, "clients", "discovery", "telemetry"].sort(),
    packages: [],
  });
  expect(files.filter((file) => /^(?:clients\/vendors\/|(?:clients|discovery)\/index\.ts)/.test(file))).toEqual([]);
});

test("the chat without a screen needs neither OpenTUI, whose native library may be missing, nor React", async () => {
  const { rooms, packages } = await loadedBy("tui/index.ts");
  expect({ rooms, packages }).toEqual({ rooms: ["contracts", "tui", "view"], packages: ["diff"] });
});

test.each(["runs", "workflows"])("atomic %s list loads no client", async (name) => {
  const { rooms } = await loadedBy(`cli/commands/${name}-commands.ts`);
  expect(rooms).toEqual([...LIGHT_ROOMS, "discovery", "graph", "workflows"].sort());
});

test.each(["runs-commands", "workflows-commands", "prompt-command"])(
  "%s loads no worktrees, and nothing of the review but its metadata",
  async (name) => {
    const { files } = await loadedBy(`cli/commands/${name}.ts`);
    expect(files.filter((file) => /^workflows\/(?:review|worktrees)\//.test(file))).toEqual([
      "workflows/review/finding.ts",
      "workflows/review/review-metadata.ts",
      "workflows/review/reviewers.ts",
    ]);
  },
);
