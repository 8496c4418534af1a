import { setTimeout as sleep } from "node:timers/promises";
import type { AgentEvent, PermissionRequest, TextChange, TextPlace } from "../../contracts/index.ts";
import { makeVisible } from "../../view/index.ts";
import type { ChatHost } from "../host/chat-host.ts";
import type { ToolEntry } from "./chat-entry.ts";
import { addPlaces } from "./chat-model.ts";
import type { ChatStore } from "./chat-store.ts";
import { fileChangesOf } from "./file-changes.ts";
import { findPlace } from "./text-place.ts";

/** How long a request waits for the files of its changes, in milliseconds. A file may be on a server that does not answer. */
const MAX_WAIT_MS = 300;

type Host = Pick<ChatHost, "readFile">;

/** Adds to the changes of a request where they are in their files. The same request where that is not known in time. */
export function placeFinder(host: Host): (request: PermissionRequest) => Promise<PermissionRequest> {
  return async (request) => {
    const timer = new AbortController();
    const late = sleep(MAX_WAIT_MS, request, { signal: timer.signal }).catch(() => request);
    const placed = await Promise.race([placeRequest(request, host), late]);
    timer.abort();
    return placed;
  };
}

async function placeRequest(request: PermissionRequest, host: Host): Promise<PermissionRequest> {
  const { details } = request;
  if (details?.type !== "edit") return request;
  const contents = await readAll(
    details.changes.map(({ path }) => path),
    host,
  );
  const changes = details.changes.map((change): TextChange => {
    const place = change.isEverywhere === true ? undefined : findPlace(contents.get(change.path) ?? "", change.oldText);
    // A warning about hidden characters must be about what the call does.
    return place === undefined || hasHidden(place) ? change : { ...change, place };
  });
  return { ...request, details: { ...details, changes } };
}

function hasHidden({ before, after }: TextPlace): boolean {
  return makeVisible(before + after, { kind: "code" }).warnings.length > 0;
}

/** Passes events on; after the edit of a file, its card receives the place of the new text. */
export function withEditPlaces(
  onEvent: (event: AgentEvent) => void,
  { host, store }: { readonly host: Host; readonly store: ChatStore },
): (event: AgentEvent) => void {
  return (event) => {
    onEvent(event);
    if (event.type !== "tool-end" || event.isError) return;
    const { entries } = store.snapshot().model;
    const entry = entries.findLast((one) => one.type === "tool" && one.toolId === event.toolId);
    if (entry?.type === "tool" && entry.status === "done") void addEntryPlaces(entry, { host, store });
  };
}

async function addEntryPlaces(
  entry: ToolEntry,
  { host, store }: { readonly host: Host; readonly store: ChatStore },
): Promise<void> {
  const changes = fileChangesOf(entry);
  const paths = changes.flatMap((change) => (change.type === "replace" ? [change.path] : []));
  if (paths.length === 0) return;
  const contents = await readAll(paths, host);
  const places = changes.map((change) =>
    change.type === "replace" ? (findPlace(contents.get(change.path) ?? "", change.newText) ?? null) : null,
  );
  if (places.some((place) => place !== null)) store.reduce((model) => addPlaces(model, entry.id, places));
}

/** The files that can be read, each once. A missing one has no place for anything. */
async function readAll(paths: readonly string[], { readFile }: Host): Promise<ReadonlyMap<string, string>> {
  if (readFile === undefined) return new Map();
  const read = await Promise.allSettled(
    [...new Set(paths)].map(async (path) => [path, (await readFile(path)) ?? ""] as const),
  );
  return new Map(read.flatMap((result) => (result.status === "fulfilled" ? [result.value] : [])));
}
