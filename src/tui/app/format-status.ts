import type { ContextUsage } from "../../contracts/index.ts";
import { columnsOf, formatCost, formatCount } from "../../view/index.ts";
import type { ChatState } from "../chat/chat-state.ts";
import { countComments, type DiffComments } from "../chat/diff-comments.ts";
import { describeUnsent } from "../chat/message-queue.ts";
import type { Keymap } from "../keys/keymap.ts";
import type { Glyphs } from "../theme/glyphs.ts";
import type { Flash, Screen } from "../ui/ui-store.ts";

/** Where and with which signs a line is shown. */
interface StatusStyle {
  readonly glyphs: Glyphs;
  /** Parts that do not fit are left out as a whole. @default no limit */
  readonly columns?: number;
}

/** A part of a line. Those with the highest rank are left out first. */
interface RankedPart {
  readonly text: string;
  readonly rank: number;
}

/**
 * Context and cost: `ctx 38% of 200k · $0.11`, after them what stops the turn. Where the context is unknown, all tokens that were
 * used: `12.4k tokens`. The cost is left out first, then the context or the tokens; what stops the turn is never left out.
 */
export function formatFacts(
  { contextUsage, model }: ChatState,
  { glyphs, columns = Number.POSITIVE_INFINITY, stop = "" }: StatusStyle & { readonly stop?: string },
): string {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, costUsd } = model.usage;
  const tokens = inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens;
  const context = contextUsage === undefined ? "" : formatContext(contextUsage);
  const used = tokens === 0 ? "" : `${formatCount(tokens)} tokens`;
  const parts = [
    { text: context === "" ? used : context, rank: 1 },
    { text: costUsd === undefined ? "" : formatCost(costUsd), rank: 2 },
    { text: stop, rank: 0 },
  ];
  return fitParts(parts, { glyphs, columns, isFirstKept: stop !== "" });
}

/** `isFirstKept`: the part with the lowest rank stays where it does not fit, too. */
function fitParts(
  parts: readonly RankedPart[],
  style: Required<StatusStyle> & { readonly isFirstKept: boolean },
): string {
  const { glyphs, columns, isFirstKept } = style;
  const known = parts.filter(({ text }) => text !== "");
  const line = known.map(({ text }) => text).join(` ${glyphs.separator} `);
  if (columnsOf(line) <= columns || (known.length < 2 && isFirstKept)) return line;
  const last = Math.max(...known.map(({ rank }) => rank));
  return fitParts(
    known.filter(({ rank }) => rank !== last),
    style,
  );
}

/** `ctx 38% of 200k`. Empty where the size of the context is unknown. */
function formatContext({ maxTokens, fraction }: ContextUsage): string {
  if (maxTokens === 0) return "";
  return `ctx ${Math.round(fraction * 100)}% of ${formatCount(maxTokens).replace(".0", "")}`;
}

/** A flash as a line. Before the chat ends, it says which messages and comments are lost. */
export function flashText(
  flash: Flash,
  { queue, comments }: Pick<ChatState, "queue"> & { readonly comments: DiffComments },
  keymap: Keymap,
): string {
  if (typeof flash === "string") return flash;
  const lost = [
    ...(queue.length === 0 ? [] : [describeUnsent(queue.length)]),
    ...(comments.comments.length === 0 ? [] : [`${countComments(comments.comments.length)} will not be sent`]),
  ];
  return `${keymap.labelOf("quit")} again quits${lost.length === 0 ? "" : `: ${lost.join(", ")}`}`;
}

/** What the person wrote and did not send: `2 comments wait (ctrl+o, s sends)`. Empty when there is none. */
export function formatUnsent(comments: DiffComments, keymap: Keymap): string {
  const count = comments.comments.length;
  if (count === 0) return "";
  return `${countComments(count)} ${count === 1 ? "waits" : "wait"} (${keymap.labelOf("transcript")}, s sends)`;
}

/** What the keys do here, three to five of them. The last ones are left out first. */
export function keyHelpFor(
  { asks }: Pick<ChatState, "asks">,
  { view, dialog }: Screen,
  { keymap, glyphs, columns = Number.POSITIVE_INFINITY }: StatusStyle & { readonly keymap: Keymap },
): string {
  const key = (action: Parameters<Keymap["labelOf"]>[0], does: string): string =>
    keymap.keysOf(action).length === 0 ? "" : `${keymap.labelOf(action)} ${does}`;
  if (asks.length > 0 || dialog !== undefined || view.type !== "chat") return "";
  const helps = [key("help", "keys"), "/ commands", key("transcript", "transcript"), key("quit", "twice quits")];
  return fitParts(
    helps.map((text, rank) => ({ text, rank })),
    { glyphs, columns, isFirstKept: false },
  );
}

/**
 * A folder and its branch in at most so many columns: `/work/shop  main ±3`. The path loses its start first, then the branch is
 * left out.
 */
export function formatPlace(
  path: string,
  {
    branch,
    columns,
    glyphs,
  }: { readonly branch: string | undefined; readonly columns: number; readonly glyphs: Pick<Glyphs, "ellipsis"> },
): string {
  const folders = path.split("/").filter((folder) => folder !== "");
  const name = folders.at(-1) ?? path;
  const paths = [folders.length <= 2 ? path : `${glyphs.ellipsis}/${folders.slice(-2).join("/")}`, name];
  const withBranch = branch === undefined ? [] : paths.map((place) => `${place}  ${branch}`);
  return [...withBranch, ...paths].find((place) => columnsOf(place) <= columns) ?? "";
}
