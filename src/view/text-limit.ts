/** The longest text that a person sends at once: a message, an answer. In characters. */
export const MAX_TEXT_LENGTH = 100_000;

/** Why a text is not sent, in one sentence. Undefined for one that is short enough. */
export function describeTooLong({ length }: string): string | undefined {
  if (length <= MAX_TEXT_LENGTH) return undefined;
  const [actual, most] = [length, MAX_TEXT_LENGTH].map((count) => count.toLocaleString("en-US"));
  return `Too long to send: ${actual} characters; the most is ${most}. Put the text into a file, and name the file.`;
}
