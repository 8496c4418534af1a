/** A secret, and the name of what it comes from, such as `OPENAI_API_KEY`. */
export interface KnownSecret {
  readonly name: string;
  readonly value: string;
}

/** Shorter values occur by chance. */
const MIN_LENGTH = 8;
/** Longer ones are no secrets, and streams cannot hold them back. */
const MAX_LENGTH = 16_384;
/** A single word that is not longer, in lower case, upper case or capitalised, may be no secret but a word. */
const MAX_WORD_LENGTH = 16;
/** The shortest line of a secret of several lines that is a secret by itself. */
const MIN_LINE_LENGTH = 16;

const SECRET_WORD =
  /^(?:key|token|secret|password|passwd|pass|pwd|passphrase|credentials?|auth|cookie|pat|dsn|keys|tokens|secrets|passwords)$/;
const SECRET_ENDING = /(?:token|secret|password|passwd|apikey|accesskey|secretkey|privatekey|passphrase|credentials?)$/;
/** What these variables contain is in paths. */
const PLACE_VARIABLES = ["HOME", "PWD", "USER", "LOGNAME", "USERPROFILE"];
const PATH = /^(?:[~.]{0,2}\/|[a-z]:[\\/]|file:)/i;
const WORD = /^(?:[a-z]+|[A-Z]+|[A-Z][a-z]+)$/;
/** A header whose name is no secret's: that of all others with credentials ends in a word such as `key`. */
const AUTHORIZATION = /^(?:proxy-)?authorization$/i;
const HEADERS = /headers$/i;
const SCHEME = /^(?:bearer|basic|token|apikey|bot)[ \t]+/i;
const URL_PASSWORD = /:\/\/[^\s/?#@:]*:([^\s/?#]+)@/;

/** Whether a variable or setting has the name of a secret; `strong` if its last word says so. */
function classifyName(name: string): "strong" | "weak" | "none" {
  // Camel case too: settings are named like apiKey.
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
  // PWD alone is the working directory.
  if (words.length === 1 && words[0] === "pwd") return "none";
  const isSecret = (word: string): boolean => SECRET_WORD.test(word) || SECRET_ENDING.test(word);
  if (!words.some(isSecret) || words.join("_") === "old_pwd") return "none";
  // API_KEY_2
  const last = words.findLast((word) => !/^\d+$/.test(word)) ?? "";
  return isSecret(last) ? "strong" : "weak";
}

/** Whether a variable or setting has the name of a secret, such as `GITHUB_TOKEN` and `apiKey`; not `KEY_FILE`. */
export function namesSecret(name: string): boolean {
  return classifyName(name) === "strong";
}

/** The secrets in an environment: values of variables whose names say so, and passwords in URLs. */
export function secretsOfEnvironment(env: Readonly<Record<string, string | undefined>>): readonly KnownSecret[] {
  const names = new Set(Object.keys(env));
  // A password that is also the name of the user would be taken out of every path.
  const places = PLACE_VARIABLES.map((name) => env[name] ?? "");
  const isKnownPlace = (value: string): boolean => names.has(value) || places.some((place) => place.includes(value));
  return Object.entries(env).flatMap(([name, value = ""]) =>
    secretsIn(name, value.trim()).filter((secret) => !isKnownPlace(secret.value)),
  );
}

/**
 * The secrets in settings, at any depth: texts whose own names say so, or the names of the lists they are in, and the
 * headers with credentials.
 */
export function secretsOfSettings(settings: unknown, path: readonly string[] = []): readonly KnownSecret[] {
  if (typeof settings === "string") {
    const name = path.findLast((part) => !/^\d+$/.test(part)) ?? "";
    const isCredential = AUTHORIZATION.test(name) && HEADERS.test(path.at(-2) ?? "");
    const secrets = isCredential ? secretsIn("token", settings.replace(SCHEME, "")) : secretsIn(name, settings);
    return secrets.map(({ value }) => ({ name: path.join("."), value }));
  }
  if (typeof settings !== "object" || settings === null) return [];
  return Object.entries(settings).flatMap(([name, value]) => secretsOfSettings(value, [...path, name]));
}

function secretsIn(name: string, value: string): readonly KnownSecret[] {
  const password = URL_PASSWORD.exec(value)?.[1];
  if (password !== undefined) return isSecretValue(password, "strong") ? [{ name, value: password }] : [];
  const strength = classifyName(name);
  if (strength === "none" || !isSecretValue(value, strength)) return [];
  // AUTH_REGION, KEY_FILE and TOKEN_NAME are about a secret, and have none.
  if (strength === "weak" && !hasRandomRun(value)) return [];
  const lines = value.includes("\n") ? value.split("\n").map((line) => line.trim()) : [];
  const parts = lines.filter(
    (line) => line.length >= MIN_LINE_LENGTH && !/\s/.test(line) && isSecretValue(line, "weak"),
  );
  return [value, ...parts].map((secret) => ({ name, value: secret }));
}

/** Whether a value can be a secret: not short, and no path, address, number or common word. */
export function isSecretValue(value: string, strength: "strong" | "weak"): boolean {
  if (value.length < MIN_LENGTH || value.length > MAX_LENGTH || value.includes("[redacted")) return false;
  if (isPath(value) || /^[a-z][a-z0-9+.-]*:\/\//i.test(value) || /^[\d\s.,:+-]*$/.test(value)) return false;
  // Not a secret but a placeholder: $TOKEN, <token>, xxxxxxxx.
  if (/^[$<{%]/.test(value) || new Set(value).size < 3) return false;
  const words = value.split(/[-_.,:;@/\s]+/).filter((word) => word !== "");
  if (!words.every((word) => WORD.test(word))) return true;
  // "client-credentials" is a word for people, "correct-horse-battery-staple" a passphrase: the name decides.
  return strength === "strong" && value.length >= MAX_WORD_LENGTH;
}

/** Whether letters and digits stand together as they do in no name and no version. */
function hasRandomRun(value: string): boolean {
  const runs: readonly string[] = value.match(/[A-Za-z0-9]{12,}/g) ?? [];
  return runs.some((run) => /\d/.test(run) && /[A-Za-z]/.test(run));
}

function isPath(value: string): boolean {
  if (!PATH.test(value)) return false;
  // A random text in base64 can begin with a slash, too.
  return !value
    .split(/[/\\]/)
    .some((part) => /[+=]$|^[A-Za-z0-9+]{20,}$/.test(part) && /\d/.test(part) && /[A-Z]/.test(part));
}

/** A secret as it is, as a part of JSON, and as a part of a URL. */
export function listVariants({ name, value }: KnownSecret): readonly KnownSecret[] {
  const inJson = JSON.stringify(value).slice(1, -1);
  const variants = new Set([value, inJson, encoded(value)]);
  return [...variants].map((variant) => ({ name, value: variant }));
}

function encoded(value: string): string {
  try {
    return encodeURIComponent(value);
  } catch {
    // Half a surrogate pair.
    return value;
  }
}
