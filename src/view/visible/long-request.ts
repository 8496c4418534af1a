import type { PermissionDetails, PermissionRequest } from "../../contracts/index.ts";

/** A longer call is not read by a person, and takes seconds to wrap. In characters. */
export const MAX_REQUEST_LENGTH = 100_000;

/** What is shown of each text of a longer call, in characters. */
const MAX_START_LENGTH = 2_000;

/** What is shown of the names of a longer call. */
const MAX_PATHS = 20;

/** The call that a person can read: the start of one that is too long. */
export interface ReadableRequest {
  readonly request: PermissionRequest;
  /** Why it can only be denied. Undefined for a call of ordinary length. */
  readonly tooLong: string | undefined;
}

/** Cuts a call that nobody can read. It can only be denied, because a "yes" is for what was shown. Pure. */
export function toReadable(request: PermissionRequest): ReadableRequest {
  const length = lengthOf(request);
  if (length <= MAX_REQUEST_LENGTH) return { request, tooLong: undefined };
  const { title, toolName, command, paths, details } = request;
  const characters = (count: number): string => count.toLocaleString("en-US");
  return {
    request: {
      ...request,
      // The command is below.
      title: command === undefined ? cut(title) : cut(toolName),
      toolName: cut(toolName),
      paths: paths.slice(0, MAX_PATHS).map(cut),
      isOnce: true,
      ...(command === undefined ? {} : { command: cut(command) }),
      ...(details === undefined ? {} : { details: startOf(details) }),
    },
    tooLong:
      `This call has ${characters(length)} characters, too many to read here: the most is ${characters(MAX_REQUEST_LENGTH)}. ` +
      "It can only be denied; a rule can allow such calls. This is its start:",
  };
}

function lengthOf({ command = "", paths, toolName, title, details }: PermissionRequest): number {
  const texts = [...paths, toolName, ...textsOf(details)];
  const shown = texts.reduce((sum, text) => sum + text.length, command.length);
  return Math.max(shown, title.length);
}

function textsOf(details: PermissionDetails | undefined): readonly string[] {
  switch (details?.type) {
    case undefined:
      return [];
    case "edit":
      return details.changes.flatMap(({ path, oldText, newText }) => [path, oldText, newText]);
    case "write":
      return [details.path, details.text];
    case "patch":
      return [details.text];
    case "fetch":
      return [details.address];
    case "input":
      return [JSON.stringify(details.input) ?? ""];
  }
}

function startOf(details: PermissionDetails): PermissionDetails {
  switch (details.type) {
    case "edit":
      return {
        ...details,
        changes: details.changes
          .slice(0, 1)
          .map(({ path, oldText, newText }) => ({ path: cut(path), oldText: cut(oldText), newText: cut(newText) })),
      };
    case "write":
      return { ...details, path: cut(details.path), text: cut(details.text) };
    case "patch":
      return { ...details, text: cut(details.text) };
    case "fetch":
      return { ...details, address: cut(details.address) };
    case "input":
      return { ...details, input: cut(JSON.stringify(details.input) ?? "") };
  }
}

/** The start of a text, cut between characters. */
function cut(text: string): string {
  return text.length <= MAX_START_LENGTH
    ? text
    : `${text.slice(0, MAX_START_LENGTH).replace(/[\uD800-\uDBFF]$/, "")}...`;
}
