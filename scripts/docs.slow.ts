import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { projectEntityFolders, userEntityFolders } from "../src/discovery/entities/entity-folders.ts";
import { BUILT_IN_ENTITIES } from "../src/discovery/index.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const DOCUMENTS = [
  "docs/graph.md",
  "docs/definitions.md",
  "docs/review.md",
  "docs/ralph.md",
  "docs/atomic.md",
] as const;

/** A program in a document, and its documented output. */
interface Example {
  readonly title: string;
  readonly code: string;
  readonly output: string;
}

function readExamples(text: string): readonly Example[] {
  const examples: Example[] = [];
  let title = "";
  for (const match of text.matchAll(/^## (.+)$|^```ts\n([\s\S]*?)^```$/gm)) {
    if (match[1] !== undefined) title = match[1];
    const code = match[2];
    if (code === undefined) continue;
    const printed = [...code.matchAll(/^\/\/ → ?(.*)$/gm)].map((line) => line[1]);
    examples.push({ title: `${title} (${examples.length + 1})`, code, output: printed.join("\n") });
  }
  return examples;
}

let folder: string;

beforeAll(async () => {
  // Inside the repository, so that the package's own name resolves.
  folder = await mkdtemp(join(ROOT, "node_modules", ".docs-"));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

for (const document of DOCUMENTS) {
  const examples = readExamples(await readFile(join(ROOT, document), "utf8"));

  test(`${document} has examples, and each says what it prints`, () => {
    expect(examples.length).toBeGreaterThan(0);
    expect(examples.filter(({ output }) => output === "").map(({ title }) => title)).toEqual([]);
  });

  test.each(examples.map((example) => [example.title, example] as const))(
    `${document}: %s prints what it says`,
    async (_title, { title, code, output }) => {
      const file = join(folder, `${title.replaceAll(/\W+/g, "-")}.ts`);
      await writeFile(file, code);
      const child = Bun.spawn([process.execPath, file], {
        cwd: folder,
        stdout: "pipe",
        stderr: "pipe",
        env: { NO_COLOR: "1" },
      });
      const [stdout, stderr] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
      ]);
      expect({ stdout: normalise(stdout), stderr }).toEqual({ stdout: normalise(output), stderr: "" });
    },
  );
}

test("docs/definitions.md names every folder of definitions, and every built-in one", async () => {
  const text = await readFile(join(ROOT, "docs/definitions.md"), "utf8");
  const project = projectEntityFolders("").map(
    ({ path, endings }) => `\`${path}${endings[0] === "/SKILL.md" ? "/*/SKILL.md" : `/*${endings[0]}`}\``,
  );
  // The folders that contain those of the types.
  const user = userEntityFolders({ homeDirectory: "~" }).map(({ path }) => `\`${path.replace(/\/[a-z]+$/, "")}`);
  const builtIn = BUILT_IN_ENTITIES.map(({ name }) => `\`${name}\``);
  expect([...project, ...user, ...builtIn].filter((name) => !text.includes(name))).toEqual([]);
});

/** Bun breaks long lists over several lines; a document does not. */
function normalise(text: string): string {
  return text
    .trim()
    .replaceAll(/([[{])\s+/g, "$1 ")
    .replaceAll(/,?\s+([\]}])/g, " $1")
    .replaceAll(/,\s+/g, ", ")
    .replaceAll(/ +$/gm, "");
}
