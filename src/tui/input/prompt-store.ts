import { messageOf } from "../../contracts/index.ts";
import { safeText } from "../../view/index.ts";
import type { Attachment } from "../chat/chat-state.ts";
import { expandPastes } from "../chat/compose-message.ts";
import type { CommandRegistry } from "../commands/command-registry.ts";
import type { ChatHost } from "../host/chat-host.ts";
import { addAttachment, attachmentsIn, keepLabelsWhole } from "./attachments.ts";
import { type HintState, IDLE_HINT, reduceHint } from "./hint-state.ts";
import {
  type Draft,
  draftOf,
  EMPTY_DRAFT,
  type HistoryWalk,
  searchHistory,
  startWalk,
  stepWalk,
} from "./input-history.ts";
import { type MentionToken, mentionAt } from "./mention-index.ts";
import { MentionSource } from "./mention-source.ts";
import { NO_LIST, type PromptList } from "./prompt-list.ts";
import type { TextEditor } from "./text-editor.ts";
import { type CursorText, INITIAL_VI, type ViState } from "./vi-keys.ts";

/** Everything about the input that is shown. A new value for each change. */
export interface PromptState {
  readonly draft: Draft;
  readonly hint: HintState;
  /** The mention at the cursor. Absent after Escape, until the next `@`. */
  readonly mention: MentionToken | undefined;
  /** The `@` whose list was closed. */
  readonly dismissedMention: number | undefined;
  readonly selected: number;
  /** Whether the selection was moved: Enter then executes the row, not what was typed. */
  readonly hasSelected: boolean;
  readonly walk: HistoryWalk | undefined;
  /** What was in the input before the search of the history. The text is what is searched meanwhile. */
  readonly searchedFrom: Draft | undefined;
  readonly vi: ViState;
}

/** What the store needs. */
export interface PromptStoreOptions {
  readonly commands: CommandRegistry;
  readonly host: Pick<ChatHost, "history" | "listFiles">;
  readonly onError: (error: unknown) => void;
}

/** A message that is ready to be sent. */
export interface SubmittedPrompt {
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

const EMPTY_PROMPT: PromptState = {
  draft: EMPTY_DRAFT,
  hint: IDLE_HINT,
  mention: undefined,
  dismissedMention: undefined,
  selected: 0,
  hasSelected: false,
  walk: undefined,
  searchedFrom: undefined,
  vi: INITIAL_VI,
};

const NO_MENTION = { mention: undefined, dismissedMention: undefined, selected: 0, hasSelected: false } as const;

/**
 * The draft of the input, and the messages before it. It lives longer than the input, which is gone while a dialog covers it.
 *
 * 1. While a text field is attached, it is the owner of the text: {@link sync} reads it before each decision, since keys
 *    arrive faster than the UI draws.
 * 2. Every change from here is written to the field in the same call.
 */
export class PromptStore {
  readonly #options: PromptStoreOptions;
  readonly #mentions: MentionSource;
  readonly #listeners = new Set<() => void>();
  #state = EMPTY_PROMPT;
  #history: readonly Draft[] = [];
  #hasLoadedHistory = false;
  #editor: TextEditor | undefined;
  /** Whether the field is being changed to what its text should be: it reports that in the same call. */
  #isCorrecting = false;
  #list: { readonly state: PromptState; readonly revision: number; readonly list: PromptList } | undefined;

  constructor(options: PromptStoreOptions) {
    this.#options = options;
    this.#mentions = new MentionSource({ ...options, onChange: () => this.#change({}) });
  }

  readonly snapshot = (): PromptState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Loads the messages of earlier conversations, once. */
  async loadHistory(): Promise<void> {
    if (this.#hasLoadedHistory) return;
    this.#hasLoadedHistory = true;
    try {
      const earlier = (await this.#options.host.history?.load()) ?? [];
      this.#history = [...earlier.map((text) => draftOf(safeText(text))), ...this.#history];
      // A search that is open already shows them.
      if (this.#state.searchedFrom !== undefined) this.#change({});
    } catch (error) {
      this.#options.onError(
        new Error(`The messages of earlier conversations cannot be read: ${messageOf(error)}`, { cause: error }),
      );
    }
  }

  /** Shows the draft in a text field. Returns a function that keeps what is in it. */
  attach(editor: TextEditor): () => void {
    this.#editor = editor;
    editor.reset(this.#state.draft);
    return () => {
      this.sync();
      if (this.#editor === editor) this.#editor = undefined;
    };
  }

  /** Reads what was typed. */
  sync(): PromptState {
    const { draft, searchedFrom } = this.#state;
    const read = this.#read();
    if (read === undefined || (read.text === draft.text && read.cursor === draft.cursor)) return this.#state;
    const next = { ...draft, ...read };
    if (searchedFrom !== undefined) {
      this.#change({ draft: next, ...(read.text === draft.text ? {} : { selected: 0 }) });
    } else if (read.text === draft.text) this.#moveCursor(next);
    else this.#edit(next);
    return this.#state;
  }

  /** The rows under the input. */
  list(): PromptList {
    const revision = this.#options.commands.revision();
    if (this.#list?.state !== this.#state || this.#list.revision !== revision) {
      this.#list = { state: this.#state, revision, list: this.#findRows() };
    }
    return this.#list.list;
  }

  /** Replaces the draft from outside: an earlier message, a queued one, the text of the editor. */
  setDraft(draft: Draft): void {
    const text = safeText(draft.text);
    this.#write(text === draft.text ? draft : { ...draft, text, cursor: Math.min(draft.cursor, text.length) });
    this.#change({ hint: IDLE_HINT, ...NO_MENTION });
  }

  /** Puts messages that could not be sent before what is in the input. */
  putBack(messages: readonly SubmittedPrompt[]): void {
    const { draft } = this.sync();
    const text = [...messages.map((message) => message.text), draft.text].filter((part) => part !== "").join("\n");
    const attachments = messages.flatMap((message) => message.attachments);
    this.setDraft(draftOf(text, [...attachments, ...draft.attachments].reduce(addAttachment, [])));
  }

  /** Replaces the text as typing does: suggestions and hints follow. */
  typeText(changed: CursorText): void {
    const draft = { ...this.#state.draft, ...this.#whole(changed) };
    this.#write(draft);
    this.#edit(draft);
  }

  /** Puts what is in the input into the history, without sending it. */
  keepDraft(): void {
    const { draft } = this.#state;
    if (draft.text.trim() !== "") this.#history = [...this.#history, draft];
    this.#change({ walk: undefined });
  }

  moveCursor(cursor: number): void {
    const { draft } = this.#state;
    this.#write({ ...draft, ...this.#whole({ text: draft.text, cursor }) });
  }

  /** Types a text at the cursor. An attachment is what it stands for. */
  insert(text: string, attachment?: Attachment): void {
    const { draft } = this.sync();
    if (attachment !== undefined) {
      this.#change({ draft: { ...draft, attachments: addAttachment(draft.attachments, attachment) } });
    }
    if (this.#editor === undefined) {
      const { text: old, cursor } = draft;
      this.typeText({ text: old.slice(0, cursor) + text + old.slice(cursor), cursor: cursor + text.length });
      return;
    }
    this.#editor.insert(text);
    this.sync();
  }

  /** Puts the name of a command into the text. */
  completeCommand(commandName: string): void {
    const { attachments } = this.#state.draft;
    this.#write(draftOf(`/${commandName} `, attachments));
    this.#change({ hint: reduceHint(this.#state.hint, { type: "complete", commandName }), ...NO_MENTION });
  }

  /** Puts a mention in place of what was typed after the `@`. An attachment is what it stands for. */
  completeMention(name: string, attachment?: Attachment): void {
    const { draft, mention } = this.#state;
    if (mention === undefined) return;
    const rest = draft.text.slice(draft.cursor);
    const hasSpace = /^\s/.test(rest);
    const text = `${draft.text.slice(0, mention.from)}@${name}${hasSpace ? "" : " "}${rest}`;
    const attachments = attachment === undefined ? draft.attachments : addAttachment(draft.attachments, attachment);
    this.#write({ text, cursor: mention.from + name.length + 2, attachments });
    this.#edit(this.#state.draft);
  }

  select(by: -1 | 1, rowCount: number): void {
    if (rowCount === 0) return;
    this.#change({ selected: (this.#state.selected + by + rowCount) % rowCount, hasSelected: true });
  }

  /** Selects a row, or the nearest one. */
  selectRow(index: number, rowCount: number): void {
    if (rowCount === 0) return;
    this.#change({ selected: Math.max(0, Math.min(rowCount - 1, index)), hasSelected: true });
  }

  /** Closes the list or the hint. In the search of the history: restores what was there before. */
  dismiss(): void {
    const { searchedFrom, mention, hint } = this.#state;
    if (searchedFrom !== undefined) this.endSearch(searchedFrom);
    else if (hint.type === "showing-suggestions" || hint.type === "showing-hint") {
      this.#change({ hint: reduceHint(hint, { type: "escape" }) });
    } else if (mention !== undefined) this.#change({ mention: undefined, dismissedMention: mention.from });
  }

  /** Shows an older or a newer message. Returns whether there is one. */
  walk(by: -1 | 1): boolean {
    const { draft, walk = startWalk(this.#history, draft) } = this.#state;
    const isAtEnd = walk.index === walk.drafts.length - 1;
    const next = stepWalk(isAtEnd ? startWalk(this.#history, draft) : walk, { by, current: draft });
    const shown = next?.drafts[next.index];
    if (next === undefined || shown === undefined) return false;
    this.setDraft({ ...shown, cursor: shown.text.length });
    this.#change({ walk: next });
    return true;
  }

  /** Whether an earlier message is shown. */
  isWalking(): boolean {
    const { walk } = this.#state;
    return walk !== undefined && walk.index < walk.drafts.length - 1;
  }

  /** Starts to search the history. */
  startSearch(): void {
    const { draft } = this.#state;
    this.#write(EMPTY_DRAFT);
    this.#change({ searchedFrom: draft, hint: IDLE_HINT, ...NO_MENTION });
  }

  /** Ends the search with a message, or with what was there before. */
  endSearch(draft: Draft): void {
    this.#change({ searchedFrom: undefined, selected: 0, walk: undefined });
    this.setDraft(draft);
  }

  setVi(vi: ViState): void {
    this.#change({ vi });
  }

  undo(): void {
    this.#editor?.undo();
    this.sync();
  }

  /** Empties the input. Returns what was in it, or another text with its attachments; undefined for a blank one. */
  submit(text = this.sync().draft.text): SubmittedPrompt | undefined {
    const { attachments } = this.#state.draft;
    if (text.trim() === "") return undefined;
    const submitted = { text: text.trimEnd(), attachments: attachmentsIn(text, attachments) };
    this.#history = [...this.#history, draftOf(submitted.text, submitted.attachments)];
    const stored = expandPastes(submitted.text, submitted.attachments);
    this.#options.host.history?.append(stored).catch((error: unknown) => {
      this.#options.onError(new Error(`The message is not in the history: ${messageOf(error)}`, { cause: error }));
    });
    this.#editor?.reset(EMPTY_DRAFT);
    this.#change(EMPTY_PROMPT);
    return submitted;
  }

  #findRows(): PromptList {
    const { searchedFrom, draft, hint, mention } = this.#state;
    if (searchedFrom !== undefined) return { type: "search", rows: searchHistory(this.#history, draft.text) };
    if (hint.type === "showing-suggestions") {
      return { type: "commands", rows: this.#options.commands.search(hint.query) };
    }
    return mention === undefined ? NO_LIST : this.#mentions.search(mention.query);
  }

  /** What is in the field, after it became what {@link keepLabelsWhole} makes of it. Undefined without a field. */
  #read(): CursorText | undefined {
    const editor = this.#editor;
    const read = this.#isCorrecting ? undefined : editor?.read();
    // While a part of the text is selected, the cursor is its end.
    if (read === undefined || editor === undefined || editor.hasSelection()) return read;
    const whole = this.#whole(read);
    if (whole.text === read.text && whole.cursor === read.cursor) return read;
    this.#isCorrecting = true;
    // An undo brings back what was before the edit, and not the part of a label.
    if (whole.text !== read.text) editor.undo();
    editor.write(whole);
    this.#isCorrecting = false;
    return whole;
  }

  #whole(changed: CursorText): CursorText {
    const { draft, vi } = this.#state;
    return keepLabelsWhole(draft, changed, { isOnCharacter: vi.mode === "normal" });
  }

  #edit(draft: Draft): void {
    const { hint, dismissedMention } = this.#state;
    const isCommand = (name: string): boolean => this.#options.commands.has(name);
    const token = draft.text.startsWith("!") ? undefined : mentionAt(draft.text, draft.cursor);
    const isDismissed = token !== undefined && token.from === dismissedMention;
    if (token !== undefined && this.#state.mention === undefined && !isDismissed) this.#mentions.load();
    this.#change({
      draft,
      hint: reduceHint(hint, { type: "edit", text: draft.text, isCommand }),
      mention: isDismissed ? undefined : token,
      dismissedMention: isDismissed ? dismissedMention : undefined,
      selected: 0,
      hasSelected: false,
    });
  }

  /** A cursor that leaves the mention closes its list; one that enters a mention opens none. */
  #moveCursor(draft: Draft): void {
    const { mention } = this.#state;
    const token = mentionAt(draft.text, draft.cursor);
    this.#change({ draft, mention: mention !== undefined && token?.from === mention.from ? token : undefined });
  }

  #write(draft: Draft): void {
    this.#editor?.write(draft);
    this.#change({ draft: { ...draft, ...this.#editor?.read() } });
  }

  #change(change: Partial<PromptState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}
