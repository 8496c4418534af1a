import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

const REPOSITORY = join(import.meta.dirname, "..");

/** The packages' entry points, whose lists of exports are written by hand. */
const ENTRY_POINTS = [
  "src/index.ts",
  "src/graph/index.ts",
  "src/workflows/index.ts",
  "src/discovery/plugin.ts",
  "src/testkit/index.ts",
  "src/cli/tui.ts",
];

/** The possible verdicts of a row. */
const VERDICT = /^(?:same|renamed|differs: .+)(?:: .+)?$/;

interface Row {
  readonly name: string;
  readonly where: string;
  readonly verdict: string;
}

async function readRows(): Promise<readonly Row[]> {
  const document = await readFile(join(REPOSITORY, "docs/design-documents.md"), "utf8");
  const rows = [...document.matchAll(/^\| (.+?) \| (.+?) \| (.+?) \|$/gm)];
  return rows.flatMap(([, name = "", where = "", verdict = ""]) => (name === "---" ? [] : [{ name, where, verdict }]));
}

async function readExports(): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  for (const path of ENTRY_POINTS) {
    const source = await readFile(join(REPOSITORY, path), "utf8");
    for (const [, list = ""] of source.matchAll(/export (?:type )?\{([^}]*)\}/g)) {
      for (const entry of list.split(",")) {
        const name = entry
          .trim()
          .replace(/^type /, "")
          .split(" as ")
          .at(-1);
        if (name !== undefined && name !== "") names.add(name);
      }
    }
  }
  return names;
}

/** The code in backticks in a row's middle column. */
function codeIn(where: string): readonly string[] {
  return [...where.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);
}

test("the table of the design documents names only what is exported", async () => {
  const [rows, exported] = await Promise.all([readRows(), readExports()]);
  const names = rows.flatMap(({ where }) => codeIn(where)).filter((code) => /^[A-Za-z_]\w*(?:\.\w+)?$/.test(code));
  expect(names.length).toBeGreaterThan(300);
  expect(
    names.filter((name) => !exported.has(name.split(".")[0] ?? "") && !existsSync(join(REPOSITORY, name))),
  ).toEqual([]);
});

test("members that it names are in the code of their owners", async () => {
  const rows = await readRows();
  const members = new Set(
    rows.flatMap(({ where }) => codeIn(where)).filter((code) => /^[A-Za-z_]\w*\.[a-z]\w*$/.test(code)),
  );
  const sources = await Promise.all(
    [...new Bun.Glob("src/**/*.ts").scanSync(REPOSITORY)]
      .filter((path) => !path.endsWith(".test.ts"))
      .map((path) => readFile(join(REPOSITORY, path), "utf8")),
  );
  const missing = [...members].filter((code) => {
    const [owner = "", member = ""] = code.split(".");
    if (existsSync(join(REPOSITORY, code))) return false;
    const declares = new RegExp(`^export (?:abstract )?(?:class|interface|type|const) ${owner}\\b`, "m");
    const source = sources.filter((text) => declares.test(text)).join("\n");
    return !new RegExp(`\\b${member}\\??[(:<]`).test(source) && !new RegExp(`get ${member}\\b`).test(source);
  });
  expect(missing).toEqual([]);
});

test("it names only files that exist", async () => {
  const rows = await readRows();
  const paths = rows.flatMap(({ where }) => codeIn(where)).filter((code) => /^src\/[\w./-]+\.tsx?$/.test(code));
  expect(paths.length).toBeGreaterThan(0);
  expect(paths.filter((path) => !existsSync(join(REPOSITORY, path)))).toEqual([]);
});

test("each row says whether the name is the same, renamed or different", async () => {
  const rows = (await readRows()).filter(({ name }) => name !== "in the document");
  expect(rows.length).toBeGreaterThan(500);
  expect(rows.filter(({ verdict }) => !VERDICT.test(verdict))).toEqual([]);
  expect(rows.filter(({ where, verdict }) => where === "–" && verdict === "renamed")).toEqual([]);
});
