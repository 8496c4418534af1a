import { stripVTControlCharacters } from "node:util";
import { causesOf } from "../contracts/index.ts";

const MAX_TRACE_LENGTH = 8_000;

/** The folder of Atomic's source; in a bundle, the bundle itself, which is one of the user's files. */
const OWN_SOURCE = import.meta.url.endsWith("/src/system/error-stack.ts")
  ? pathOf(new URL("../../", import.meta.url).href)
  : pathOf(import.meta.url);

/** The stack of an error and of its causes, without escape sequences and limited in length. */
export function stackOf(error: Error): string {
  const text = causesOf(error)
    .map((link, index) => `${index === 0 ? "" : "Caused by "}${link.stack ?? String(link)}`)
    .join("\n");
  return cut(stripVTControlCharacters(text), MAX_TRACE_LENGTH);
}

/**
 * The innermost location in the user's own code that an error came from, as `path:line:column`: not the runtime, a
 * package or Atomic. `undefined` when no frame has such a location.
 */
export function userFrameOf(error: Error, ownSource = OWN_SOURCE): string | undefined {
  for (const { stack = "", message } of causesOf(error)) {
    // The message itself can have lines that look like frames.
    const frames = stack.includes(message) ? stack.slice(stack.indexOf(message) + message.length) : stack;
    for (const line of frames.split("\n")) {
      const frame = parseFrame(line);
      if (frame !== undefined && !frame.path.includes("/node_modules/") && !frame.path.startsWith(ownSource)) {
        return `${frame.path}:${frame.place}`;
      }
    }
  }
  return undefined;
}

function cut(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}

/** Parses a line such as `at run (/project/flow.ts:3:9)`; a query in the path distinguishes versions of a file. */
function parseFrame(line: string): { readonly path: string; readonly place: string } | undefined {
  const [, path, place] =
    /^\s*at (?:.*?\()?((?:file:\/\/)?(?:\/|[A-Za-z]:[\\/]).*?)(?:\?[^:)]*)?:(\d+:\d+)\)?$/.exec(line) ?? [];
  return path === undefined || place === undefined ? undefined : { path: pathOf(path), place };
}

function pathOf(location: string): string {
  return location.startsWith("file://") ? decodeURIComponent(location.slice("file://".length)) : location;
}
