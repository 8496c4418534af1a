import { memo, useEffect, useState } from "react";
import { useTheme, useUi } from "../ui/ui-context.ts";
import { useMouse } from "../ui/use-mouse.ts";
import { fitCard } from "./card.ts";
import { type CardEntry, describeEntry, isRunning } from "./describe-entry.ts";
import { detailLines } from "./entry-to-lines.ts";
import { colorOf, styleLines } from "./styled-lines.ts";

/** Properties of {@link CardView}. */
export interface CardViewProps {
  readonly entry: CardEntry;
  readonly columns: number;
  readonly isOpen: boolean;
  /** Whether its sign moves while it is in progress. At most one of a screen does. */
  readonly hasSpinner: boolean;
  readonly onToggle: (entry: CardEntry) => void;
}

/** A tool call, a sub-agent, a thought or a command: one line, and what is below it when it is open. */
export const CardView = memo(function CardView({ entry, columns, isOpen, hasSpinner, onToggle }: CardViewProps) {
  const theme = useTheme();
  const { glyphs, host } = useUi();
  const mouse = useMouse();
  const isAlive = isRunning(entry);
  const spins = isAlive && hasSpinner && host.settings.isMotionReduced !== true;
  const { now, tick } = useTicks(isAlive, spins ? SPINNER_MS : CLOCK_MS);
  const options = { glyphs, isOpen, now, workingDirectory: host.workingDirectory };
  const card = describeEntry(entry, options);
  const { object, end } = fitCard(card, columns);
  const lines = detailLines(entry, { ...options, columns });
  const sign = spins ? (glyphs.spinner[tick % glyphs.spinner.length] ?? card.sign) : card.sign;
  const quiet = theme.colors.muted;
  const time = end.slice(end.length - card.time.length);
  const outcome = end.slice(0, end.length - card.time.length);
  return (
    <box flexDirection="column" flexShrink={0}>
      <text height={1} wrapMode="none" fg={quiet} {...mouse.click(() => onToggle(entry))}>
        <span fg={colorOf(card.signTone, theme)}>{sign}</span>
        <span fg={card.isQuiet ? quiet : theme.colors.foreground}>{` ${card.verb} `}</span>
        <span fg={entry.type === "shell" ? theme.colors.userMessage : quiet}>{object}</span>
        <span fg={colorOf(card.outcomeTone, theme)}>{outcome}</span>
        <span fg={quiet}>{time}</span>
      </text>
      {lines.length === 0 ? undefined : <text wrapMode="none" flexShrink={0} content={styleLines(lines, theme)} />}
    </box>
  );
});

const SPINNER_MS = 120;
const CLOCK_MS = 1_000;

/** Renders again at an interval while something is in progress. */
function useTicks(isActive: boolean, intervalMs: number): { readonly now: number; readonly tick: number } {
  const { now } = useUi();
  const [tick, setTick] = useState(0);
  useEffect(() => {
    if (!isActive) return;
    const timer = setInterval(() => setTick((count) => count + 1), intervalMs);
    return () => clearInterval(timer);
  }, [isActive, intervalMs]);
  return { now: now(), tick };
}
