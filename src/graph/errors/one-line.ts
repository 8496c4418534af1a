/** Puts a text with ids and names of any origin on one line without control characters. */
export function toOneLine(text: string): string {
  return text.replace(/[\s\p{Cc}\p{Cf}]+/gu, " ");
}
