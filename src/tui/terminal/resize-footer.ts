import type { CliRenderer } from "@opentui/core";
import { type DrawnFooter, rowsToFooterStart, visibleLengths } from "./footer-rows.ts";

/** The private parts of OpenTUI's renderer that are used. */
interface InnerRenderer {
  /** The rows above the footer. */
  readonly renderOffset: number;
  readonly rendererPtr: unknown;
  readonly lib: {
    /** The cursor, from 1, within the footer. */
    getCursorState(renderer: unknown): { readonly x: number; readonly y: number; readonly visible: boolean };
  };
  readonly _controlState: string;
  /** What is still to be written to the scrollback. */
  readonly externalOutputQueue: { readonly size: number };
  readonly clearPendingSplitFooterTransition: () => void;
  readonly resetSplitScrollback: (usedRows: number) => void;
  readonly processResize: (columns: number, rows: number) => void;
  forceFullRepaintRequested: boolean;
  writeOut: (text: string) => void;
  handleResize: (columns: number, rows: number) => void;
  isSplitCursorSeedFrameBlocked: () => boolean;
  flushPendingSplitCommits: (...options: readonly boolean[]) => string;
}

/** What {@link FooterResizes} needs of the terminal. */
export interface ResizeOptions {
  /** Writes before it returns. */
  readonly write: (text: string) => void;
  /** Asks the operating system for columns and rows. Undefined when it does not know them. */
  readonly readSize: () => readonly [columns: number, rows: number] | undefined;
  /** Whether it is tmux, which reports sizes up to 250 ms late when they change often. */
  readonly isTmux: boolean;
  /** See {@link NewSize.isXtermJs}. */
  readonly isXtermJs: boolean;
}

/**
 * Erases from the cursor's row on. In tmux, erasing the whole screen at once would copy it into the scrollback: the first cell
 * is erased alone.
 */
const ERASE_BELOW = "\r\u001b[K\u001b[C\u001b[J\r";

/** The footer is drawn again when the size was the same for this time, in milliseconds. */
const STABLE_MS = 80;
const STABLE_IN_TMUX_MS = 300;

/** How long the terminal may take to answer where its cursor is, in milliseconds. */
const ANSWER_MS = 500;

/**
 * Keeps the scrollback when the terminal changes its size. OpenTUI 0.5 clears and draws at the rows that the footer had
 * before, but the terminal has already wrapped and scrolled them. Here, the footer is erased at once, relative to the cursor,
 * and drawn again where the terminal says that the cursor is. No frame is drawn in between.
 */
export class FooterResizes {
  readonly #renderer: CliRenderer;
  readonly #inner: InnerRenderer;
  readonly #options: ResizeOptions;
  /** Undefined when it is not in the terminal: then the cursor is where it has to start. */
  #drawn: DrawnFooter | undefined;
  /** Empty rows between the scrollback and the footer, until something is written to the scrollback after them. */
  #gapRows = 0;
  #size: { readonly columns: number; readonly rows: number } | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Answers about the cursor that are still to come. */
  #awaited = 0;
  #isAsking = false;

  constructor(renderer: CliRenderer, options: ResizeOptions) {
    this.#renderer = renderer;
    this.#options = options;
    // The cast is true for 0.5.14, the only version that package.json allows: its class has these private methods.
    const inner = renderer as unknown as InnerRenderer;
    this.#inner = inner;
    const handleResize = inner.handleResize.bind(renderer);
    const isBlocked = inner.isSplitCursorSeedFrameBlocked.bind(renderer);
    const flush = inner.flushPendingSplitCommits.bind(renderer);
    inner.isSplitCursorSeedFrameBlocked = () => this.isResizing || isBlocked();
    inner.flushPendingSplitCommits = (...flags) => {
      if (this.#startIfResized()) return "blocked";
      if (this.#isInline()) this.#keepRoomAbove();
      const hasCommits = inner.externalOutputQueue.size > 0;
      const status = flush(...flags);
      if (hasCommits) this.#gapRows = 0;
      if (status === "rendered") this.#rememberFooter();
      return status;
    };
    inner.handleResize = (columns, rows) => {
      // Before the first frame, there is nothing to keep.
      if (!this.#isInline() || isBlocked()) return handleResize(columns, rows);
      this.#start(columns, rows);
    };
    renderer.prependInputHandler((sequence) => this.#receive(sequence));
  }

  /** Whether the footer is erased and not drawn again yet. */
  get isResizing(): boolean {
    return this.#size !== undefined;
  }

  /** Has to be called when line feeds on the last row moved the footer up by so many rows, before the next frame. */
  rememberScroll(scrollLines: number): void {
    if (this.#drawn === undefined) return;
    const { rows, lengths, emptyRows } = this.#drawn;
    const below = Array.from({ length: emptyRows + scrollLines }, () => 0);
    const cursorRow = lengths.length + below.length - 1;
    this.#drawn = { rows, lengths: [...lengths, ...below], cursorRow, cursorColumn: 0, emptyRows: 0 };
  }

  #isInline(): boolean {
    const { screenMode, externalOutputMode, isDestroyed } = this.#renderer;
    const isSuspended = this.#inner._controlState === "explicit_suspended";
    return !isDestroyed && !isSuspended && screenMode === "split-footer" && externalOutputMode === "capture-stdout";
  }

  #rememberFooter(): void {
    const { terminalHeight: rows, currentRenderBuffer } = this.#renderer;
    const { isTmux, write } = this.#options;
    const { width } = currentRenderBuffer;
    const top = this.#inner.renderOffset;
    const lengths = visibleLengths(currentRenderBuffer);
    const { x, y, visible } = this.#inner.lib.getCursorState(this.#inner.rendererPtr);
    const last = lengths.length - 1;
    const cursorRow = visible ? Math.min(Math.max(0, y - 1), last) : last;
    this.#drawn = {
      rows,
      lengths: [...Array.from({ length: this.#gapRows }, () => 0), ...(isTmux ? lengths.map(() => width) : lengths)],
      cursorRow: this.#gapRows + cursorRow,
      cursorColumn: visible ? Math.max(0, x - 1) : 0,
      emptyRows: Math.max(0, rows - top - lengths.length),
    };
    const ends = lengths.map((length, row) => {
      if (length >= width) return "";
      // tmux wraps what has been erased, too. A space makes all rows equally long.
      return isTmux ? `\u001b[${top + row + 1};${width}H ` : `\u001b[${top + row + 1};${length + 1}H\u001b[K`;
    });
    // OpenTUI leaves a hidden cursor on the first row, and terminals that get lower drop what is below it.
    const cursor = visible ? "" : `\u001b[${top + lengths.length};1H`;
    write(`\u001b[?2026h\u001b7\u001b[0m${ends.join("")}\u001b8${cursor}\u001b[?2026l`);
  }

  /**
   * A terminal that gets narrower wraps the rows of the footer, and scrolls as many rows away at its top. tmux does so even while
   * there are empty rows below. So the footer never starts above the middle there: what is scrolled away is above it.
   */
  #keepRoomAbove(): void {
    if (!this.#options.isTmux || this.#drawn !== undefined) return;
    const { terminalHeight, footerHeight } = this.#renderer;
    const start = this.#inner.renderOffset;
    const middle = Math.min(Math.floor(terminalHeight / 2), terminalHeight - footerHeight);
    this.#gapRows = Math.max(0, middle - start);
    if (this.#gapRows > 0) this.#inner.resetSplitScrollback(middle);
  }

  /** A frame for another size would be drawn over finished lines. The signal may arrive only after the frame. */
  #startIfResized(): boolean {
    if (this.isResizing) return true;
    const [columns, rows] = this.#options.readSize() ?? [0, 0];
    if (columns === 0 || rows === 0 || !this.#isInline()) return false;
    if (columns === this.#renderer.terminalWidth && rows === this.#renderer.terminalHeight) return false;
    this.#start(columns, rows);
    return true;
  }

  #start(columns: number, rows: number): void {
    if (this.#drawn !== undefined) {
      const { isXtermJs, write } = this.#options;
      const up = rowsToFooterStart(this.#drawn, { columns, rows, isXtermJs });
      write(`${up === 0 ? "" : `\u001b[${up}A`}${ERASE_BELOW}`);
      this.#drawn = undefined;
    }
    this.#size = { columns, rows };
    this.#isAsking = false;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#ask(), this.#options.isTmux ? STABLE_IN_TMUX_MS : STABLE_MS);
  }

  #ask(): void {
    if (!this.#isInline()) return this.#finish(undefined);
    this.#awaited++;
    this.#isAsking = true;
    this.#options.write("\u001b[6n");
    this.#timer = setTimeout(() => this.#finish(undefined), ANSWER_MS);
  }

  /** Returns whether the sequence is an answer. */
  #receive(sequence: string): boolean {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what terminals send
    const row = /^\u001b\[(\d+);\d+R$/.exec(sequence)?.[1];
    if (row === undefined || this.#awaited === 0) return false;
    this.#awaited--;
    // Earlier questions were about earlier sizes.
    if (this.#awaited === 0 && this.#isAsking) this.#finish(Number(row));
    return true;
  }

  /** @param row the cursor's, from 1; undefined when the terminal did not answer */
  #finish(row: number | undefined): void {
    clearTimeout(this.#timer);
    const size = this.#size;
    this.#isAsking = false;
    if (size === undefined || this.#renderer.isDestroyed) return;
    const isInline = this.#isInline();
    const usedRows = Math.min(row === undefined ? this.#inner.renderOffset : row - 1, size.rows);
    this.#resizeRenderer(size);
    if (isInline) this.#placeFooter(usedRows, size.rows);
    this.#size = undefined;
    this.#inner.forceFullRepaintRequested = true;
    this.#renderer.requestRender();
  }

  /** Without what OpenTUI erases. */
  #resizeRenderer({ columns, rows }: { readonly columns: number; readonly rows: number }): void {
    const inner = this.#inner;
    const { writeOut } = inner;
    inner.writeOut = () => undefined;
    try {
      inner.processResize(columns, rows);
    } finally {
      inner.writeOut = writeOut;
    }
  }

  #placeFooter(usedRows: number, rows: number): void {
    const free = Math.max(0, rows - this.#renderer.footerHeight);
    const missing = Math.max(0, usedRows - free);
    if (missing > 0) this.#options.write(`\u001b[${rows};1H${"\n".repeat(missing)}`);
    this.#inner.clearPendingSplitFooterTransition();
    this.#inner.resetSplitScrollback(usedRows - missing);
  }
}
