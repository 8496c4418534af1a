import { useTerminalDimensions } from "@opentui/react";
import { useEffect, useState, useSyncExternalStore } from "react";
import { describeWaiting } from "../../contracts/index.ts";
import { columnsOf, formatDuration, safeLine } from "../../view/index.ts";
import type { ChatState } from "../chat/chat-state.ts";
import type { DiffComments } from "../chat/diff-comments.ts";
import { isShellRunning } from "../chat/shell-outcome.ts";
import type { Glyphs } from "../theme/glyphs.ts";
import { memoryOf } from "../transcript/transcript-memory.ts";
import { useChat, useScreen, useTheme, useUi } from "../ui/ui-context.ts";
import { flashText, formatFacts, formatUnsent, keyHelpFor } from "./format-status.ts";
import { usePadding } from "./use-padding.ts";
import { useWaitingCount, type WaitingCountOptions } from "./use-waiting-count.ts";

/** How often the time of a wait is drawn again. */
const TICK_MS = 1_000;

/** How long a flash covers what the agent does, in milliseconds. While it does nothing, the flash stays until the next key. */
const FLASH_MS = 3_000;

/** The fewest columns that the left side keeps, if it needs them. */
const MIN_LEFT_COLUMNS = 24;

/** The period of the spinner. */
const SPIN_MS = 120;

/** What the agent does, what it used, what the keys do here, and how much waits for a person. */
export function StatusLine(props: WaitingCountOptions) {
  const { colors } = useTheme();
  const { keymap, glyphs, host } = useUi();
  const { width } = useTerminalDimensions();
  const state = useChat();
  const screen = useScreen();
  const isBusy = isWorking(state);
  const activity = useActivity(state, glyphs);
  const own = useOwnLine(state);
  const padding = usePadding();
  const waitingCount = useWaitingCount(props);
  const comments = useUnsentComments();
  const room = Math.max(0, width - 2 * padding);
  // In other views the key leaves them.
  const isStopping = state.asks.length === 0 && screen.dialog === undefined && screen.view.type === "chat";
  const canStop = isStopping && (isBusy || hasRunningShell(state));
  const flash = useFlash(state, comments);
  const help = activity === "" ? keyHelpFor(state, screen, { keymap, glyphs }) : activity;
  const left = flash ?? help;
  // An answer to a key has what it needs; what does not fit beside it is not shown.
  const free = room - Math.min(flash === undefined ? MIN_LEFT_COLUMNS : room, columnsOf(left)) - 2;
  // The transcript shows its comments itself.
  const unsent = screen.view.type === "transcript" ? "" : formatUnsent(comments, keymap);
  const open = waitingCount === 0 ? "" : `${waitingCount} waiting (${keymap.labelOf("inbox")})`;
  const count = [unsent, open].filter((text) => text !== "").join(` ${glyphs.separator} `);
  const waiting = flash !== undefined && columnsOf(count) > free ? "" : count;
  const gap = waiting === "" ? "" : ` ${glyphs.separator} `;
  const columns = Math.max(0, free - columnsOf(waiting + gap));
  const stopKey = canStop ? `${keymap.labelOf("stop")} stop` : "";
  const stop = flash !== undefined && columnsOf(stopKey) > columns ? "" : stopKey;
  const right =
    own === undefined
      ? formatFacts(state, { glyphs, columns, stop })
      : [safeLine(own, Math.max(0, columns - columnsOf(stop) - 3)), stop]
          .filter((text) => text !== "")
          .join(` ${glyphs.separator} `);
  const facts = waiting === "" || right === "" ? right : `${gap}${right}`;
  const columnsLeft = Math.max(0, room - columnsOf(waiting + facts) - (waiting + facts === "" ? 0 : 2));
  const shown =
    activity === "" && flash === undefined
      ? keyHelpFor(state, screen, { keymap, glyphs, columns: columnsLeft })
      : safeLine(left, columnsLeft);
  // Other views say themselves what their keys do, and the facts are those of the conversation.
  if (screen.view.type !== "chat" && left === "" && screen.dialog === undefined) return;
  const isAlive = isBusy && host.settings.isColorless !== true;
  return (
    <box height={1} flexShrink={0} flexDirection="row" justifyContent="space-between" paddingX={padding}>
      <text fg={flash !== undefined ? colors.warning : isAlive ? colors.accent : colors.muted} wrapMode="none">
        {shown}
      </text>
      <text fg={colors.muted} wrapMode="none">
        <span fg={colors.warning}>{waiting}</span>
        {facts}
      </text>
    </box>
  );
}

/** Whether the agent works: on a turn, or on a side question. */
function isWorking({ status, sideQuestionCount }: ChatState): boolean {
  return status !== "idle" || sideQuestionCount > 0;
}

function useUnsentComments(): DiffComments {
  const { comments } = memoryOf(useUi().chat);
  return useSyncExternalStore(comments.subscribe, comments.snapshot);
}

/** Whether a command of the user runs, which the stop key ends. */
function hasRunningShell({ model }: ChatState): boolean {
  return model.entries.some((entry) => entry.type === "shell" && isShellRunning(entry));
}

/** The flash as a line, which is more urgent than what the agent does. */
function useFlash(state: ChatState, comments: DiffComments): string | undefined {
  const { keymap, ui } = useUi();
  const { flash } = useScreen();
  const isBusy = isWorking(state);
  useEffect(() => {
    if (flash === undefined || !isBusy) return;
    const timer = setTimeout(() => ui.flash(undefined), FLASH_MS);
    return () => clearTimeout(timer);
  }, [ui, flash, isBusy]);
  return flash === undefined ? undefined : flashText(flash, { ...state, comments }, keymap);
}

/** Every wait has a name: `waiting for the model 12s`. Empty while nothing happens. */
function useActivity(state: ChatState, glyphs: Glyphs): string {
  const { now, host } = useUi();
  const isBusy = isWorking(state);
  const isStill = host.settings.isMotionReduced === true;
  const [tick, setTick] = useState(0);
  useEffect(() => {
    if (!isBusy) return;
    const timer = setInterval(() => setTick((count) => count + 1), isStill ? TICK_MS : SPIN_MS);
    return () => clearInterval(timer);
  }, [isBusy, isStill]);
  if (state.asks.length > 0) return `${glyphs.waiting} ${state.agentType} asks you`;
  if (!isBusy) return "";
  const sign = isStill ? glyphs.running : (glyphs.spinner[tick % glyphs.spinner.length] ?? glyphs.running);
  const { turn } = state.model;
  if (state.status === "idle") return `${sign} answering your side question`;
  if (state.status === "starting") return `${sign} starting ${state.agentType}`;
  if (state.status === "compacting") return `${sign} compacting the conversation`;
  if (turn === undefined) return sign;
  if (turn.waiting !== undefined) return `${glyphs.waiting} waiting ${describeWaiting(turn.waiting, now())}`;
  const waitedMs = now() - turn.since;
  const time = waitedMs < 1_000 ? "" : ` ${formatDuration(waitedMs)}`;
  return `${sign} ${turn.activity}${time}`;
}

/** The line of the user's own status command. */
function useOwnLine(state: ChatState): string | undefined {
  const { host } = useUi();
  const { statusLine } = host;
  const [line, setLine] = useState<string | undefined>(undefined);
  const { agentType, modelName = "", status, model, contextUsage } = state;
  const { inputTokens, outputTokens, costUsd } = model.usage;
  useEffect(() => {
    if (statusLine === undefined || status === "working") return;
    let isMounted = true;
    const facts = {
      ...{ agent: agentType, model: modelName, status, inputTokens, outputTokens },
      ...(costUsd === undefined ? {} : { costUsd }),
      contextFraction: contextUsage?.fraction ?? 0,
    };
    statusLine(facts).then(
      (text) => {
        if (isMounted) setLine(text);
      },
      () => {
        if (isMounted) setLine(undefined);
      },
    );
    return () => {
      isMounted = false;
    };
  }, [statusLine, status, agentType, modelName, inputTokens, outputTokens, costUsd, contextUsage]);
  return line;
}
