import type { CliRenderer } from "@opentui/core";

/** How OpenTUI moves the footer: by scrolling, or by clearing the rows that it leaves. */
interface FooterTransition {
  readonly mode: "viewport-scroll" | "clear-stale-rows";
  readonly sourceTopLine: number;
  readonly scrollLines?: number;
}

/**
 * Makes a growing footer push lines into the terminal's scrollback. OpenTUI 0.5 scrolls with SU (`CSI n S`), and terminals
 * such as those of VS Code drop what SU scrolls out. Line feeds at the last row keep it everywhere.
 */
export function keepScrollback(renderer: CliRenderer, write: (text: string) => void): void {
  // The cast is true for 0.5.14, the only version that package.json allows: its class has this private method.
  const inner = renderer as unknown as { setPendingSplitFooterTransition: (transition: FooterTransition) => void };
  const setTransition = inner.setPendingSplitFooterTransition.bind(renderer);
  inner.setPendingSplitFooterTransition = (transition) => {
    const { mode, sourceTopLine, scrollLines = 0 } = transition;
    if (mode !== "viewport-scroll" || scrollLines === 0) return setTransition(transition);
    // The next frame ends the synchronized update that starts here.
    write(`\u001b[?2026h\u001b[${renderer.terminalHeight};1H${"\n".repeat(scrollLines)}`);
    setTransition({
      ...transition,
      mode: "clear-stale-rows",
      sourceTopLine: Math.max(1, sourceTopLine - scrollLines),
      scrollLines: 0,
    });
  };
}
