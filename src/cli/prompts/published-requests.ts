import { randomBytes } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Redactor, raceAbort } from "../../contracts/index.ts";
import { replaceFile } from "../../system/index.ts";

/** What all published requests have. */
export interface PublishedRequest {
  /** Unique within the run, with the prefix of its kind. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly askedAt: number;
  /** When nobody can answer any more, in milliseconds since 1970. */
  readonly deadline: number;
}

/** Settings of the requests that a run publishes. */
export interface PublishOptions<Published> {
  /** How long a request waits for an answer, in milliseconds. */
  readonly waitMs: number;
  /** The wait, as the user gave it. */
  readonly waitText: string;
  readonly redactor: Redactor;
  /** Called with each request when it is published. */
  readonly onPublish: (published: Published) => void;
}

/** How the requests of a kind are stored, and how they end without an answer. */
export interface RequestKind<Answer> {
  /** The folder in that of the session. */
  readonly folder: string;
  readonly idPrefix: string;
  /** The answer at the deadline, and what became of the request: "was denied". */
  readonly late: { readonly answer: Answer; readonly end: string };
  /** The answer for an asker that no longer waits. */
  readonly cancelled: Answer;
}

/** A request to publish. */
export interface AskOptions<Published> {
  /** Requests with the same key are one. @default each is its own */
  readonly key?: string;
  readonly signal: AbortSignal;
  /** Adds the rest of the request, without secrets, to what all requests have. */
  readonly complete: (request: PublishedRequest) => Published;
}

/** A request that waits for its answer. */
interface OpenRequest<Published, Answer> {
  readonly published: Published;
  /** Settles when other processes can read it: with the path of its file, if it has one. */
  readonly stored: Promise<string | undefined>;
  readonly answered: PromiseWithResolvers<Answer>;
  /** How many askers wait. */
  waitingCount: number;
}

/**
 * Publishes the requests of a run in the folder of its session, where other processes find them. A request ends with an answer, at
 * its deadline, or when its last asker no longer waits.
 */
export class PublishedRequests<Published extends PublishedRequest, Answer> {
  readonly #options: PublishOptions<Published>;
  readonly #kind: RequestKind<Answer>;
  #folder: string | undefined;
  /** By what makes requests equal. */
  readonly #open = new Map<string, OpenRequest<Published, Answer>>();
  /** How requests ended, by id. */
  readonly #ended = new Map<string, string>();

  constructor(options: PublishOptions<Published>, kind: RequestKind<Answer>) {
    this.#options = options;
    this.#kind = kind;
  }

  /** The run is executed here from now on. What an earlier process has published is void. */
  begin(sessionDirectory: string): void {
    this.#folder = join(sessionDirectory, this.#kind.folder);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** The requests that take an answer. One that has its answer stays open until its askers have got it. */
  waiting(): readonly Published[] {
    return [...this.#open.values()].map(({ published }) => published).filter(({ id }) => !this.#ended.has(id));
  }

  /** How a request ended: `was withdrawn`. Undefined for one that waits, or never was. */
  endOf(id: string): string | undefined {
    return this.#ended.get(id);
  }

  /** Answers a request that waits. `end` says what became of it, for those who answer later. */
  answer(id: string, answer: Answer, end: string): void {
    this.#ended.set(id, end);
    for (const { published, answered } of this.#open.values()) if (published.id === id) answered.resolve(answer);
  }

  /** Publishes a request, unless an equal one waits, and waits for the answer of another process. */
  async ask({ signal, complete, ...options }: AskOptions<Published>): Promise<Answer> {
    const id = `${this.#kind.idPrefix}${randomBytes(3).toString("hex")}`;
    const { key = id } = options;
    const open = this.#open.get(key) ?? this.#publish(key, { id, complete });
    open.waitingCount++;
    let path: string | undefined;
    try {
      path = await open.stored;
      return await raceAbort(open.answered.promise, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
      return this.#kind.cancelled;
    } finally {
      open.waitingCount--;
      if (open.waitingCount === 0) this.#withdraw(key, { open, path });
    }
  }

  #publish(
    key: string,
    { id, complete }: Pick<AskOptions<Published>, "complete"> & { readonly id: string },
  ): OpenRequest<Published, Answer> {
    const { waitMs, waitText } = this.#options;
    const { late } = this.#kind;
    const askedAt = Date.now();
    const published = complete({ id, askedAt, deadline: askedAt + waitMs });
    const answered = Promise.withResolvers<Answer>();
    const open = { published, stored: this.#store(published), answered, waitingCount: 0 };
    this.#open.set(key, open);
    const timer = setTimeout(
      () => this.answer(id, late.answer, `${late.end} after ${waitText}, because nobody had answered`),
      waitMs,
    );
    void answered.promise.finally(() => clearTimeout(timer));
    return open;
  }

  async #store(published: Published): Promise<string | undefined> {
    const path = this.#folder === undefined ? undefined : join(this.#folder, `${published.id}.json`);
    if (path !== undefined) {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      await replaceFile(path, `${JSON.stringify(published)}\n`);
    }
    this.#options.onPublish(published);
    return path;
  }

  #withdraw(
    key: string,
    { open, path }: { readonly open: OpenRequest<Published, Answer>; readonly path: string | undefined },
  ): void {
    const { answered, published } = open;
    const { id } = published;
    if (this.#open.get(key) === open) this.#open.delete(key);
    if (!this.#ended.has(id)) this.#ended.set(id, "was withdrawn: the agent no longer waits");
    // Its timer ends with it.
    answered.resolve(this.#kind.cancelled);
    if (path !== undefined) rmSync(path, { force: true });
  }
}
