import { randomBytes } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import {
  AtomicError,
  type PermissionDecision,
  type PermissionHandler,
  type PermissionRequest,
  type Redactor,
  raceAbort,
} from "../../contracts/index.ts";
import { replaceFile } from "../../system/index.ts";
import { visibleLine } from "../../view/index.ts";
import { type OnUnusableFile, publishedPermissionSchema, readPublishedFiles } from "./read-published-files.ts";
import { shareAnswers } from "./share-answers.ts";

/** The answers to a published permission request. `always`: for this run. */
export const PERMISSION_ANSWERS = ["allow", "deny", "always"] as const;
export type PermissionAnswer = (typeof PERMISSION_ANSWERS)[number];

/** Allows equal calls in this project for good. Only for a face that shows the person what will be remembered. */
export const PROJECT_ANSWER = "project";

const FOLDER = "permission-requests";
const ID_PREFIX = "permission-";

/** A permission request of an unattended run, which another process can answer until its deadline. */
export interface PublishedPermission {
  /** Unique within the run: `permission-3f9a1c`. */
  readonly id: string;
  readonly request: PermissionRequest;
  /** Milliseconds since 1970. */
  readonly askedAt: number;
  /** When it is denied, in milliseconds since 1970. */
  readonly deadline: number;
}

/** Whether a text is the id of a published permission request. */
export function isPermissionId(text: string): boolean {
  return text.startsWith(ID_PREFIX);
}

/** A permission request has its answer already, or takes another one. */
export class PermissionAnswerError extends AtomicError {
  constructor(message: string) {
    super("PERMISSION_ANSWER", message);
  }
}

/**
 * What is published of a session's run, oldest first. Only a run that a process executes waits for it. A file of another shape
 * is left out.
 */
export function readPublished(sessionDirectory: string, onUnusable?: OnUnusableFile): readonly PublishedPermission[] {
  return readPublishedFiles(join(sessionDirectory, FOLDER), {
    ...{ prefix: ID_PREFIX, schema: publishedPermissionSchema, onUnusable },
    cast: (value) => value as PublishedPermission, // the schema has checked it
  });
}

/** Settings of {@link PublishedPermissions}. */
export interface PublishOptions {
  /** How long a request waits for an answer, in milliseconds. */
  readonly waitMs: number;
  /** The wait, as the user gave it. */
  readonly waitText: string;
  readonly redactor: Redactor;
  /** Called with each request when it is published. */
  readonly onPublish: (published: PublishedPermission) => void;
  /** As in `ShareAnswersOptions`. */
  readonly gatheringMs?: number;
}

/** A request that waits for its answer. */
interface OpenRequest {
  readonly published: PublishedPermission;
  readonly answered: PromiseWithResolvers<PermissionDecision>;
  /** How many askers wait. */
  waitingCount: number;
}

/**
 * Publishes the permission requests of a run in the folder of its session, where other processes find them. Equal requests
 * are one. Without an answer, a request is denied at its deadline.
 */
export class PublishedPermissions {
  readonly #options: PublishOptions;
  #folder: string | undefined;
  /** By what makes requests equal. */
  readonly #open = new Map<string, OpenRequest>();
  /** How requests ended, by id. */
  readonly #ended = new Map<string, string>();
  /** Waits for the answer of another process. */
  readonly handler: PermissionHandler;

  constructor(options: PublishOptions) {
    this.#options = options;
    const { gatheringMs } = options;
    const sharing = gatheringMs === undefined ? {} : { gatheringMs };
    // Each waits for its own answer, at the same time.
    this.handler = shareAnswers((request, signal) => this.#ask(request, signal), {
      oneAtATime: (work) => work(),
      ...sharing,
    });
  }

  /** The run is executed here from now on. What an earlier process has published is void. */
  begin(sessionDirectory: string): void {
    this.#folder = join(sessionDirectory, FOLDER);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /**
   * Takes an answer. Returns false if it is for something else.
   *
   * @throws PermissionAnswerError for one that comes too late or does not fit
   */
  take(id: string, answer: unknown): boolean {
    if (!isPermissionId(id)) return false;
    const open = [...this.#open.values()].find(({ published }) => published.id === id);
    const end = this.#ended.get(id);
    // One that has its answer stays open until its askers have got it.
    if (open === undefined || end !== undefined) {
      const what =
        end === undefined ? `The run has no permission request "${id}".` : `The permission request "${id}" ${end}.`;
      const others = [...this.#open.values()]
        .filter(({ published }) => !this.#ended.has(published.id))
        .map(({ published }) => nameOfPermission(published));
      throw new PermissionAnswerError(others.length === 0 ? what : `${what} Open ones: ${others.join(", ")}.`);
    }
    const { request } = open.published;
    if ((answer === "always" || answer === PROJECT_ANSWER) && request.isOnce === true) {
      throw new PermissionAnswerError(`"${id}" can only be allowed once: answer allow or deny.`);
    }
    if (answer !== "allow" && answer !== "always" && answer !== "deny" && answer !== PROJECT_ANSWER) {
      throw new PermissionAnswerError(`"${id}" takes one of these answers: ${PERMISSION_ANSWERS.join(", ")}.`);
    }
    this.#ended.set(id, `has been answered: ${answer === "deny" ? "denied" : "allowed"} ${ANSWERED}`);
    open.answered.resolve(decisionOf(answer));
    return true;
  }

  async #ask(request: PermissionRequest, signal: AbortSignal): Promise<PermissionDecision> {
    const equality = JSON.stringify({
      ...request,
      id: request.isOnce === true ? request.id : "",
      sessionId: "",
      step: "",
    });
    const open = this.#open.get(equality) ?? (await this.#publish(request, equality));
    open.waitingCount++;
    try {
      return await raceAbort(open.answered.promise, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
      return { type: "deny", reason: "The turn was cancelled." };
    } finally {
      open.waitingCount--;
      if (open.waitingCount === 0) this.#withdraw(equality, open);
    }
  }

  async #publish(request: PermissionRequest, equality: string): Promise<OpenRequest> {
    const { waitMs, waitText, redactor, onPublish } = this.#options;
    const id = `${ID_PREFIX}${randomBytes(3).toString("hex")}`;
    const askedAt = Date.now();
    const published = { id, request: redactor.value(request), askedAt, deadline: askedAt + waitMs };
    const open: OpenRequest = { published, answered: Promise.withResolvers<PermissionDecision>(), waitingCount: 0 };
    this.#open.set(equality, open);
    const timer = setTimeout(() => {
      this.#ended.set(id, `was denied after ${waitText}, because nobody had answered`);
      open.answered.resolve({ type: "deny", reason: `Nobody answered the permission request within ${waitText}.` });
    }, waitMs);
    void open.answered.promise.finally(() => clearTimeout(timer));
    if (this.#folder !== undefined) {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      await replaceFile(this.#pathOf(this.#folder, id), `${JSON.stringify(published)}\n`);
    }
    onPublish(published);
    return open;
  }

  #withdraw(equality: string, { published: { id }, answered }: OpenRequest): void {
    if (this.#open.get(equality)?.published.id === id) this.#open.delete(equality);
    if (!this.#ended.has(id)) this.#ended.set(id, "was withdrawn: the agent no longer waits");
    answered.resolve({ type: "deny", reason: "The turn was cancelled." });
    if (this.#folder !== undefined) rmSync(this.#pathOf(this.#folder, id), { force: true });
  }

  #pathOf(folder: string, id: string): string {
    return join(folder, `${id}.json`);
  }
}

/** The id, with the step that waits. */
export function nameOfPermission({ id, request: { step } }: PublishedPermission): string {
  return step === undefined ? id : `${id} (${visibleLine(step)})`;
}

/** Where all answers to published requests come from. */
const ANSWERED = 'with "atomic runs answer"';

function decisionOf(answer: PermissionAnswer | typeof PROJECT_ANSWER): PermissionDecision {
  switch (answer) {
    case "allow":
      return { type: "allow", scope: "once", answered: ANSWERED };
    case "always":
      return { type: "allow", scope: "session", answered: ANSWERED };
    case "project":
      return { type: "allow", scope: "project", answered: ANSWERED };
    case "deny":
      return { type: "deny", reason: "The user said no.", answered: ANSWERED };
  }
}
