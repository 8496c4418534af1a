/** Characters that look like ASCII, by that ASCII character. Compatibility forms are found without a table. */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  a: "аαɑ",
  b: "ƅᖯ",
  c: "сϲᴄ",
  d: "ԁɗᏧ",
  e: "еҽ",
  f: "ẝ",
  g: "ɡց",
  h: "һհᏂ",
  i: "іıιɩɪᎥ",
  j: "јϳյ",
  l: "ӏ",
  m: "ᴍ",
  n: "ո",
  o: "оοօᴏഠ",
  p: "рρք",
  q: "ԛզգ",
  r: "ᴦ",
  s: "ѕꜱ",
  t: "ᴛ",
  u: "սυʋᴜ",
  v: "ѵνᴠ",
  w: "ԝաᴡ",
  x: "х",
  y: "уүʏ",
  z: "ᴢ",
  A: "АΑᎪᴀꓮ",
  B: "ВΒᏴʙꓐ",
  C: "СᏟꓚ",
  D: "Ꭰᗞꓓ",
  E: "ЕΕᎬꓰ",
  F: "Ϝꓝ",
  G: "ԌᏀɢꓖ",
  H: "НΗᎻʜꓧ",
  I: "ІΙӀꓲ",
  J: "ЈᎫꓙ",
  K: "КΚᏦꓗ",
  L: "Ꮮʟꓡ",
  M: "МΜᎷꓟ",
  N: "Νɴꓠ",
  O: "ОΟՕꓳ",
  P: "РΡᏢꓑ",
  R: "ᎡᏒʀꓣ",
  S: "ЅՏᏚꓢ",
  T: "ТΤᎢꓔ",
  U: "Սꓴ",
  V: "Ѵꓦ",
  W: "ԜᎳꓪ",
  X: "ХΧꓫ",
  Y: "УҮΥꓬ",
  Z: "ΖᏃꓜ",
  "3": "ЗӠ",
  "4": "Ꮞ",
  "5": "ƽ",
  "6": "Ꮾ",
  "/": "∕⁄⧸╱⟋〳ノ丿",
  "\\": "∖⧵⧹╲⟍",
  "-": "‐‑‒–−⁃˗➖ー一",
  ".": "ꓸ۔܁",
  ",": "‚٫ꓹ",
  ":": "ː꞉∶׃ꓽ։",
  ";": "⁏ꓼ",
  "|": "ǀ∣│❘⏐丨",
  "'": "‘’‛′ʹʻʼʽˈ՚׳ꞌ",
  '"': "“”„‟″ʺ״〃",
  "`": "´ˋʽ",
  "*": "∗⁎✱٭",
  "~": "∼˜⁓∿",
  "<": "‹˂ᐸ❮〈",
  ">": "›˃ᐳ❯〉",
  "!": "ǃⵑ",
  "?": "Ɂʔ",
  "^": "˄ˆ",
  "&": "ꝸ",
  "=": "═゠꓿",
  _: "‗",
  "(": "❨⟮",
  ")": "❩⟯",
  "{": "❴",
  "}": "❵",
};

const ASCII_BY_LOOK_ALIKE: ReadonlyMap<string, string> = new Map(
  Object.entries(LOOK_ALIKES).flatMap(([ascii, others]) => [...others].map((other) => [other, ascii] as const)),
);

/** Letters of scripts that do not look like ASCII: words may mix them with ASCII. */
const UNMISTAKABLE =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Thai}\p{Script=Devanagari}]$/u;

/** Look-alikes that are common in Japanese and Chinese words. */
const EVERYDAY: ReadonlySet<string> = new Set("ー一ノ");

const JAPANESE = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]$/u;

/** The ASCII text that a character looks like; undefined for ASCII itself and for all other characters. */
export function asciiLookOf(character: string): string | undefined {
  if (isAscii(character)) return undefined;
  const known = ASCII_BY_LOOK_ALIKE.get(character);
  if (known !== undefined) return known;
  // Unicode defines the ASCII equivalents of full-width forms, mathematical letters and the Kelvin sign.
  const plain = character.normalize("NFKC");
  return plain !== character && isAscii(plain) ? plain : undefined;
}

/**
 * The indexes of the characters in a word that can be mistaken for ASCII: all look-alikes, unless the word is clearly in
 * another script, and all letters of another script when the word has ASCII letters.
 */
export function findLookAlikes(word: readonly string[]): ReadonlySet<number> {
  if (isJapaneseWord(word)) return new Set();
  const hasAscii = word.some((character) => /^[A-Za-z]$/.test(character));
  const isForeign = !hasAscii && word.some((character) => isForeignLetter(character) && !asciiLookOf(character));
  const found = word.flatMap((character, index) => {
    const looksAscii = asciiLookOf(character) !== undefined;
    if (isForeignLetter(character)) return hasAscii || (looksAscii && !isForeign) ? [index] : [];
    return looksAscii ? [index] : [];
  });
  return new Set(found);
}

/** Whether a word is completely Japanese or Chinese and has more than strokes. No word starts with the long vowel mark. */
function isJapaneseWord(word: readonly string[]): boolean {
  const isFitting = (character: string): boolean =>
    JAPANESE.test(character) && (EVERYDAY.has(character) || asciiLookOf(character) === undefined);
  return word[0] !== "ー" && word.every(isFitting) && word.some((character) => !EVERYDAY.has(character));
}

/** The indexes of the letters of another script that look like ASCII, in a word with ASCII letters. */
export function findDisguised(word: readonly string[]): ReadonlySet<number> {
  if (!word.some((character) => /^[A-Za-z]$/.test(character))) return new Set();
  const isDisguised = (character: string): boolean =>
    isForeignLetter(character) && asciiLookOf(character) !== undefined;
  return new Set(word.flatMap((character, index) => (isDisguised(character) ? [index] : [])));
}

/**
 * The indexes in a word that belong to another script: the whole word if it has no ASCII letters, or else its Japanese or
 * Chinese parts, as in `APIサーバー`. Strokes such as 一 alone do not count.
 */
export function findForeign(word: readonly string[]): ReadonlySet<number> {
  const hasAscii = word.some((character) => /^[A-Za-z]$/.test(character));
  if (!hasAscii && word.some(isForeignWritten)) return new Set(word.keys());
  const indexes = new Set<number>();
  let start = 0;
  for (let end = 0; end <= word.length; end++) {
    if (JAPANESE.test(word[end] ?? "")) continue;
    if (isJapaneseWord(word.slice(start, end))) for (let index = start; index < end; index++) indexes.add(index);
    start = end + 1;
  }
  return indexes;
}

/** A letter of another script than Latin that does not look like punctuation. */
function isForeignWritten(character: string): boolean {
  if (!/^(?![\p{Script=Latin}\p{Script=Common}])\p{L}$/u.test(character)) return false;
  return /^[A-Za-z0-9]$/.test(asciiLookOf(character) ?? "a");
}

/** Whether a line has letters of another script than Latin that do not look like ASCII. */
export function isPlainlyForeign(line: string): boolean {
  const letters = line.match(/(?!\p{Script=Latin})\p{L}/gu) ?? [];
  return letters.some((letter) => asciiLookOf(letter) === undefined);
}

/** A letter of another script than Latin. */
function isForeignLetter(character: string): boolean {
  return /^\p{L}$/u.test(character) && !/^\p{Script=Latin}$/u.test(character) && !UNMISTAKABLE.test(character);
}

function isAscii(text: string): boolean {
  return /^[ -~]+$/.test(text);
}
