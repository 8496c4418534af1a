/** The word before a parenthesis, one of the names that can follow its dot, or a comment, which could hide these. */
const IMPORT = /\bimport ?(?:\. ?(?:meta|defer|source)\b|\.? ?(?:\(|\/[*/]|<!--))/;

/** Whether a script may have `import()` or `import.meta`. It may also be a part of a text. Takes linear time. Pure. */
export function mentionsImport(text: string): boolean {
  return IMPORT.test(text.replace(/\s+/g, " "));
}
