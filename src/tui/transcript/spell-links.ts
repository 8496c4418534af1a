import { nextFence } from "./next-fence.ts";

/** The targets of reference links, by their label in lower case. */
type Definitions = ReadonlyMap<string, string>;

const DEFINITION = /^ {0,3}\[([^\]]+)\]:\s*(?:<([^<>]*)>|(\S+))/;

/** What follows the text of a link: `(target "title")`. */
const INLINE_TARGET =
  /^\(\s*(?:<([^<>]*)>|((?:\\.|[^\s()\\]|\((?:\\.|[^\s()\\])*\))*))(?:\s+(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\((?:\\.|[^()\\])*\)))?\s*\)/;

/** What follows the text of a reference link: `[label]`, or `[]` where the text is the label. */
const REFERENCE = /^\[([^[\]]*)\]/;

const AUTOLINK = /^<([a-z][a-z0-9+.-]{1,31}:[^\s<>]*)>/i;

/** What a terminal may open. */
const OPENABLE = /^(?:https?:\/\/|mailto:)[^\s<>`|\\]+$/i;

const ESCAPED = /\\([!-/:-@[-`{-~])/g;

/** A longer line is a listing, and stays as it was written. */
const MAX_LINE = 20_000;

/** The longest label of a reference link, in characters. */
const MAX_LABEL = 999;

/** Whether a terminal may open an address when a person clicks on it. */
export function isOpenable(target: string): boolean {
  return OPENABLE.test(target);
}

/**
 * Markdown whose links are text: after the words of each link is its target, and nothing that is shown leads elsewhere. A target
 * that a terminal may open is an address in angle brackets, another one is code. Code is as it was.
 */
export function spellLinks(lines: readonly string[]): readonly string[] {
  const definitions = definitionsOf(lines);
  return mapOutsideCode(lines, (line) =>
    (line.includes("]") || line.includes("<")) && line.length <= MAX_LINE && !DEFINITION.test(line)
      ? new LinkSpeller(line, definitions).spell()
      : line,
  );
}

function definitionsOf(lines: readonly string[]): Definitions {
  const definitions = new Map<string, string>();
  for (const line of lines) {
    const [, label = "", bracketed, plain = ""] = DEFINITION.exec(line) ?? [];
    const key = keyOf(label);
    // The first one counts.
    if (label !== "" && !definitions.has(key)) definitions.set(key, unescaped(bracketed ?? plain));
  }
  return definitions;
}

/** The lines, of which those outside of code blocks are changed. */
export function mapOutsideCode(lines: readonly string[], change: (line: string) => string): readonly string[] {
  let fence: string | undefined;
  return lines.map((line) => {
    const before = fence;
    fence = nextFence(fence, line);
    return before !== undefined || fence !== undefined ? line : change(line);
  });
}

function keyOf(label: string): string {
  return label.replace(/\s+/g, " ").trim().toLowerCase();
}

function unescaped(text: string): string {
  return text.replace(ESCAPED, "$1");
}

/** A text in brackets, as far as it was read. */
interface OpenBracket {
  readonly sign: "[" | "![" | "";
  text: string;
}

/** Reads one line from its start to its end. */
class LinkSpeller {
  readonly #line: string;
  readonly #definitions: Definitions;
  /** The outermost first; that one is the line itself. */
  readonly #open: OpenBracket[] = [{ sign: "", text: "" }];
  #at = 0;

  constructor(line: string, definitions: Definitions) {
    this.#line = line;
    this.#definitions = definitions;
  }

  spell(): string {
    while (this.#at < this.#line.length) this.#step();
    return this.#open.map(({ sign, text }) => sign + text).join("");
  }

  #step(): void {
    const rest = this.#line.slice(this.#at, this.#at + 2);
    if (rest.startsWith("\\")) this.#take(rest);
    else if (rest.startsWith("`")) this.#take(this.#codeSpan());
    else if (rest === "![") this.#start(rest);
    else if (rest.startsWith("[")) this.#start("[");
    else if (rest.startsWith("]")) this.#end();
    else if (rest.startsWith("<")) this.#address();
    else this.#take(/^[^\\`![\]<]+|^./su.exec(this.#line.slice(this.#at))?.[0] ?? rest);
  }

  #take(source: string, shown: string = source): void {
    const last = this.#open.at(-1);
    if (last !== undefined) last.text += shown;
    this.#at += source.length;
  }

  #start(sign: "[" | "!["): void {
    this.#open.push({ sign, text: "" });
    this.#at += sign.length;
  }

  /** Code from the backticks here to as many others, or the backticks alone. */
  #codeSpan(): string {
    const rest = this.#line.slice(this.#at);
    const ticks = /^`+/.exec(rest)?.[0] ?? "";
    for (const { 0: run, index } of rest.slice(ticks.length).matchAll(/`+/g)) {
      if (run.length === ticks.length) return rest.slice(0, ticks.length + index + ticks.length);
    }
    return ticks;
  }

  #address(): void {
    const [source = "<", target] = AUTOLINK.exec(this.#line.slice(this.#at)) ?? [];
    this.#take(source, target === undefined || isOpenable(target) ? source : codeOf(target));
  }

  #end(): void {
    const label = this.#open.length > 1 ? this.#open.pop() : undefined;
    if (label === undefined) return this.#take("]");
    this.#at++;
    const after = this.#line.slice(this.#at);
    const inline = INLINE_TARGET.exec(after);
    if (inline !== null) return this.#take(inline[0], withTarget(label.text, unescaped(inline[1] ?? inline[2] ?? "")));
    const [source = "", name = ""] = REFERENCE.exec(after) ?? [];
    const target = this.#targetOf(name === "" ? label.text : name);
    if (target === undefined) this.#take("", `${label.sign}${label.text}]`);
    else this.#take(source, withTarget(label.text, target));
  }

  #targetOf(label: string): string | undefined {
    return label.length > MAX_LABEL ? undefined : this.#definitions.get(keyOf(label));
  }
}

/** The words of a link and its target, which are shown once if they are the same. */
function withTarget(label: string, target: string): string {
  const words = label.trim();
  const address = isOpenable(target) ? `<${target}>` : codeOf(target);
  if (target === "") return label;
  if (words === "" || words === target || words === address) return address;
  return words.replace(/^(`+)(.*)\1$/, "$2") === target ? words : `${words} (${address})`;
}

/** A text as code, whatever backticks it holds. */
function codeOf(text: string): string {
  const runs = text.match(/`+/g) ?? [];
  const ticks = "`".repeat(runs.reduce((most, run) => Math.max(most, run.length), 0) + 1);
  const space = /^`|`$/.test(text) ? " " : "";
  return ticks + space + text + space + ticks;
}
