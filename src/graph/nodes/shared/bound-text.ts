/**
 * Limits a text for a prompt to a number of characters. A longer text keeps its start and end, with a line in between that
 * says how much is missing.
 */
export function boundText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  let headEnd = Math.ceil(maxLength / 2);
  let tailStart = text.length - Math.floor(maxLength / 2);
  // Never cut a surrogate pair in half.
  if (isLowSurrogate(text, headEnd)) headEnd--;
  if (isLowSurrogate(text, tailStart)) tailStart++;
  return `${text.slice(0, headEnd)}\n… (${tailStart - headEnd} characters left out) …\n${text.slice(tailStart)}`;
}

function isLowSurrogate(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  return unit >= 0xdc00 && unit <= 0xdfff;
}
