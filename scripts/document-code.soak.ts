import { expect, test } from "bun:test";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parse as parseYaml } from "yaml";
import { parseConfig } from "../src/cli/config/config.ts";
import { compileScript } from "../src/graph/index.ts";
import { type Fence, readFences } from "./command-blocks.ts";
import { readDocument } from "./document-reader.ts";

const ROOT = join(import.meta.dirname, "..");

interface DocumentFence extends Fence {
  /** `docs/graph.md:12`. */
  readonly place: string;
}

async function readAll(): Promise<readonly DocumentFence[]> {
  const pages = (await readdir(join(ROOT, "docs"))).filter((name) => name.endsWith(".md"));
  const documents = ["README.md", ...pages.toSorted().map((name) => `docs/${name}`)];
  const fences = documents.map(async (document) =>
    readFences(await readDocument(document)).map((fence) => ({ place: `${document}:${fence.line}`, ...fence })),
  );
  return (await Promise.all(fences)).flat();
}

const FENCES = await readAll();

function fencesOf(...languages: readonly string[]): readonly DocumentFence[] {
  return FENCES.filter(({ language }) => languages.includes(language));
}

/** Of the blocks that cannot be read, the place and why. */
async function problemsOf(
  fences: readonly DocumentFence[],
  read: (fence: DocumentFence) => unknown,
): Promise<readonly string[]> {
  expect(fences).not.toEqual([]);
  const problems = fences.map(async (fence) => {
    try {
      await read(fence);
      return [];
    } catch (error) {
      return [`${fence.place}: ${error instanceof Error ? error.message : String(error)}`];
    }
  });
  return (await Promise.all(problems)).flat();
}

test("JSON and YAML can be parsed", async () => {
  expect(await problemsOf(fencesOf("json"), ({ text }) => JSON.parse(text))).toEqual([]);
  expect(await problemsOf(fencesOf("yaml", "yml"), ({ text }) => parseYaml(text))).toEqual([]);
});

test("JSON with comments is settings that Atomic accepts", async () => {
  expect(await problemsOf(fencesOf("jsonc"), ({ text, place }) => parseConfig(text, place))).toEqual([]);
});

const isScript = ({ text }: Fence): boolean => /^(?:\/\/ .*\n)?export const meta\b/.test(text);

test("JavaScript and TypeScript have no syntax error, and the texts of scripts can be compiled", async () => {
  const transpiler = new Bun.Transpiler({ loader: "ts" });
  const all = fencesOf("js", "ts", "tsx");
  const [scripts, others] = [all.filter(isScript), all.filter((fence) => !isScript(fence))];
  expect(await problemsOf(scripts, ({ text }) => compileScript({ path: "audit.js", text }))).toEqual([]);
  expect(await problemsOf(others, ({ text }) => transpiler.transformSync(text))).toEqual([]);
});

test("the programs, which begin with their imports, have the right types", async () => {
  const programs = fencesOf("ts").filter(({ text }) => /^(?:\/\/ .*\n)?import /.test(text));
  // Inside the repository, so that the package's own name resolves.
  const folder = await mkdtemp(join(ROOT, "node_modules", ".document-code-"));
  try {
    const nameOf = ({ place }: DocumentFence): string => `${place.replaceAll(/\W/g, "-")}.ts`;
    await writeFile(
      join(folder, "tsconfig.json"),
      JSON.stringify({
        extends: "../../tsconfig.json",
        // What a program ends with is not used any more.
        compilerOptions: { noUnusedLocals: false },
        include: ["*.ts"],
        exclude: [],
      }),
    );
    for (const program of programs) await writeFile(join(folder, nameOf(program)), program.text);
    const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
    const child = Bun.spawn(["node", compiler, "--project", folder, "--pretty", "false"], {
      cwd: folder,
      stdout: "pipe",
    });
    expect(await child.stdout.text()).toBe("");
    expect(programs.length).toBeGreaterThan(40);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}, 120_000);
