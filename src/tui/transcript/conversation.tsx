import type { MouseEvent } from "@opentui/core";
import { useTerminalDimensions } from "@opentui/react";
import { useEffect, useRef } from "react";
import { useChat, useKeys, useScreen, useTheme, useUi } from "../ui/ui-context.ts";
import { isCard, isRunning } from "./describe-entry.ts";
import { hasGapBefore } from "./entry-to-lines.ts";
import { EntryView } from "./entry-view.tsx";
import { newCount, rangeOf } from "./history-window.ts";
import { prepareHighlighting } from "./syntax-style.ts";
import { memoryOf } from "./transcript-memory.ts";
import { useHistory } from "./use-history.ts";

/** The space left and right of the conversation. */
const PADDING = 2;

// New objects would be applied, and the layout computed, at each render.
const HIDDEN = { visible: false } as const;
// With the default, the content counts as lower than it is where the view has one or two rows.
const VIEWPORT = { overflow: "scroll" } as const;
const CONTENT = { paddingX: PADDING, paddingBottom: 1 } as const;
// Each row is needed for the conversation then.
const LOW_ROWS = 16;
const LOW_CONTENT = { ...CONTENT, paddingBottom: 0 } as const;
const STILL = { onMouseScroll: (event: MouseEvent) => event.stopPropagation() } as const;
const STILL_CONTENT = { ...CONTENT, ...STILL } as const;
const LOW_STILL_CONTENT = { ...LOW_CONTENT, ...STILL } as const;

/** The messages of the conversation, the newest at the bottom. */
export function Conversation() {
  const { host } = useUi();
  const { model } = useChat();
  const dimensions = useTerminalDimensions();
  const { entries } = model;
  const history = useHistory(entries, dimensions);
  const { window, scroll, width } = history;
  const { start, end } = rangeOf(window, entries, dimensions.height);
  const shown = entries.slice(start, end);
  const spinnerId = shown.findLast(isRunning)?.id;
  const isStill = host.settings.hasMouseWheel === false;
  const isLow = dimensions.height < LOW_ROWS;
  const contentOptions = isLow ? (isStill ? LOW_STILL_CONTENT : LOW_CONTENT) : isStill ? STILL_CONTENT : CONTENT;
  useConversationKeys(history);
  useFollowing(history);
  useHighlighting();
  return (
    <box flexGrow={1} flexShrink={1} minHeight={0}>
      <scrollbox
        ref={scroll}
        flexGrow={1}
        minHeight={0}
        focusable={false}
        stickyScroll={window.type === "following"}
        stickyStart="bottom"
        viewportCulling
        renderAfter={history.onFrame}
        viewportOptions={VIEWPORT}
        verticalScrollbarOptions={HIDDEN}
        contentOptions={contentOptions}
      >
        {shown.map((entry, index) => (
          <EntryView
            key={entry.id}
            entry={entry}
            columns={Math.max(8, width - 2 * PADDING)}
            hasGap={hasGapBefore(entries[start + index - 1], entry)}
            hasSpinner={entry.id === spinnerId}
          />
        ))}
      </scrollbox>
      {window.type === "browsing" ? <NewLine count={newCount(window, entries.length)} /> : undefined}
    </box>
  );
}

/** Says that the view does not follow, over the right end of its last row. */
function NewLine({ count }: { readonly count: number }) {
  const { colors } = useTheme();
  const { glyphs, keymap } = useUi();
  const what = count === 0 ? "" : `${count} new ${glyphs.separator} `;
  return (
    <box position="absolute" bottom={0} right={PADDING} backgroundColor={colors.selection} zIndex={1}>
      <text fg={colors.accent}>{` ${glyphs.open} ${what}${keymap.labelOf("follow")} `}</text>
    </box>
  );
}

function useConversationKeys({ window, scroll, follow }: ReturnType<typeof useHistory>): void {
  const { chat, keymap } = useUi();
  useKeys((key) => {
    if (keymap.matches("pageUp", key)) scroll.current?.scrollBy(-0.8, "viewport");
    else if (keymap.matches("pageDown", key)) scroll.current?.scrollBy(0.8, "viewport");
    else if (keymap.matches("follow", key) && window.type === "browsing") follow();
    else if (keymap.matches("fold", key)) {
      const last = chat.snapshot().model.entries.findLast(isCard);
      if (last !== undefined) memoryOf(chat).folds.toggle(last);
    } else return false;
    return true;
  });
}

/** Shows the end when somebody else wants it: the person sends a message. */
function useFollowing({ follow }: ReturnType<typeof useHistory>): void {
  const { followCount } = useScreen();
  const latest = useRef(follow);
  latest.current = follow;
  useEffect(() => {
    if (followCount > 0) latest.current();
  }, [followCount]);
}

function useHighlighting(): void {
  useEffect(() => {
    // Without the worker, Markdown and code are shown without colours.
    prepareHighlighting().catch(() => undefined);
  }, []);
}
