/** The signs of the UI's own chrome. Each is one column wide. */
export interface Glyphs {
  readonly running: string;
  readonly pending: string;
  readonly done: string;
  readonly failed: string;
  readonly waiting: string;
  readonly paused: string;
  readonly skipped: string;
  readonly folded: string;
  readonly open: string;
  /** Before the row of a list that has the focus. */
  readonly pointer: string;
  /** A vertical line, a branch, and the last branch of a tree. */
  readonly line: string;
  readonly branch: string;
  readonly lastBranch: string;
  readonly horizontal: string;
  readonly separator: string;
  readonly ellipsis: string;
  /** Before the number of removed lines. */
  readonly minus: string;
  /** The frames of the one spinner of a region. */
  readonly spinner: readonly string[];
  /** The full, the middle and the empty part of a horizontal bar. */
  readonly shades: readonly [full: string, middle: string, empty: string];
  /** Before the rest of a line that is wrapped at any character. */
  readonly wrapped: string;
  /** An option that is chosen, and one that is not. */
  readonly chosen: string;
  readonly unchosen: string;
  /** Before an item of a list, and the boxes of tasks. */
  readonly bullet: string;
  readonly unchecked: string;
  readonly checked: string;
  /** The boxes of a task in progress and of a cancelled one. */
  readonly begun: string;
  readonly crossed: string;
}

/** For terminals with Unicode. */
export const UNICODE_GLYPHS: Glyphs = {
  running: "●",
  pending: "○",
  done: "✓",
  failed: "✗",
  waiting: "?",
  paused: "‖",
  skipped: "⊘",
  folded: "▸",
  open: "▾",
  pointer: "›",
  line: "│",
  branch: "├",
  lastBranch: "└",
  horizontal: "─",
  separator: "·",
  ellipsis: "…",
  minus: "−",
  spinner: ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧"],
  shades: ["█", "▒", "░"],
  wrapped: "┆",
  chosen: "●",
  unchosen: "○",
  bullet: "•",
  unchecked: "☐",
  checked: "☑",
  begun: "◐",
  crossed: "☒",
};

/** For terminals and fonts without Unicode. */
export const ASCII_GLYPHS: Glyphs = {
  running: "*",
  pending: "o",
  done: "v",
  failed: "x",
  waiting: "?",
  paused: "=",
  skipped: "-",
  folded: ">",
  open: "v",
  pointer: ">",
  line: "|",
  branch: "|-",
  lastBranch: "\\-",
  horizontal: "-",
  separator: "-",
  ellipsis: "...",
  minus: "-",
  spinner: ["|", "/", "-", "\\"],
  shades: ["#", "=", "."],
  wrapped: ":",
  chosen: "x",
  unchosen: "-",
  bullet: "-",
  unchecked: "[ ]",
  checked: "[x]",
  begun: "[*]",
  crossed: "[-]",
};
