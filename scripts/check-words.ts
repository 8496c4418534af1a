import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { CheckOutcome } from "./check-outcome.ts";
import { literalText, parseSource, type SyntaxNode, visitTree } from "./syntax-tree.ts";
import { blankQuoted, findWords, WORD_TABLE, type WordTable, type WordViolation } from "./word-rules.ts";

const DOCUMENTS = ["README.md", "CONTRIBUTING.md", "AGENTS.md", "ARCHITECTURE.md"] as const;

/** A file that people read, or whose texts they read. */
interface CheckedFile {
  readonly path: string;
  readonly text: string;
}

/** Checks the documents of a repository and the help of its program for words that are not used. */
export async function checkWordsOf(root: string, table: WordTable = WORD_TABLE): Promise<CheckOutcome> {
  const files = await Promise.all((await listCheckedFiles(root)).map((path) => readChecked(root, path)));
  const known = new Set(files.map(({ path }) => path));
  const gone = table.notYet.filter((path) => !known.has(path));
  return {
    problems: [
      ...gone.map((path) => `scripts/words.json notYet: "${path}" is not a checked file. Remove it from the list.`),
      ...files.filter(({ path }) => !table.notYet.includes(path)).flatMap((file) => checkWords(file, table)),
    ],
  };
}

/** Checks a Markdown document, or the texts of a source file. */
export function checkWords({ path, text }: CheckedFile, { words }: WordTable = WORD_TABLE): readonly string[] {
  const violations = path.endsWith(".md") ? findWords(blankQuoted(text), words) : findWordsInSource(path, text, words);
  return violations.map(({ line, found, instead }) => `${path}:${line} words: "${found}". Write instead: ${instead}.`);
}

/** The texts of a program: every string literal of several words, and every part of a template. */
function findWordsInSource(path: string, text: string, words: WordTable["words"]): readonly WordViolation[] {
  const violations: WordViolation[] = [];
  const { program, lineOf } = parseSource(path, text);
  visitTree(program, (node) => {
    const firstLine = lineOf(node.start);
    for (const violation of findWords(textOf(node), words)) {
      violations.push({ ...violation, line: firstLine + violation.line - 1 });
    }
  });
  return violations;
}

function textOf(node: SyntaxNode): string {
  if (node.type === "TemplateElement" && typeof node.value === "object" && node.value !== null) {
    return "raw" in node.value && typeof node.value.raw === "string" ? node.value.raw : "";
  }
  const literal = literalText(node) ?? "";
  return literal.includes(" ") ? literal : "";
}

async function listCheckedFiles(root: string): Promise<readonly string[]> {
  const [documents, programs] = await Promise.all([
    list(root, "docs", /\.md$/),
    list(root, "src/cli", /program.*\.ts$/),
  ]);
  return [...DOCUMENTS, ...documents, ...programs.filter((path) => !basename(path).includes(".test."))];
}

async function list(root: string, folder: string, pattern: RegExp): Promise<readonly string[]> {
  const names = await readdir(join(root, folder));
  return names
    .filter((name) => pattern.test(name))
    .sort()
    .map((name) => `${folder}/${name}`);
}

async function readChecked(root: string, path: string): Promise<CheckedFile> {
  return { path, text: await readFile(join(root, path), "utf8") };
}
