import { readdir, readFile } from "node:fs/promises";
import { join, normalize } from "node:path";
import { nameOf, nodesOf, parseSource, type SyntaxNode, visitTree } from "./syntax-tree.ts";

/** Where a name is declared. */
export interface DeclarationPlace {
  /** Relative to the folder of the declarations. */
  readonly file: string;
  readonly name: string;
}

/** What a file of declarations says about a name. */
export interface Declaration extends DeclarationPlace {
  /** The declaration without comments and `export`; all overloads of a function. */
  readonly text: string;
  /** The first paragraph of its documentation, without marks. Empty when there is none. */
  readonly summary: string;
  /** The names that it mentions; some are its own, or global. */
  readonly mentions: ReadonlySet<string>;
}

/** A file of declarations: what it declares, and where its other names come from. */
interface DeclarationFile {
  readonly declared: ReadonlyMap<string, Declaration>;
  readonly imported: ReadonlyMap<string, DeclarationPlace>;
  /** The local names of what it exports. */
  readonly exported: ReadonlyMap<string, string>;
}

/** The declarations that `bundleTypes` has written into a folder. */
export class DeclarationFiles {
  readonly #files: ReadonlyMap<string, DeclarationFile>;

  private constructor(files: ReadonlyMap<string, DeclarationFile>) {
    this.#files = files;
  }

  static async read(folder: string): Promise<DeclarationFiles> {
    const paths = (await readdir(folder, { recursive: true })).filter((path) => path.endsWith(".d.ts"));
    const files = paths.map(
      async (path) => [path, parseFile(path, await readFile(join(folder, path), "utf8"))] as const,
    );
    return new DeclarationFiles(new Map(await Promise.all(files)));
  }

  /** What a file exports, by the exported name, in the order of the alphabet. */
  exportsOf(file: string): ReadonlyMap<string, Declaration> {
    const names = [...(this.#files.get(file)?.exported ?? [])].toSorted(([left], [right]) => compareNames(left, right));
    return new Map(
      names.map(([name, local]) => {
        const declaration = this.#find({ file, name: local });
        if (declaration === undefined) throw new Error(`${file} exports ${name}, which no file declares.`);
        return [name, declaration];
      }),
    );
  }

  /** The declarations that a declaration mentions. */
  mentionedBy({ file, name, mentions }: Declaration): readonly Declaration[] {
    const others = [...mentions].filter((other) => other !== name);
    return others.flatMap((other) => this.#find({ file, name: other }) ?? []);
  }

  #find({ file, name }: DeclarationPlace): Declaration | undefined {
    const { declared, imported, exported } = this.#files.get(file) ?? {};
    const place = imported?.get(name);
    if (place !== undefined) return this.#find(place);
    const local = exported?.get(name) ?? name;
    return declared?.get(local) ?? declared?.get(name);
  }
}

/** Compares as every machine does, whatever its language: letters first, without their case. */
export function compareNames(left: string, right: string): number {
  const [lower, otherLower] = [left.toLowerCase(), right.toLowerCase()];
  if (lower !== otherLower) return lower < otherLower ? -1 : 1;
  return left < right ? -1 : left > right ? 1 : 0;
}

function parseFile(path: string, text: string): DeclarationFile {
  const { program, comments } = parseSource(path, text);
  const declared = new Map<string, Declaration>();
  const imported = new Map<string, DeclarationPlace>();
  const exported = new Map<string, string>();
  let previousEnd = 0;
  for (const statement of nodesOf(program.body)) {
    if (statement.type === "ImportDeclaration") readImport(path, statement, imported);
    for (const specifier of statement.type === "ImportDeclaration" ? [] : nodesOf(statement.specifiers)) {
      exported.set(nameOf(specifier.exported) ?? "", nameOf(specifier.local) ?? "");
    }
    const [node = statement] = nodesOf(statement.declaration);
    const documentation = comments.findLast(({ start }) => start >= previousEnd && start < statement.start);
    for (const name of declaredNames(node)) {
      if (node !== statement) exported.set(name, name);
      const before = declared.get(name);
      const own = { text: withoutComments(text, node, comments), mentions: mentionsOf(node) };
      declared.set(name, {
        ...{ file: path, name, summary: before?.summary ?? summaryOf(documentation?.text ?? "") },
        text: before === undefined ? own.text : `${before.text}\n${own.text}`,
        mentions: new Set([...(before?.mentions ?? []), ...own.mentions]),
      });
    }
    previousEnd = statement.end;
  }
  return { declared, imported, exported };
}

/** Adds the names of an import of another file of declarations. */
function readImport(path: string, statement: SyntaxNode, imported: Map<string, DeclarationPlace>): void {
  const [source] = nodesOf(statement.source);
  const from = nameOf(source) ?? "";
  if (!from.startsWith(".")) return;
  const file = normalize(join(path, "..", from)).replace(/\.js$/, ".d.ts");
  for (const specifier of nodesOf(statement.specifiers)) {
    const local = nameOf(specifier.local) ?? "";
    imported.set(local, { file, name: nameOf(specifier.imported) ?? local });
  }
}

function declaredNames(node: SyntaxNode): readonly string[] {
  const named = node.type === "VariableDeclaration" ? nodesOf(node.declarations) : [node];
  return named.flatMap(({ id }) => nameOf(id) ?? []);
}

function mentionsOf(node: SyntaxNode): ReadonlySet<string> {
  const names = new Set<string>();
  visitTree(node, ({ type, name }) => {
    if (type === "Identifier" && typeof name === "string") names.add(name);
  });
  return names;
}

function withoutComments(
  text: string,
  { start, end }: SyntaxNode,
  comments: readonly { readonly start: number; readonly text: string }[],
): string {
  const inside = comments.filter((comment) => comment.start >= start && comment.start < end);
  const bare = inside.reduceRight(
    (rest, comment) => {
      const from = comment.start - start;
      return `${rest.slice(0, from)}${rest.slice(from + comment.text.length)}`;
    },
    text.slice(start, end),
  );
  const lines = bare.split("\n").filter((line) => line.trim() !== "");
  return lines.join("\n").replace(/^declare /, "");
}

/** The first paragraph of a documentation comment, on one line. */
function summaryOf(comment: string): string {
  const [first = ""] = comment
    .replace(/\*\/\s*$/, "")
    .trim()
    .split(/\n\s*\n|\n\s*@/);
  return first
    .replace(/\s+/g, " ")
    .replace(/\{@link (\w+)(?:[ |][^}]*)?\}/g, "`$1`")
    .trim();
}
