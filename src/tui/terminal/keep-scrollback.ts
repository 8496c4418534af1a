import type { CliRenderer } from "@opentui/core";
import { FooterResizes, type ResizeOptions } from "./resize-footer.ts";

/** How OpenTUI moves the footer: by scrolling, or by clearing the rows that it leaves. */
interface FooterTransition {
  readonly mode: "viewport-scroll" | "clear-stale-rows";
  readonly sourceTopLine: number;
  readonly targetTopLine: number;
  readonly scrollLines?: number;
}

/** The private parts of OpenTUI's renderer that are used. */
interface InnerRenderer {
  /** The rows above the footer. */
  readonly renderOffset: number;
  readonly writeOut: (text: string) => void;
  readonly clearPendingSplitFooterTransition: () => void;
  setPendingSplitFooterTransition: (transition: FooterTransition) => void;
  readonly resetSplitScrollback: (usedRows: number) => void;
}

/**
 * Makes a growing footer push lines into the terminal's scrollback. OpenTUI 0.5 scrolls with SU (`CSI n S`), and terminals
 * such as those of VS Code drop what SU scrolls out. Line feeds at the last row keep it everywhere. Also keeps the scrollback
 * when the terminal changes its size.
 */
export function keepScrollback(renderer: CliRenderer, options: ResizeOptions): void {
  const { write } = options;
  // The cast is true for 0.5.14, the only version that package.json allows: its class has these private methods.
  const inner = renderer as unknown as InnerRenderer;
  const setTransition = inner.setPendingSplitFooterTransition.bind(renderer);
  const resizes = new FooterResizes(renderer, options);
  inner.setPendingSplitFooterTransition = (transition) => {
    // The footer is not in the terminal, and where it starts is decided when the resize is over.
    if (resizes.isResizing) return;
    const { mode, sourceTopLine, targetTopLine, scrollLines = 0 } = transition;
    if (mode !== "viewport-scroll" || scrollLines === 0) return setTransition(transition);
    // The next frame ends the synchronized update that starts here.
    write(`\u001b[?2026h\u001b[${renderer.terminalHeight};1H${"\n".repeat(scrollLines)}`);
    resizes.rememberScroll(scrollLines);
    inner.resetSplitScrollback(targetTopLine - 1);
    setTransition({
      ...transition,
      mode: "clear-stale-rows",
      sourceTopLine: Math.max(1, sourceTopLine - scrollLines),
      scrollLines: 0,
    });
  };
}

/**
 * Draws on the alternate screen, and returns a function that draws the footer again where it was. OpenTUI itself draws it
 * over the last lines above it.
 */
export function coverScrollback(renderer: CliRenderer): () => void {
  // The cast is true for 0.5.14, as above.
  const inner = renderer as unknown as InnerRenderer;
  renderer.externalOutputMode = "passthrough";
  const { renderOffset } = inner;
  // The terminal restores the cursor to this row, from which OpenTUI makes room for the footer.
  inner.writeOut(`\u001b[${renderOffset + 1};1H\u001b[J`);
  renderer.screenMode = "alternate-screen";
  return () => {
    if (renderer.isDestroyed) return;
    renderer.screenMode = "split-footer";
    renderer.externalOutputMode = "capture-stdout";
    inner.clearPendingSplitFooterTransition();
    inner.resetSplitScrollback(renderOffset);
    renderer.requestRender();
  };
}
