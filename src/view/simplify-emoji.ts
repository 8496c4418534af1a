/** What an emoji of several characters contains. Most texts have none of it. */
const PARTS = /[\u200d\ufe0f\u{1f3fb}-\u{1f3ff}\u{1f1e6}-\u{1f1ff}]/u;

/** A sign that makes a person of an emoji a woman or a man. */
const GENDER = /\u200d[\u2640\u2642]\ufe0f?/gu;
const JOINER = /(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]\ufe0f?)\u200d/gu;
const SKIN_TONE = /(?<=\p{Emoji_Modifier_Base}\ufe0f?)\p{Emoji_Modifier}/gu;
const EMOJI_FORM = /\ufe0f\u20e3?/gu;
const FLAG = /[\u{1f1e6}-\u{1f1ff}]/gu;

/** The first letter of flags, and the letter that it stands for. */
const FIRST_FLAG_LETTER = 0x1f1e6;
const LETTER_A = 0x41;

/**
 * Emoji about whose width terminals disagree, as characters whose width is certain: a family is its members, a skin tone
 * and a gender are left out, `❤️` is `❤`, and a flag is its two letters. Otherwise the rest of a row is displaced.
 */
export function simplifyEmoji(text: string): string {
  if (!PARTS.test(text)) return text;
  return text
    .replace(GENDER, "")
    .replace(SKIN_TONE, "")
    .replace(JOINER, "")
    .replace(EMOJI_FORM, "")
    .replace(FLAG, (letter) => {
      return String.fromCodePoint((letter.codePointAt(0) ?? FIRST_FLAG_LETTER) - FIRST_FLAG_LETTER + LETTER_A);
    });
}
