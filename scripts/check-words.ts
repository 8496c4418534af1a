import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import type { CheckOutcome } from "./check-outcome.ts";
import {
  literalText,
  nameOf,
  nodesOf,
  parseSource,
  type SourceComment,
  type SyntaxNode,
  visitTree,
} from "./syntax-tree.ts";
import { blank, blankQuoted, findWords, WORD_TABLE, type WordTable } from "./word-rules.ts";

const DOCUMENTS = ["README.md", "CONTRIBUTING.md", "AGENTS.md", "ARCHITECTURE.md"] as const;
const SOURCE_FOLDERS = ["src", "scripts", "bench", "examples", "bin"] as const;
/** An escape in a literal, such as `\n` or `\u{1F600}`. */
const ESCAPE = /\\(?:u\{[^}]*\}|u[\da-f]{4}|x[\da-f]{2}|[\s\S])/gi;

/** A document or a source file. */
interface CheckedFile {
  readonly path: string;
  readonly text: string;
}

/** A text of a source file. */
interface SourceText {
  /** Offset of its first character. */
  readonly start: number;
  readonly text: string;
}

/** Checks the documents of a repository, and the texts, comments and test titles of its code, for words to avoid. */
export async function checkWordsOf(root: string, table: WordTable = WORD_TABLE): Promise<CheckOutcome> {
  const files = await Promise.all((await listCheckedFiles(root)).map((path) => readChecked(root, path)));
  const isIn = (path: string) => (place: string) => path === place || path.startsWith(`${place}/`);
  const gone = table.notYet.filter((place) => !files.some(({ path }) => isIn(path)(place)));
  return {
    problems: [
      ...gone.map((path) => `scripts/words.json notYet: "${path}" has no checked file. Remove it from the list.`),
      ...files.filter(({ path }) => !table.notYet.some(isIn(path))).flatMap((file) => checkWords(file, table)),
    ],
  };
}

/** Checks a Markdown document or a source file. */
export function checkWords({ path, text }: CheckedFile, { words }: WordTable = WORD_TABLE): readonly string[] {
  const checked = path.endsWith(".md") ? blankQuoted(text) : blankCode(path, text);
  return findWords(checked, words).map(
    ({ line, found, instead }) => `${path}:${line} words: "${found}". Write instead: ${instead}.`,
  );
}

/**
 * Blanks everything in a source file but its comments and texts, so that every line keeps its place. A text is a string
 * literal of several words or a template; of a test, only the titles count, because its other texts are data.
 */
function blankCode(path: string, source: string): string {
  const { program, comments } = parseSource(path, source);
  const nodes: SyntaxNode[] = [];
  visitTree(program, (node) => nodes.push(...(isTest(path) ? titlesOf(node) : [node])));
  const readable = blank(source).split("");
  // A template comes before the texts of its expressions, which fill the gaps in it.
  const texts = nodes.flatMap((node) => readText(node, source));
  for (const { start, text } of [...texts, ...joinLineComments(comments, source)]) {
    blankQuoted(text)
      .split("")
      .forEach((character, index) => {
        readable[start + index] = character;
      });
  }
  return readable.join("");
}

/** Joins `//` comments of consecutive lines, because a sentence may continue on the next line. Their first mark is left out. */
function joinLineComments(comments: readonly SourceComment[], source: string): readonly SourceText[] {
  const joined: SourceText[] = [];
  for (const { start, text } of comments) {
    const last = joined.at(-1);
    const gap = last === undefined ? "" : source.slice(last.start + last.text.length, start);
    const continues = last !== undefined && /^\n[ \t]*$/.test(gap) && source.startsWith("//", start);
    if (continues) joined.splice(-1, 1, { start: last.start, text: `${last.text}${gap}${text}` });
    else joined.push({ start: start + 2, text: text.slice(2) });
  }
  return joined;
}

function isTest(path: string): boolean {
  return /\.(?:test|agents|slow|soak|attack|conformance)\.tsx?$/.test(path);
}

/** The first arguments of calls such as `test("…")` and `describe.each(…)("…")`, and the fields named `title`. */
function titlesOf(node: SyntaxNode): readonly SyntaxNode[] {
  if (node.type === "Property" && nameOf(node.key) === "title") return nodesOf(node.value);
  if (node.type !== "CallExpression" || !["test", "describe", "it"].includes(calledName(node.callee) ?? "")) return [];
  return nodesOf(node.arguments).slice(0, 1);
}

/** The name that a call such as `test.each(rows)("title")` begins with. */
function calledName(callee: unknown): string | undefined {
  const [node] = nodesOf(callee);
  if (node?.type === "MemberExpression") return calledName(node.object);
  return node?.type === "CallExpression" ? calledName(node.callee) : nameOf(node);
}

/** The text of a string literal or a template, with escapes and expressions blanked; nothing for other nodes. */
function readText(node: SyntaxNode, source: string): readonly SourceText[] {
  const isText = node.type === "Literal" && literalText(node)?.includes(" ") === true;
  if (!isText && node.type !== "TemplateLiteral") return [];
  const start = node.start + 1;
  const text = nodesOf(node.expressions).reduce(
    (rest, { start: from, end }) =>
      `${rest.slice(0, from - start)}${blank(rest.slice(from - start, end - start))}${rest.slice(end - start)}`,
    source.slice(start, node.end - 1),
  );
  return [{ start, text: text.replace(ESCAPE, (sequence) => sequence.replace(/[^\n"`]/g, " ")) }];
}

async function listCheckedFiles(root: string): Promise<readonly string[]> {
  const documents = await list(join(root, "docs"), [".md"]);
  const sources = await Promise.all(SOURCE_FOLDERS.map((folder) => list(join(root, folder), [".ts", ".tsx", ".mjs"])));
  return [...DOCUMENTS, ...[documents, ...sources].flat().map((path) => relative(root, path))];
}

async function list(folder: string, endings: readonly string[]): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile() && endings.some((ending) => entry.name.endsWith(ending)))
    .filter(({ parentPath }) => !parentPath.slice(folder.length).includes("node_modules"))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

async function readChecked(root: string, path: string): Promise<CheckedFile> {
  return { path, text: await readFile(join(root, path), "utf8") };
}
