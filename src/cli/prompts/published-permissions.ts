import { join } from "node:path";
import {
  AtomicError,
  type PermissionDecision,
  type PermissionHandler,
  type PermissionRequest,
} from "../../contracts/index.ts";
import { visibleLine } from "../../view/index.ts";
import { type PublishedRequest, PublishedRequests, type PublishOptions } from "./published-requests.ts";
import { type OnUnusableFile, publishedPermissionSchema, readPublishedFiles } from "./read-published-files.ts";
import { shareAnswers } from "./share-answers.ts";

/** The answers to a published permission request. `always`: for this run. */
export const PERMISSION_ANSWERS = ["allow", "deny", "always"] as const;
export type PermissionAnswer = (typeof PERMISSION_ANSWERS)[number];

/** Allows equal calls in this project for good. Only for a face that shows the person what will be remembered. */
export const PROJECT_ANSWER = "project";

const FOLDER = "permission-requests";
const ID_PREFIX = "permission-";

/** A permission request of an unattended run, which another process can answer until its deadline. Its id is `permission-3f9a1c`. */
export interface PublishedPermission extends PublishedRequest {
  readonly request: PermissionRequest;
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
export interface PublishPermissionsOptions extends PublishOptions<PublishedPermission> {
  /** As in `ShareAnswersOptions`. */
  readonly gatheringMs?: number;
}

/** Publishes the permission requests of a run. Equal requests are one. Without an answer, a request is denied at its deadline. */
export class PublishedPermissions {
  readonly #requests: PublishedRequests<PublishedPermission, PermissionDecision>;
  /** Waits for the answer of another process. */
  readonly handler: PermissionHandler;

  constructor(options: PublishPermissionsOptions) {
    const { gatheringMs, waitText, redactor } = options;
    const requests = new PublishedRequests<PublishedPermission, PermissionDecision>(options, {
      ...{ folder: FOLDER, idPrefix: ID_PREFIX },
      late: {
        answer: { type: "deny", reason: `Nobody answered the permission request within ${waitText}.` },
        end: "was denied",
      },
      cancelled: { type: "deny", reason: "The turn was cancelled." },
    });
    this.#requests = requests;
    const ask = (request: PermissionRequest, signal: AbortSignal): Promise<PermissionDecision> =>
      requests.ask({
        ...{ key: keyOf(request), signal },
        complete: (published) => ({ ...published, request: redactor.value(request) }),
      });
    const sharing = gatheringMs === undefined ? {} : { gatheringMs };
    // Each waits for its own answer, at the same time.
    this.handler = shareAnswers(ask, { oneAtATime: (work) => work(), ...sharing });
  }

  /** The run is executed here from now on. What an earlier process has published is void. */
  begin(sessionDirectory: string): void {
    this.#requests.begin(sessionDirectory);
  }

  /**
   * Takes an answer. Returns false if it is for something else.
   *
   * @throws PermissionAnswerError for one that comes too late or does not fit
   */
  take(id: string, answer: unknown): boolean {
    if (!isPermissionId(id)) return false;
    const waiting = this.#requests.waiting();
    const published = waiting.find((one) => one.id === id);
    if (published === undefined) {
      const end = this.#requests.endOf(id);
      const what =
        end === undefined ? `The run has no permission request "${id}".` : `The permission request "${id}" ${end}.`;
      const others = waiting.map(nameOfPermission);
      throw new PermissionAnswerError(others.length === 0 ? what : `${what} Open ones: ${others.join(", ")}.`);
    }
    if ((answer === "always" || answer === PROJECT_ANSWER) && published.request.isOnce === true) {
      throw new PermissionAnswerError(`"${id}" can only be allowed once: answer allow or deny.`);
    }
    if (answer !== "allow" && answer !== "always" && answer !== "deny" && answer !== PROJECT_ANSWER) {
      throw new PermissionAnswerError(`"${id}" takes one of these answers: ${PERMISSION_ANSWERS.join(", ")}.`);
    }
    const end = `has been answered: ${answer === "deny" ? "denied" : "allowed"} ${ANSWERED}`;
    this.#requests.answer(id, decisionOf(answer), end);
    return true;
  }
}

/** Equal for requests that are one, of whichever session and step. */
function keyOf(request: PermissionRequest): string {
  return JSON.stringify({ ...request, id: request.isOnce === true ? request.id : "", sessionId: "", step: "" });
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
