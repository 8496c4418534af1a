import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { bundleTypes } from "./bundle-types.ts";
import type { CheckOutcome } from "./check-outcome.ts";
import { compareNames, type Declaration, DeclarationFiles } from "./declaration-files.ts";
import { type EntryPoint, listEntryPoints } from "./entry-points.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";

/** Where the reports are, relative to the repository. */
export const API_FOLDER = "docs/api";

/** Writes down what each entry point exports: a page of Markdown for each, by its path relative to the repository. */
export async function reportApi(): Promise<ReadonlyMap<string, string>> {
  await using folder = await createTemporaryFolder();
  await bundleTypes(folder.path);
  const files = await DeclarationFiles.read(folder.path);
  const points = listEntryPoints().map((point) => ({ point, exports: files.exportsOf(`${point.path}.d.ts`) }));
  const exported = new Set(points.flatMap(({ exports }) => [...exports.values()]));
  return new Map(
    points.map(({ point, exports }) => {
      const path = join(API_FOLDER, `${basename(point.name)}.md`);
      return [path, formatReport(point, { exports, inner: findInner([...exports.values()], { files, exported }) })];
    }),
  );
}

/** Compares the reports in a repository with what is exported. */
export async function checkApiOf(root: string): Promise<CheckOutcome> {
  const reports = await reportApi();
  const problems = await Promise.all(
    [...reports].map(async ([path, report]) => {
      const known = await readFile(join(root, path), "utf8").catch(() => "");
      return known === report ? [] : [describeDifference(path, { known, report })];
    }),
  );
  const pages = await readdir(join(root, API_FOLDER)).catch(() => []);
  const left = pages.map((page) => join(API_FOLDER, page)).filter((page) => !reports.has(page));
  return { problems: [...problems.flat(), ...left.map((page) => `${page}: there is no such entry point. Remove it.`)] };
}

/** Says where a report begins to differ. */
export function describeDifference(
  path: string,
  { known, report }: { readonly known: string; readonly report: string },
): string {
  const [before, after] = [known.split("\n"), report.split("\n")];
  const index = after.findIndex((line, at) => line !== before[at]);
  const at = index === -1 ? after.length : index;
  const shown = [before[at], after[at]].map((line) => (line === undefined ? "the end" : JSON.stringify(line)));
  return `${path}:${at + 1} api: the report has ${shown[0]}, and the declarations have ${shown[1]}. If the change is meant, run npm run api and commit the report.`;
}

/** The declarations without an export that those of an entry point need, in the order of their names. */
function findInner(
  declarations: readonly Declaration[],
  { files, exported }: { readonly files: DeclarationFiles; readonly exported: ReadonlySet<Declaration> },
): readonly Declaration[] {
  const found = new Set<Declaration>();
  const queue = [...declarations];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    for (const mentioned of files.mentionedBy(next)) {
      if (exported.has(mentioned) || found.has(mentioned)) continue;
      found.add(mentioned);
      queue.push(mentioned);
    }
  }
  return [...found].toSorted((left, right) => compareNames(left.name, right.name));
}

function formatReport(
  { name }: EntryPoint,
  { exports, inner }: { readonly exports: ReadonlyMap<string, Declaration>; readonly inner: readonly Declaration[] },
): string {
  const sections = [...exports].map(([exportedName, declaration]) => formatSection(exportedName, declaration));
  return [
    `# ${name}\n`,
    `What \`import { … } from "${name}"\` can name: ${exports.size} exports. \`npm run api\` makes this page from the declarations.\n`,
    ...sections,
    ...(inner.length === 0 ? [] : ["## Without a name of their own\n\nThe declarations above mention these.\n"]),
    ...inner.map((declaration) => formatSection(declaration.name, declaration)),
  ].join("\n");
}

function formatSection(name: string, { text, summary }: Declaration): string {
  return `### \`${name}\`\n${summary === "" ? "" : `\n${summary}\n`}\n\`\`\`ts\n${text}\n\`\`\`\n`;
}
