const IMAGE = /\.(?:png|jpe?g|webp|gif)$/i;

/**
 * The path of an image, where that is all that was pasted: as it is, in quotes, with `\ ` for spaces, or as `file://` address,
 * as terminals paste a file that was dropped on them. Undefined for any other text. Pure.
 */
export function pastedImagePath(text: string): string | undefined {
  const line = text.trim();
  if (line.includes("\n")) return undefined;
  const quoted = /^(["'])(.*)\1$/.exec(line)?.[2];
  const path = quoted ?? pathOfAddress(line) ?? unescapeSpaces(line);
  if (path === undefined || !IMAGE.test(path)) return undefined;
  return path.startsWith("/") || /^\.{1,2}\//.test(path) ? path : undefined;
}

function pathOfAddress(line: string): string | undefined {
  const path = /^file:\/\/(?:localhost)?(\/\S*)$/i.exec(line)?.[1];
  if (path === undefined) return undefined;
  try {
    return decodeURIComponent(path);
  } catch {
    // A percent sign of the name itself.
    return path;
  }
}

/** Undefined where a space separates two words: the path is a part of a text then. */
function unescapeSpaces(line: string): string | undefined {
  return /(?<!\\)\s/.test(line) ? undefined : line.replace(/\\(.)/g, "$1");
}
