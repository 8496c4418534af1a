import { isRecord, isToolWord } from "../../contracts/index.ts";
import { isListOfTools, isOwnField, plainKey, usualFieldName } from "./definition-fields.ts";
import { findForeignHead } from "./find-foreign-head.ts";
import { findMisplacedHead } from "./find-misplaced-head.ts";

/** The head and the rest of a Markdown file. */
export interface Frontmatter {
  /** Empty where there is no frontmatter. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly body: string;
  readonly hasFrontmatter: boolean;
  readonly problems: readonly FrontmatterProblem[];
}

/** What is wrong with a file's head. */
export interface FrontmatterProblem {
  /** Counted from 1, in the file. */
  readonly line: number;
  readonly message: string;
  /** The fields that were not read, or perhaps not as their author meant them. @default none */
  readonly fields?: readonly string[];
}

/** Parses YAML 1.2. @throws for text that is not YAML */
export type ParseYaml = (text: string) => unknown;

/**
 * Reads a file's frontmatter as tolerantly as the most tolerant vendor. Text that is no YAML, such as a description with
 * an unquoted colon, is read field by field; a missing end is found before the first line that cannot belong to the head.
 * Pure, never throws.
 */
export function parseFrontmatter(text: string, parseYaml: ParseYaml): Frontmatter {
  const source = text.replace(/^\ufeff/, "").replace(/\r(?!\n)/g, "\n");
  const lines = source.split("\n");
  const start = lines.findIndex((line) => line.trim() !== "");
  if (start === -1 || !isFence(lines[start] ?? "")) return withoutHead(source);
  const end = lines.findIndex((line, index) => index > start && /^-{3,}[ \t]*\r?$/.test(line));
  const isClosed = end !== -1;
  const headEnd = isClosed ? end : findHeadEnd(lines, start + 1);
  const head = lines.slice(start + 1, headEnd).map(withoutReturn);
  const { fields, problems } = parseHead(head, { firstLine: start + 2, parseYaml: bounded(parseYaml) });
  if (!isClosed && Object.keys(fields).length === 0) return withoutHead(source);
  const wrongEnd = isClosed ? wrongFence(lines[end] ?? "", end) : missingEnd(lines, { start, headEnd });
  const bodyStart = isClosed ? end + 1 : headEnd;
  const body = lines.slice(bodyStart).join("\n");
  const unread = [...unreadLists(head, start + 2, fields), ...(isClosed ? secondHead(body, bodyStart, fields) : [])];
  return { fields, body, hasFrontmatter: true, problems: someOf([...wrongEnd, ...problems, ...unread]) };
}

/** How many problems of one head are reported. */
const MAX_PROBLEMS = 20;

/** Of many problems, those that hide a limit of tools come first: they make the definition unusable. */
function someOf(problems: readonly FrontmatterProblem[]): readonly FrontmatterProblem[] {
  if (problems.length <= MAX_PROBLEMS) return problems;
  const hidesLimit = ({ fields = [] }: FrontmatterProblem): boolean => fields.some(isListOfTools);
  const others = problems.filter((problem) => !hidesLimit(problem));
  return [...problems.filter(hidesLimit), ...others].slice(0, MAX_PROBLEMS);
}

/** Lines of a head that are meant as lists of tools and have become none: `tools:Read`, `tools -> Read`, `**tools**: Read`. */
function unreadLists(head: readonly string[], firstLine: number, fields: Fields): readonly FrontmatterProblem[] {
  const present = namesOf(fields);
  return head.flatMap((line, at) => {
    if (/^[ \t]/.test(line)) return [];
    const name = listNamedIn(plainKey(line.replace(/^- *(?=\S)/, ""))) ?? "";
    if (!isListOfTools(name) || present.has(usualFieldName(name))) return [];
    const message = `The field "${name}" cannot be read. Write it as in: ${name}: Read, Grep`;
    return [{ line: firstLine + at, message, fields: [name] }];
  });
}

/** Also of a line such as `tools Read`, but not of a sentence about tools. */
function listNamedIn(line: string): string | undefined {
  const [, name, mark, value = ""] = /^([\w-]+)[ \t]*([:=：]|[-=]+>|→|[ \t])[ \t]*(\[?\w*)/.exec(line) ?? [];
  return mark?.trim() !== "" || /^\[/.test(value) || isToolWord(value) ? name : undefined;
}

/** A list of tools in a second frontmatter after the first one. */
function secondHead(body: string, bodyStart: number, fields: Fields): readonly FrontmatterProblem[] {
  const second = findMisplacedHead(body);
  const present = namesOf(fields);
  const unread = second?.fields.filter((name) => isListOfTools(name) && !present.has(usualFieldName(name))) ?? [];
  if (second === undefined || unread.length === 0) return [];
  const message = "These fields come after the frontmatter. Move them into it";
  return [{ line: bodyStart + second.line, message, fields: unread }];
}

type Fields = Readonly<Record<string, unknown>>;

/** The names of fields in their usual spelling. */
function namesOf(fields: Fields): ReadonlySet<string> {
  return new Set(Object.keys(fields).map((key) => usualFieldName(plainKey(key))));
}

/** Fields in another place than the frontmatter's are not read. */
function withoutHead(body: string): Frontmatter {
  const foreign = findForeignHead(body);
  const misplaced = foreign ?? findMisplacedHead(body);
  const message =
    foreign !== undefined
      ? `The frontmatter is in ${foreign.format}. Write the frontmatter in YAML`
      : 'These fields are no frontmatter: the file must begin with the line "---", and another one must end them';
  return {
    fields: {},
    body,
    hasFrontmatter: false,
    problems: misplaced === undefined ? [] : [{ line: misplaced.line, fields: misplaced.fields, message }],
  };
}

function wrongFence(line: string, index: number): readonly FrontmatterProblem[] {
  if (isFence(line)) return [];
  return [{ line: index + 1, message: 'The frontmatter ends with more than three dashes. Write "---"' }];
}

/** After a blank line, fields are no part of a head without an end. */
function missingEnd(
  lines: readonly string[],
  { start, headEnd }: { readonly start: number; readonly headEnd: number },
): readonly FrontmatterProblem[] {
  const names = lines.slice(headEnd).map((line) => FIELD.exec(withoutReturn(line))?.[1] ?? "");
  const fields = names.filter((name) => isOwnField(name));
  return [{ line: start + 1, message: 'The frontmatter has no end. Write a line with "---" after it', fields }];
}

/** A field by its name, also with underscores or in camel case. */
export function fieldOf(fields: Readonly<Record<string, unknown>>, name: string): unknown {
  const camel = name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  return fields[name] ?? fields[name.replaceAll("-", "_")] ?? fields[camel];
}

function isFence(line: string): boolean {
  return /^---[ \t]*\r?$/.test(line);
}

function withoutReturn(line: string): string {
  return line.replace(/\r$/, "");
}

const FIELD = /^([A-Za-z_][\w.-]*)[ \t]*:(?:[ \t]+(.*)|[ \t]*)$/;

/** The first line after a head without an end that is neither a field nor a part of one. */
function findHeadEnd(lines: readonly string[], from: number): number {
  const index = lines.findIndex((line, at) => {
    const text = withoutReturn(line);
    return at >= from && !FIELD.test(text) && !/^(?:[ \t]+\S|- |#)/.test(text);
  });
  return index === -1 ? lines.length : index;
}

interface ParsedHead {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly problems: readonly FrontmatterProblem[];
}

interface HeadOptions {
  readonly firstLine: number;
  readonly parseYaml: ParseYaml;
}

function parseHead(lines: readonly string[], options: HeadOptions): ParsedHead {
  const { firstLine, parseYaml } = options;
  const repeated = repeatedFields(lines, firstLine);
  const whole = tryParse(lines.join("\n"), parseYaml);
  if (whole === undefined) {
    const { fields, problems } = parseByField(lines, options);
    return { fields, problems: [...repeated, ...problems] };
  }
  if (isRecord(whole.value)) return { fields: whole.value, problems: repeated };
  if (whole.value === null || whole.value === undefined) return { fields: {}, problems: [] };
  // A head without fields is a text or a list, which may have what looks like some.
  const fields = lines.flatMap((line) => /(?<![\w-])([\w-]+)[ \t]*:/.exec(line)?.[1] ?? []);
  const message = "The frontmatter has no fields. Write each as: name: value";
  return { fields: {}, problems: [{ line: firstLine, message, fields }] };
}

/** The fields that Atomic reads and that are there twice: of these the last one counts. */
function repeatedFields(lines: readonly string[], firstLine: number): readonly FrontmatterProblem[] {
  const seen = new Set<string>();
  return lines.flatMap((line, at) => {
    const written = /^["']?([\w-]+)["']?[ \t]*:/.exec(line)?.[1] ?? "";
    const name = usualFieldName(written);
    if (!isOwnField(written)) return [];
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    return [
      { line: firstLine + at, message: `The field "${written}" is there twice. Keep one of them`, fields: [written] },
    ];
  });
}

/** Reads each field by itself, and one that is no YAML as text. */
function parseByField(lines: readonly string[], { firstLine, parseYaml }: HeadOptions): ParsedHead {
  const fields: [name: string, value: unknown][] = [];
  const problems: FrontmatterProblem[] = [];
  for (const { name, at, text } of splitFields(lines)) {
    const parsed = tryParse(
      text.join("\n").replace(/^\t+/gm, (tabs) => "  ".repeat(tabs.length)),
      parseYaml,
    );
    if (parsed !== undefined && isRecord(parsed.value) && Object.keys(parsed.value).length === 1) {
      fields.push([name, Object.values(parsed.value)[0]]);
    } else if (name !== "") {
      fields.push([name, readPlainText(text)]);
      problems.push(...doubtsAbout(name, text, firstLine + at));
    } else problems.push({ line: firstLine + at, message: "This line of the frontmatter belongs to no field" });
  }
  return { fields: Object.fromEntries(fields), problems };
}

/** Fields that a wrong indentation has made a part of this one, and a value that is only half of what it was meant to be. */
function doubtsAbout(
  name: string,
  [first = "", ...rest]: readonly string[],
  line: number,
): readonly FrontmatterProblem[] {
  const indented = rest.flatMap((each, at): readonly FrontmatterProblem[] => {
    const inner = FIELD.exec(each.trim())?.[1] ?? "";
    if (!isOwnField(inner) || !/^[ \t]/.test(each)) return [];
    const message = `The field "${inner}" is indented, so it is part of "${name}". Remove the indentation`;
    return [{ line: line + 1 + at, message, fields: [inner] }];
  });
  const value = FIELD.exec(first)?.[2] ?? "";
  const isHalf = /^["'[{]/.test(value) || rest.some((each) => /^[^\s#]/.test(each));
  if (!isHalf || !isListOfTools(name)) return indented;
  return [
    { line, message: `The value of "${name}" is not valid YAML. Write a list as in: [Read, Grep]`, fields: [name] },
    ...indented,
  ];
}

interface FieldText {
  /** Empty for lines before the first field. */
  readonly name: string;
  /** Index of its first line. */
  readonly at: number;
  readonly text: string[];
}

/** Lines that are no field of their own continue the one before. */
function splitFields(lines: readonly string[]): readonly FieldText[] {
  const fields: FieldText[] = [];
  for (const [at, line] of lines.entries()) {
    const name = FIELD.exec(line.replace(/^\t+/, ""))?.[1];
    const isIndented = /^[ \t]/.test(line) && fields.length > 0;
    if (name !== undefined && !isIndented) fields.push({ name, at, text: [line.trimStart()] });
    else if (fields.length > 0) fields.at(-1)?.text.push(line);
    else if (line.trim() !== "" && !line.startsWith("#")) fields.push({ name: "", at, text: [line] });
  }
  return fields;
}

/** A value that is no YAML, as its author meant it: without its quotes, its lines as they are. */
function readPlainText([first = "", ...rest]: readonly string[]): string {
  const value = FIELD.exec(first)?.[2] ?? "";
  const start = /^[>|][+-]?\d*$/.test(value.trim()) ? [] : [value.trim()];
  const text = [...start, ...rest.map((line) => line.trim())].join("\n").trim();
  const quoted = /^(["'])([\s\S]*)\1$/.exec(text);
  return quoted?.[2] ?? text;
}

/** A head of more characters is not one that a person wrote. */
const MAX_HEAD_LENGTH = 65_536;

/** The most values of a head: aliases make millions of them out of a few lines. */
const MAX_VALUES = 10_000;

function bounded(parseYaml: ParseYaml): ParseYaml {
  return (text) => {
    if (text.length > MAX_HEAD_LENGTH) throw new RangeError("The frontmatter is too long");
    const value = parseYaml(text);
    let count = 0;
    const open: unknown[] = [value];
    for (let each = open.pop(); open.length > 0 || each !== undefined; each = open.pop()) {
      if (++count > MAX_VALUES) throw new RangeError("The frontmatter has too many values");
      if (typeof each === "object" && each !== null) open.push(...Object.values(each));
    }
    return value;
  };
}

function tryParse(text: string, parseYaml: ParseYaml): { readonly value: unknown } | undefined {
  try {
    return { value: parseYaml(text) };
  } catch {
    return undefined;
  }
}
