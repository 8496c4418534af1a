/** A text that ids and names of any origin are part of, in one line that a terminal shows as it is. */
export function toOneLine(text: string): string {
  return text.replace(/[\s\p{Cc}\p{Cf}]+/gu, " ");
}
