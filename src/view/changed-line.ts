/** A line of a file that a diff shows. */
export interface ChangedLine {
  readonly path: string;
  /** The line in the new file, in the old one where it was removed. Absent when it is not known. */
  readonly number?: number;
  readonly text: string;
  readonly isRemoved: boolean;
  /** Where it is in the conversation. Lines are compared without it where one of them has none. @default unknown */
  readonly place?: string;
  /** Which one it is among the equal lines of its diff, from 0: lines without a number can be equal. @default unknown */
  readonly occurrence?: number;
  /** The lines directly above and below it in the new file, to find it again. @default unknown */
  readonly neighbours?: { readonly above?: string; readonly below?: string };
}
