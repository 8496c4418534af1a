/** A colour as `#rrggbb`, or the name of one of the terminal's 16 colours such as `cyan` or `brightRed`. */
export type ThemeColor = string;

/** The colours of a theme. */
export interface ThemeColors<Color = ThemeColor> {
  readonly background: Color;
  readonly foreground: Color;
  /** What has the focus, or is in progress. */
  readonly accent: Color;
  readonly border: Color;
  /** The text of the user's messages. */
  readonly userMessage: Color;
  /** The text of the agent's messages. */
  readonly assistantMessage: Color;
  readonly error: Color;
  readonly success: Color;
  readonly warning: Color;
  /** Context: times, counts, paths, hints. */
  readonly muted: Color;
  /** The background of selected text, and of the selected row. */
  readonly selection: Color;
  /** The background of added and of removed lines of a diff. */
  readonly addedLine: Color;
  readonly removedLine: Color;
}

/** The colours of highlighted code. */
export interface SyntaxColors<Color = ThemeColor> {
  readonly keyword: Color;
  readonly string: Color;
  readonly number: Color;
  readonly comment: Color;
  readonly function: Color;
  readonly type: Color;
}

/** The look of the terminal UI. {@link resolveTheme} makes colours that the terminal can show of its colours. */
export interface Theme<Color = ThemeColor> {
  readonly name: string;
  /** The kind of background it is made for. */
  readonly appearance: "dark" | "light";
  readonly colors: ThemeColors<Color>;
  readonly syntax: SyntaxColors<Color>;
}

/** For dark terminals. */
export const darkTheme: Theme = {
  name: "dark",
  appearance: "dark",
  colors: {
    background: "#16181d",
    foreground: "#d8dbe2",
    accent: "#6ea8fe",
    border: "#3a404c",
    userMessage: "#a9cbff",
    assistantMessage: "#d8dbe2",
    error: "#f28b82",
    success: "#81c995",
    warning: "#f2c66d",
    muted: "#868d9b",
    selection: "#2a3a55",
    addedLine: "#1b3326",
    removedLine: "#3d2024",
  },
  syntax: {
    keyword: "#c397f7",
    string: "#8fcf9a",
    number: "#f0a875",
    comment: "#868d9b",
    function: "#7fc8f8",
    type: "#e6c07b",
  },
};

/** For light terminals. */
export const lightTheme: Theme = {
  name: "light",
  appearance: "light",
  colors: {
    background: "#fbfbfc",
    foreground: "#24272e",
    accent: "#1a5fb4",
    border: "#c3c8d1",
    userMessage: "#174a8b",
    assistantMessage: "#24272e",
    error: "#b3261e",
    success: "#1b6e3c",
    warning: "#8a5a00",
    muted: "#656c79",
    selection: "#d5e3f8",
    addedLine: "#dbf3e1",
    removedLine: "#fbe1df",
  },
  syntax: {
    keyword: "#7627bb",
    string: "#1b6e3c",
    number: "#a04a00",
    comment: "#656c79",
    function: "#0b5394",
    type: "#7a5200",
  },
};
