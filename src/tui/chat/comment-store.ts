import type { ChangedLine } from "../../view/index.ts";
import {
  commentOn,
  type DiffComment,
  type DiffComments,
  type FileContents,
  NO_COMMENTS,
  writeComment,
} from "./diff-comments.ts";

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

  /**
   * Comments are in a message that waits for the agent: they stay below their lines, and are stored as not sent. Returns them
   * for {@link markSent} and {@link returnUnsent}.
   *
   * @param comments those of a request, which are not among the others. Default: all that are not sent
   */
  startSending(comments: readonly DiffComment[] = this.#comments.comments): readonly DiffComment[] {
    const state = this.#comments;
    const isOwn = comments === state.comments;
    const added = isOwn
      ? comments
      : comments.map((comment, index) => ({ ...comment, id: `c${state.writtenCount + index + 1}` }));
    this.#set({
      ...state,
      ...(isOwn ? { comments: [] } : { writtenCount: state.writtenCount + added.length }),
      sending: [...state.sending, ...added],
    });
    if (added.length > 0) this.#onWrite();
    return added;
  }

  /** The open comments on these lines are in a message that waits for the agent. Returns them, as {@link startSending} does. */
  startSendingOn(lines: readonly ChangedLine[]): readonly DiffComment[] {
    const state = this.#comments;
    const started = new Set(lines.flatMap((line) => commentOn(state, line) ?? []));
    if (started.size === 0) return [];
    const comments = state.comments.filter((comment) => !started.has(comment));
    this.#set({ ...state, comments, sending: [...state.sending, ...started] });
    this.#onWrite();
    return [...started];
  }

  /** The agent has received the message with these comments. */
  markSent(comments: readonly DiffComment[]): void {
    this.#endSending(comments, "sent");
  }

  /** The message with these comments will not be sent. Nothing happens to those that were sent. */
  returnUnsent(comments: readonly DiffComment[]): void {
    this.#endSending(comments, "comments");
  }

  #endSending(comments: readonly DiffComment[], list: "sent" | "comments"): void {
    const state = this.#comments;
    const ended = state.sending.filter((comment) => comments.includes(comment));
    if (ended.length === 0) return;
    const sending = state.sending.filter((comment) => !ended.includes(comment));
    this.#set({ ...state, sending, [list]: [...state[list], ...ended] });
    this.#onWrite();
  }

  /** Shows none, without a change of what is stored. Returns how many were not sent. */
  forget(): number {
    const { comments, sending } = this.#comments;
    this.#set(NO_COMMENTS);
    return comments.length + sending.length;
  }

  /** What a later process has to know. */
  kept(): KeptComments {
    const { comments, sending, sent } = this.#comments;
    const plain = ({ line, text }: DiffComment): Pick<DiffComment, "line" | "text"> => ({ line, text });
    const unsent = [...comments, ...sending, ...[...this.#held.values()].flat()];
    return { unsent: unsent.map(plain), sent: sent.map(plain) };
  }

  /**
   * Replaces the comments by those of another conversation, and reads their files, to find lines that have changed. Returns
   * how many are not sent.
   */
  restore({ unsent, sent }: KeptComments, readFile?: (path: string) => Promise<string | undefined>): number {
    const all = [...sent, ...unsent].map((comment, index) => ({ ...comment, id: `c${index + 1}` }));
    this.#contents = new Map();
    const comments = all.slice(sent.length);
    this.#set({ comments, sending: [], sent: all.slice(0, sent.length), writtenCount: all.length });
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
