/** A run's question that the inbox is opened for. */
export interface OpenedQuestion {
  readonly runId: string;
  /** @default the first of the run */
  readonly requestId?: string;
  /** Whether its form is open at once. @default false */
  readonly isOpen?: boolean;
}

/** A run on the screen. */
export interface RunMainView {
  readonly type: "run";
  readonly runId: string;
  /** What it was opened from, and returns to. @default the chat */
  readonly from?: "runs" | "inbox";
  /** The filter of the runs that it was opened from. */
  readonly filter?: string;
}

/** What fills the screen. */
export type MainView =
  | { readonly type: "chat" }
  /** The whole conversation, with search. */
  | { readonly type: "transcript" }
  /** `runId`: the run that is selected first. @default the newest. `filter`: what is typed into the filter. @default nothing */
  | { readonly type: "runs"; readonly runId?: string; readonly filter?: string }
  | RunMainView
  /** `question`: what it was opened for, and is selected first. `back`: the run it returns to. @default the chat */
  | { readonly type: "inbox"; readonly question?: OpenedQuestion; readonly back?: RunMainView };

/** A dialog over the input. Permission requests and questions of the agent are not here: they open by themselves. */
export type Dialog =
  /** `first`: what is at the top. @default "keys" */
  | { readonly type: "help"; readonly first?: "keys" | "commands" }
  | { readonly type: "model" }
  | { readonly type: "agent" }
  | { readonly type: "theme" }
  | { readonly type: "sessions" }
  | { readonly type: "rewind" }
  | { readonly type: "mcp" }
  | { readonly type: "context" }
  /** `commentCount`: how many comments on diffs are not sent. @default 0 */
  | { readonly type: "confirm-quit"; readonly commentCount?: number };

/** A line in place of the keys' help: a text, or that the quit key was pressed once. */
export type Flash = string | { readonly type: "quit" };

/** What is shown. */
export interface Screen {
  readonly view: MainView;
  readonly dialog: Dialog | undefined;
  readonly areTasksShown: boolean;
  /** The name of the theme, or `auto`. */
  readonly themeName: string;
  /** The kind of background of the theme in effect. */
  readonly appearance: "dark" | "light";
  /** A line in place of the keys' help, until the next key. */
  readonly flash: Flash | undefined;
  /** How often the end of the conversation was wanted: each time, the conversation shows it and follows again. */
  readonly followCount: number;
}

/** Holds what is shown: view, dialog, theme. */
export class UiStore {
  #screen: Screen;
  #readDraft: () => string = () => "";
  readonly #listeners = new Set<() => void>();

  constructor(themeName = "auto") {
    this.#screen = {
      ...{ view: { type: "chat" }, dialog: undefined, areTasksShown: false },
      ...{ themeName, appearance: "dark", flash: undefined, followCount: 0 },
    };
  }

  readonly snapshot = (): Screen => this.#screen;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** What is in the input, which the chat's end shows. */
  readonly readDraft = (): string => this.#readDraft();

  /** Called by the part that holds the input. */
  setDraftReader(read: () => string): void {
    this.#readDraft = read;
  }

  show(view: MainView): void {
    this.#change({ view, dialog: undefined });
  }

  open(dialog: Dialog): void {
    this.#change({ dialog });
  }

  close(): void {
    this.#change({ dialog: undefined });
  }

  toggleTasks(): void {
    this.#change({ areTasksShown: !this.#screen.areTasksShown });
  }

  setTheme(themeName: string): void {
    this.#change({ themeName });
  }

  /** Called by the part that draws the theme. */
  setAppearance(appearance: "dark" | "light"): void {
    if (appearance !== this.#screen.appearance) this.#change({ appearance });
  }

  flash(flash: Flash | undefined): void {
    if (flash !== this.#screen.flash) this.#change({ flash });
  }

  /** Shows the end of the conversation again. */
  follow(): void {
    this.#change({ followCount: this.#screen.followCount + 1 });
  }

  #change(change: Partial<Screen>): void {
    this.#screen = { ...this.#screen, ...change };
    for (const listener of this.#listeners) listener();
  }
}
