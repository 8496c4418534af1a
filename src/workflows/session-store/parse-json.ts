/** The result of {@link parseJson}. */
export type ParsedJson =
  | { readonly type: "value"; readonly value: unknown }
  /** `message` contains the place, as `line 3, column 5`, and what was expected there. */
  | { readonly type: "error"; readonly message: string };

/** A punctuation mark, a string, or a number or literal, with the space before it. Controls above 0x1F are valid in strings. */
const TOKEN =
  /[ \t\n\r]*(?:([{}[\],:])|("(?:[^"\\\p{Cc}]|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null))/uy;

/** Parses JSON that a person may have edited: errors contain the place on every runtime. Accepts a byte order mark. */
export function parseJson(text: string): ParsedJson {
  const source = text.startsWith("\uFEFF") ? text.slice(1) : text;
  try {
    return { type: "value", value: JSON.parse(source) };
  } catch {
    const { index, expected } = findSyntaxError(source);
    const before = source.slice(0, index);
    const place = `line ${before.split("\n").length}, column ${index - before.lastIndexOf("\n")}`;
    return { type: "error", message: `${place}: expected ${expected}` };
  }
}

type Expectation = "value" | "value-or-close" | "key" | "key-or-close" | "colon" | "next" | "end";

const EXPECTED: Readonly<Record<Expectation, string>> = {
  value: "a value",
  "value-or-close": 'a value or "]"',
  key: "a name in double quotes",
  "key-or-close": 'a name in double quotes or "}"',
  colon: '":"',
  next: '"," or the closing bracket',
  end: "nothing more",
};

/** Follows a text that is known to be wrong to the first token that cannot stand where it stands. */
function findSyntaxError(text: string): { readonly index: number; readonly expected: string } {
  const open: string[] = [];
  const space = /[ \t\n\r]*/y;
  const token = new RegExp(TOKEN);
  let state: Expectation = "value";
  for (;;) {
    space.lastIndex = token.lastIndex;
    space.exec(text);
    const match = token.exec(text);
    const following: Expectation | undefined = match ? nextExpectation(state, match, open) : undefined;
    if (following === undefined) return { index: space.lastIndex, expected: EXPECTED[state] };
    state = following;
  }
}

/** What may follow a token, or undefined when the token may not stand here. Keeps `open`, the brackets not yet closed. */
function nextExpectation(state: Expectation, match: RegExpExecArray, open: string[]): Expectation | undefined {
  const [, mark, text] = match;
  const afterValue = (): Expectation => (open.length === 0 ? "end" : "next");
  switch (state) {
    case "key":
    case "key-or-close":
      if (text !== undefined) return "colon";
      return state === "key-or-close" && mark === "}" ? close(open, afterValue) : undefined;
    case "colon":
      return mark === ":" ? "value" : undefined;
    case "next":
      if (mark === ",") return open.at(-1) === "{" ? "key" : "value";
      return mark === (open.at(-1) === "{" ? "}" : "]") ? close(open, afterValue) : undefined;
    case "end":
      return undefined;
    default:
      if (mark === undefined) return afterValue();
      if (state === "value-or-close" && mark === "]") return close(open, afterValue);
      if (mark !== "{" && mark !== "[") return undefined;
      open.push(mark);
      return mark === "{" ? "key-or-close" : "value-or-close";
  }
}

function close(open: string[], afterValue: () => Expectation): Expectation {
  open.pop();
  return afterValue();
}
