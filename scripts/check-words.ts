import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import type { CheckOutcome } from "./check-outcome.ts";
import { literalText, nameOf, nodesOf, parseSource, type SyntaxNode, visitTree } from "./syntax-tree.ts";
import { blankQuoted, findWords, WORD_TABLE, type WordTable, type WordViolation } from "./word-rules.ts";

const DOCUMENTS = ["README.md", "CONTRIBUTING.md", "AGENTS.md", "ARCHITECTURE.md"] as const;
const SOURCE_FOLDERS = ["src", "scripts", "bench"] as const;

/** A document or a source file. */
interface CheckedFile {
  readonly path: string;
  readonly text: string;
}

/** A piece of a source file that people read. */
interface SourceText {
  /** Offset of its first character. */
  readonly start: number;
  readonly text: string;
}

/** Checks the documents of a repository, and the texts, comments and test titles of its code, for words that are not used. */
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
  const violations = path.endsWith(".md") ? findWords(blankQuoted(text), words) : findWordsInSource(path, text, words);
  return violations.map(({ line, found, instead }) => `${path}:${line} words: "${found}". Write instead: ${instead}.`);
}

/**
 * The words in a source file's comments and texts. A text is a string literal of several words or a part of a template; of
 * a test, only the titles count, because its other texts are data.
 */
function findWordsInSource(path: string, text: string, words: WordTable["words"]): readonly WordViolation[] {
  const { program, comments, lineOf } = parseSource(path, text);
  const texts: SyntaxNode[] = [];
  visitTree(program, (node) => texts.push(...(isTest(path) ? titlesOf(node) : [node])));
  return [...comments.map((comment) => ({ ...comment, text: blankQuoted(comment.text) })), ...texts.map(readText)]
    .flatMap(({ start, text }) => findWords(text, words).map((violation) => ({ ...violation, start })))
    .sort((one, other) => one.start - other.start)
    .map(({ start, ...violation }) => ({ ...violation, line: lineOf(start) + violation.line - 1 }));
}

function isTest(path: string): boolean {
  return /\.(?:test|agents|soak|attack|conformance)\.ts$/.test(path);
}

/** The first arguments of calls such as `test("…")` and `describe.each(…)("…")`, and the fields named `title`. */
function titlesOf(node: SyntaxNode): readonly SyntaxNode[] {
  if (node.type === "Property" && nameOf(node.key) === "title") return nodesOf(node.value);
  if (node.type !== "CallExpression" || !["test", "describe", "it"].includes(calledName(node.callee) ?? "")) return [];
  const [title] = nodesOf(node.arguments);
  return title?.type === "TemplateLiteral" ? nodesOf(title.quasis) : nodesOf(title);
}

/** The name that a call such as `test.each(rows)("title")` begins with. */
function calledName(callee: unknown): string | undefined {
  const [node] = nodesOf(callee);
  if (node?.type === "MemberExpression") return calledName(node.object);
  return node?.type === "CallExpression" ? calledName(node.callee) : nameOf(node);
}

function readText(node: SyntaxNode): SourceText {
  return { start: node.start, text: textOf(node) };
}

function textOf(node: SyntaxNode): string {
  if (node.type === "TemplateElement" && typeof node.value === "object" && node.value !== null) {
    return "raw" in node.value && typeof node.value.raw === "string" ? node.value.raw : "";
  }
  const literal = literalText(node) ?? "";
  return literal.includes(" ") ? literal : "";
}

async function listCheckedFiles(root: string): Promise<readonly string[]> {
  const documents = await list(join(root, "docs"), ".md");
  const sources = await Promise.all(SOURCE_FOLDERS.map((folder) => list(join(root, folder), ".ts")));
  return [...DOCUMENTS, ...[documents, ...sources].flat().map((path) => relative(root, path))];
}

async function list(folder: string, ending: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending) && !entry.parentPath.includes("node_modules"))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

async function readChecked(root: string, path: string): Promise<CheckedFile> {
  return { path, text: await readFile(join(root, path), "utf8") };
}
