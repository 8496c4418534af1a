import type { ChangedLine } from "../../view/index.ts";
import { type DiffComments, type FileContents, NO_COMMENTS, writeComment } from "./diff-comments.ts";

/** Holds the comments that are not sent yet, and the files that they are about. */
export class CommentStore {
  #comments: DiffComments = NO_COMMENTS;
  #contents: FileContents = new Map();
  readonly #listeners = new Set<() => void>();

  readonly snapshot = (): DiffComments => this.#comments;

  /** The files of the comments, as they were when they were last read. */
  readonly contents = (): FileContents => this.#contents;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  write(line: ChangedLine, text: string): void {
    this.#comments = writeComment(this.#comments, line, text);
    this.#changed();
  }

  clear(): void {
    this.#comments = NO_COMMENTS;
    this.#changed();
  }

  /** Reads the files of the comments, to find lines that have changed since. A file that cannot be read is left out. */
  async check(readFile: (path: string) => Promise<string | undefined>): Promise<FileContents> {
    const paths = [...new Set(this.#comments.comments.map(({ line }) => line.path))];
    const read = await Promise.allSettled(paths.map(async (path) => [path, await readFile(path)] as const));
    this.#contents = new Map(read.flatMap((result) => (result.status === "fulfilled" ? [result.value] : [])));
    this.#changed();
    return this.#contents;
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}
