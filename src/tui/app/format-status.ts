import { formatCost, formatCount } from "../../view/index.ts";
import type { ChatState } from "../chat/chat-state.ts";
import type { Keymap } from "../keys/keymap.ts";
import type { Glyphs } from "../theme/glyphs.ts";
import type { Screen } from "../ui/ui-store.ts";

/** Bars of the context's picture. */
const BAR_COUNT = 3;

/** Context, tokens and cost: `ctx ▂▃▁ 38%  12.4k  $0.11`. */
export function formatFacts({ contextUsage, model }: ChatState, { glyphs }: { readonly glyphs: Glyphs }): string {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, costUsd } = model.usage;
  const tokens = inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens;
  return [
    contextUsage === undefined || contextUsage.maxTokens === 0 ? "" : formatContext(contextUsage.fraction, glyphs),
    tokens === 0 ? "" : formatCount(tokens),
    costUsd === undefined ? "" : formatCost(costUsd),
  ]
    .filter((text) => text !== "")
    .join(` ${glyphs.separator} `);
}

function formatContext(fraction: number, { bars }: Glyphs): string {
  const filled = Math.max(0, Math.min(1, fraction)) * BAR_COUNT;
  const picture = Array.from({ length: BAR_COUNT }, (_, index) => {
    const part = Math.max(0, Math.min(1, filled - index));
    return bars[Math.min(bars.length - 1, Math.round(part * (bars.length - 1)))] ?? "";
  });
  return `ctx ${picture.join("")} ${Math.round(fraction * 100)}%`;
}

/** What the keys do here, three to five of them. */
export function keyHelpFor(
  { asks }: Pick<ChatState, "asks">,
  { view, dialog }: Screen,
  { keymap, glyphs }: { readonly keymap: Keymap; readonly glyphs: Glyphs },
): string {
  const key = (action: Parameters<Keymap["labelOf"]>[0], does: string): string => `${keymap.labelOf(action)} ${does}`;
  if (asks.length > 0 || dialog !== undefined || view.type !== "chat") return "";
  const helps = [key("help", "keys"), "/ commands", key("transcript", "transcript"), key("quit", "twice quits")];
  return helps.join(` ${glyphs.separator} `);
}
