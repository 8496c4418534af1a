import { lastRunStart } from "./begun-length.ts";
import { isExpression, isName, isNameOfSecret } from "./code-expression.ts";
import { labelOf } from "./label.ts";
import { isSecretValue } from "./secret-values.ts";

// Every quantifier that can fail after it has read is bounded, and where one place ends the next begins: linear.

/** Between a name and its value: quotes, also those of JSON in JSON, and the separator. */
const QUOTE = String.raw`(?:\\{0,3}["'\`])?`;
const SEPARATOR = `${QUOTE}[ \\t]{0,8}[:=][ \\t]{0,8}${QUOTE}`;
/** Without the separators: a value that turns out to be none is read again, and must not contain another name. */
const TOKEN = "[A-Za-z0-9._~+/-]";

/** Names of headers and of fields in answers of servers, whose values are secrets. */
const SECRET_FIELD =
  "(?:x-)?(?:goog-)?api[-_]?key|(?:x-)?(?:auth|access|private|session|gitlab|github|vault|amz-security)[-_]token|refresh_token|id_token|client_secret|private_key";

/** How the names of parameters end whose values may be secrets. */
const PARAMETERS = ["key", "token", "secret", "sig", "signature", "password", "passwd", "pwd", "auth", "credential"];

const SCHEME = "bearer|basic|token|apikey|bot";
const COOKIE = `cookie${QUOTE}[ \\t]{0,8}:[ \\t]{0,8}${QUOTE}`;
const COOKIE_NAME = String.raw`[\w!#%&*+.^|~-]`;
const PARAMETER = String.raw`[?&][\w-]{0,40}(?:${PARAMETERS.join("|")})=`;
const NAME_AT_END = new RegExp(`(?:authorization|bearer|cookie|${SECRET_FIELD})[:=]?$`, "i");

interface Place {
  /** A text in lower case without all of these is not searched: finding one is many times faster than the pattern. */
  readonly hints: readonly string[];
  readonly pattern: RegExp;
  /**
   * The replacement of a match, whose first group comes before the value, and of the character after it; `undefined` leaves
   * it as it is.
   */
  readonly redact: (match: readonly (string | undefined)[], next: string) => string | undefined;
}

const PLACES: readonly Place[] = [
  {
    hints: ["authorization"],
    pattern: new RegExp(`(authorization${SEPARATOR})(?:(${SCHEME})([ \\t]{1,8}))?(${TOKEN}{6,}={0,2})`, "gi"),
    redact: ([, head = "", scheme, space = "", value = ""], next) => {
      if (scheme === undefined) return isSecretAfter(head, value, next) ? head + hide(value) : undefined;
      return isPlaceholder(value) || isExpression(value, next) ? undefined : head + scheme + space + hide(value);
    },
  },
  {
    hints: ["bearer "],
    pattern: new RegExp(`(bearer[ \\t]{1,8})(${TOKEN}{8,}={0,2})`, "gi"),
    redact: ([, head = "", value = ""], next) => (isSecretAfter(head, value, next) ? head + hide(value) : undefined),
  },
  {
    hints: ["api-key", "api_key", "apikey", "-token", "_token", "client_secret", "private_key"],
    pattern: new RegExp(`((?<![a-z0-9])(?:${SECRET_FIELD})${SEPARATOR})(${TOKEN}{8,}={0,2})`, "gi"),
    redact: ([, head = "", value = ""], next) => (isSecretAfter(head, value, next) ? head + hide(value) : undefined),
  },
  {
    hints: ["cookie"],
    pattern: new RegExp(`(${COOKIE})(${COOKIE_NAME}{1,100}=[^\\r\\n"'\`\\\\]{4,})`, "gi"),
    redact: ([, head = ""]) => head + labelOf(),
  },
  {
    hints: ["://"],
    // A slash ends what can be a password, so no two matches begin in the same text.
    pattern: /(:\/\/[^\s/?#@:"'`<>\\]{0,256}:)([^\s/?#"'`<>\\]{1,2048})@/g,
    redact: ([, head = "", value = ""]) => (isPlaceholder(value) ? undefined : `${head}${labelOf()}@`),
  },
  {
    hints: ["://"],
    pattern: /(:\/\/)([^\s/?#@:"'`<>\\]{16,2048})@/g,
    redact: ([, head = "", value = ""]) => (isRandom(value) ? `${head}${labelOf()}@` : undefined),
  },
  {
    hints: PARAMETERS.map((name) => `${name}=`),
    pattern: new RegExp(String.raw`(${PARAMETER})([^?&#\s"'<>\\;,(){}[\]\x60]{4,})`, "gi"),
    redact: ([, head = "", value = ""], next) => {
      if (isPlaceholder(value) || isNameOfSecret(value) || isExpression(value, next)) return;
      // `?key=` and `?sig=` are also names of harmless things.
      const isSure = /token|secret|password|passwd|pwd|api[-_]?key|signature/i.test(head);
      return isSure || isRandom(value) ? head + hide(value) : undefined;
    },
  },
];

/** The end of a text in which a value has begun, after the first group. */
const BEGINNINGS: readonly RegExp[] = [
  beginning(`authorization${SEPARATOR}(?:(?:${SCHEME})[ \\t]{1,8})?`, `${TOKEN}*={0,2}`),
  beginning("bearer[ \\t]{1,8}", `${TOKEN}*={0,2}`),
  beginning(`(?:${SECRET_FIELD})${SEPARATOR}`, `${TOKEN}*={0,2}`),
  beginning("://", "[^\\s/?#\"'`<>\\\\]{0,2400}"),
  beginning(PARAMETER, "[^?&#\\s\"'<>\\\\;,(){}[\\]`]*"),
];
const COOKIE_BEGINNING = beginning(COOKIE, `${COOKIE_NAME}{0,100}(?:=[^\\r\\n"'\`\\\\]*)?`);
/** Ends the value of a cookie. */
const NO_COOKIE = /[\r\n"'`\\]/;
/** Ends all other values. */
const NO_VALUE = /[\s"'`<>\\]/;
/** No place has more before its value. */
const MAX_HEAD = 100;

function beginning(head: string, value: string): RegExp {
  return new RegExp(`(${head})${value}$`, "i");
}

/** Where the end of a text may have begun a value in the place of a secret: its length if nowhere. */
export function findBegunValue(text: string): number {
  const runAt = lastRunStart(text, NO_VALUE);
  const begun = BEGINNINGS.map((pattern) => findBeginning(text, runAt, pattern));
  return Math.min(...begun, findBeginning(text, lastRunStart(text, NO_COOKIE), COOKIE_BEGINNING));
}

/** @param runAt where the characters begin that can be the value's */
function findBeginning(text: string, runAt: number, pattern: RegExp): number {
  const from = Math.max(0, runAt - MAX_HEAD);
  const match = pattern.exec(text.slice(from));
  return match === null ? text.length : from + match.index + (match[1] ?? "").length;
}

/** Names of fields whose values alone say less than with the name, in lower case. */
const FIELDS =
  /^(?:proxy-)?authorization$|^(?:set-)?cookie$|^(?:x-)?(?:goog-)?api[-_]?key$|^(?:x-)?(?:auth|access|private|session|gitlab|github|vault|amz-security)[-_]token$|^refresh_token$|^id_token$|^client_secret$|^private_key$/;
const MAX_FIELD_LENGTH = 24;

/** Whether a field of an object is the place of a secret, such as `authorization`. */
export function isSecretField(name: string): boolean {
  return name.length >= "cookie".length && name.length <= MAX_FIELD_LENGTH && FIELDS.test(name.toLowerCase());
}

/** Replaces what is in the place of a secret: in headers, in the user information and the parameters of URLs. */
export function redactPlaces(text: string): string {
  // Most texts have none of these, which every place has.
  if (!text.includes(":") && !text.includes("=") && !text.includes("earer ")) return text;
  const lower = text.toLowerCase();
  let result = text;
  for (const place of PLACES) {
    if (place.hints.some((hint) => lower.includes(hint))) result = redactPlace(result, place);
  }
  return result;
}

function redactPlace(text: string, { pattern, redact }: Place): string {
  let result = "";
  let copied = 0;
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const [, head = " "] = match;
    const replacement = redact(match, text.charAt(pattern.lastIndex));
    if (replacement === undefined) {
      // What seemed to be a value may be the name of the next one.
      pattern.lastIndex = match.index + head.length;
      continue;
    }
    result += text.slice(copied, match.index) + replacement;
    copied = pattern.lastIndex;
  }
  return result + text.slice(copied);
}

/** A text for people instead of a secret: `$TOKEN`, `YOUR_API_KEY`, `password`, `xxxx`. */
function isPlaceholder(value: string): boolean {
  if (/^[$<{%*]/.test(value) || /^[A-Z]+(?:_[A-Z]+)*$/.test(value)) return true;
  return /^(?:true|false|null|none|undefined|string|token|password|passwd|pass|secret|x+|\.+)$/i.test(value);
}

/** The replacement of a value. The name of a place stays at its end: another value follows. */
function hide(value: string): string {
  return labelOf() + (NAME_AT_END.exec(value.slice(-MAX_HEAD))?.[0] ?? "");
}

/** In code, a value without quotes can be an expression. */
function isSecretAfter(head: string, value: string, next: string): boolean {
  return isRandom(value) && (/["'`]$/.test(head) || !(isExpression(value, next) || isName(value)));
}

/** Not a word of a language or a name in code: with digits, or longer than words are. */
function isRandom(value: string): boolean {
  const isMixed = /\d/.test(value) && /[A-Za-z]/.test(value) && !/^[\d.]+[a-z]?$/i.test(value);
  return (isMixed || (value.length >= 32 && !/\d/.test(value))) && isSecretValue(value, "weak");
}
