/** How much of a tool's output a model receives. */
export interface TruncateToolOutputOptions {
  /** @default 2_000 */
  readonly maxLines?: number;
  /** In bytes of UTF-8. @default 51_200, which is 50 KiB */
  readonly maxBytes?: number;
  /** Ends the line about what is missing, for example with the place of the whole output. @default nothing */
  readonly remark?: string;
}

const LINE_FEED = 0x0a;

/**
 * Limits the output of a tool, so that one call does not fill the context window. Of an output with too many lines or bytes,
 * keeps the beginning and the end, half of the limits each. A line between them, which does not count, says how much is
 * missing. Characters are never split.
 *
 * ```ts
 * truncateToolOutput(await readFile("build.log", "utf8"), { maxLines: 200 });
 * ```
 */
export function truncateToolOutput(
  output: string,
  { maxLines = 2_000, maxBytes = 51_200, remark = "" }: TruncateToolOutputOptions = {},
): string {
  const bytes = Buffer.from(output, "utf8");
  const lineStarts = findLineStarts(bytes);
  if (bytes.length <= maxBytes && lineStarts.length <= maxLines) return output;
  // The line feeds around the omitted lines are omitted, too: the note has its own.
  const headLimit = (lineStarts[Math.ceil(maxLines / 2)] ?? bytes.length + 1) - 1;
  const tailLines = Math.floor(maxLines / 2);
  const tailLimit = tailLines === 0 ? bytes.length : (lineStarts.at(-tailLines) ?? 0);
  const headEnd = characterStart(bytes, Math.min(Math.max(headLimit, 0), Math.ceil(maxBytes / 2)), "before");
  const tailStart = characterStart(bytes, Math.max(tailLimit, bytes.length - Math.floor(maxBytes / 2)), "after");
  const missing = withoutOuterLineFeeds(bytes.subarray(headEnd, tailStart));
  const amount = `${count(findLineStarts(missing).length, "line")}, ${count(missing.length, "byte")}`;
  const note = `… (${amount} left out${remark === "" ? "" : `; ${remark}`}) …`;
  return [bytes.toString("utf8", 0, headEnd), note, bytes.toString("utf8", tailStart)]
    .filter((text) => text !== "")
    .join("\n");
}

function findLineStarts(bytes: Buffer): readonly number[] {
  const starts = [0];
  for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) starts.push(at + 1);
  return starts;
}

function withoutOuterLineFeeds(bytes: Buffer): Buffer {
  const start = bytes[0] === LINE_FEED ? 1 : 0;
  return bytes.subarray(start, bytes.length > start && bytes.at(-1) === LINE_FEED ? -1 : undefined);
}

/** The nearest offset at which a character begins: bytes of the form 10xxxxxx continue one. */
function characterStart(bytes: Buffer, position: number, direction: "before" | "after"): number {
  let at = position;
  while (at > 0 && at < bytes.length && ((bytes[at] ?? 0) & 0xc0) === 0x80) at += direction === "before" ? -1 : 1;
  return at;
}

function count(amount: number, unit: string): string {
  return `${amount.toLocaleString("en-US")} ${unit}${amount === 1 ? "" : "s"}`;
}
