/** `this.options.apiKey`: names with dots between them. */
const NAMES = /^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*$/;
/** How expressions begin that are no secrets, whatever their names are. */
const ROOT =
  /^(?:this|self|process|import|globalThis|window|config|options|settings|context|ctx|env|props|state|request|req|response|res|args|params|input)[.?[]/;
const KEYWORD = /^(?:await|new|typeof|void|yield)$/;
const WORD = /[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g;
/** Words of names are longer than those that a random text seems to have. */
const MIN_WORD_LENGTH = 3.5;

/**
 * Whether a value is code that reads a secret, and no secret: `this.x`, `process.env.X`, `config.get("x")`.
 *
 * @param next the character after the value
 */
export function isExpression(value: string, next: string): boolean {
  return ROOT.test(value) || KEYWORD.test(value) || (next === "(" && NAMES.test(value));
}

/** Whether a value can be a name in code: `client.accessToken`, or `defaultAccessTokenOfTheOrganisation`. */
export function isName(value: string): boolean {
  return NAMES.test(value) && hasWords(value) && (value.includes(".") || !/\d/.test(value));
}

/** Whether a value is the name of a secret, such as `accessToken` in `&token=accessToken`. */
export function isNameOfSecret(value: string): boolean {
  return isName(value) && /(?:token|key|secret|password|signature|credentials?)$/i.test(value);
}

/** Whether names consist of words, with a number of up to three digits at most, as in `oauth2.accessToken`. */
function hasWords(names: string): boolean {
  const digits: readonly string[] = names.match(/\d+/g) ?? [];
  const words: readonly string[] = names.match(WORD) ?? [];
  const isNumbered = digits.length <= 1 && digits.every((number) => number.length <= 3);
  return isNumbered && words.join("").length >= MIN_WORD_LENGTH * words.length;
}
