import type { ChangedLine } from "../../view/index.ts";
import { type DiffComment, type DiffComments, type FileContents, NO_COMMENTS, writeComment } from "./diff-comments.ts";

/** The comments of a conversation, for a later process. */
export interface KeptComments {
  readonly unsent: readonly Pick<DiffComment, "line" | "text">[];
  readonly sent: readonly Pick<DiffComment, "line" | "text">[];
}

/** Holds the comments on lines of diffs, and the files that they are about. */
export class CommentStore {
  #comments: DiffComments = NO_COMMENTS;
  #contents: FileContents = new Map();
  /** Those of open requests, by the request's id. */
  readonly #held = new Map<string, readonly DiffComment[]>();
  readonly #listeners = new Set<() => void>();
  readonly #onWrite: () => void;

  /** @param onWrite called after each change of the comments that a later process has to know */
  constructor(onWrite: () => void = () => undefined) {
    this.#onWrite = onWrite;
  }

  readonly snapshot = (): DiffComments => this.#comments;

  /** The files of the comments, as they were when they were last read. */
  readonly contents = (): FileContents => this.#contents;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  write(line: ChangedLine, text: string): void {
    this.#set(writeComment(this.#comments, line, text));
    this.#onWrite();
  }

  /** The comments on an open request, which are sent with its answer: they are kept, but not shown among the others. */
  hold(requestId: string, comments: readonly DiffComment[]): void {
    if (comments.length === 0 && !this.#held.has(requestId)) return;
    if (comments.length === 0) this.#held.delete(requestId);
    else this.#held.set(requestId, comments);
    this.#onWrite();
  }

  /** All comments were sent: they stay below their lines. */
  markSent(): void {
    const { comments, ...state } = this.#comments;
    this.#set({ ...state, comments: [], sent: [...state.sent, ...comments] });
    this.#onWrite();
  }

  /** Adds comments that were sent with the answer to a request. */
  addSent(comments: readonly DiffComment[]): void {
    const state = this.#comments;
    const added = comments.map((comment, index) => ({ ...comment, id: `c${state.writtenCount + index + 1}` }));
    const writtenCount = state.writtenCount + added.length;
    this.#set({ ...state, sent: [...state.sent, ...added], writtenCount });
    this.#onWrite();
  }

  /** Shows none, without a change of what is stored. Returns how many were not sent. */
  forget(): number {
    const { comments } = this.#comments;
    this.#set(NO_COMMENTS);
    return comments.length;
  }

  /** What a later process has to know. */
  kept(): KeptComments {
    const { comments, sent } = this.#comments;
    const plain = ({ line, text }: DiffComment): Pick<DiffComment, "line" | "text"> => ({ line, text });
    return { unsent: [...comments, ...[...this.#held.values()].flat()].map(plain), sent: sent.map(plain) };
  }

  /**
   * Replaces the comments by those of another conversation, and reads their files, to find lines that have changed. Returns
   * how many are not sent.
   */
  restore({ unsent, sent }: KeptComments, readFile?: (path: string) => Promise<string | undefined>): number {
    const all = [...sent, ...unsent].map((comment, index) => ({ ...comment, id: `c${index + 1}` }));
    this.#contents = new Map();
    this.#set({ comments: all.slice(sent.length), sent: all.slice(0, sent.length), writtenCount: all.length });
    if (readFile !== undefined && unsent.length > 0) void this.check(readFile);
    return unsent.length;
  }

  /** Reads the files of the comments, to find lines that have changed since. A file that cannot be read is left out. */
  async check(readFile: (path: string) => Promise<string | undefined>): Promise<FileContents> {
    const paths = [...new Set(this.#comments.comments.map(({ line }) => line.path))];
    const read = await Promise.allSettled(paths.map(async (path) => [path, await readFile(path)] as const));
    this.#contents = new Map(read.flatMap((result) => (result.status === "fulfilled" ? [result.value] : [])));
    this.#changed();
    return this.#contents;
  }

  #set(comments: DiffComments): void {
    this.#comments = comments;
    this.#changed();
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}
