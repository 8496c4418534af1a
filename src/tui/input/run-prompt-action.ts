import { join } from "node:path";
import { describeTooLong, safeLine } from "../../view/index.ts";
import type { Attachment } from "../chat/chat-state.ts";
import { expandPastes } from "../chat/compose-message.ts";
import type { CommandDefinition } from "../commands/command.ts";
import type { UiServices } from "../ui/ui-context.ts";
import { attachImage } from "./attachments.ts";
import { draftOf } from "./input-history.ts";
import type { MentionMatch } from "./mention-index.ts";
import type { PromptAction } from "./prompt-action.ts";
import { rowCountOf } from "./prompt-list.ts";
import type { PromptStore } from "./prompt-store.ts";
import type { TextEditor } from "./text-editor.ts";
import type { ViResult } from "./vi-keys.ts";

/** What the actions of the input need. */
export interface PromptEnvironment {
  readonly store: PromptStore;
  readonly editor: TextEditor;
  readonly services: UiServices;
  readonly onSubmit: (text: string, attachments: readonly Attachment[]) => void;
  /** Leaves the terminal to the user's editor while it runs. */
  readonly leaveTerminal: <Result>(run: () => Promise<Result>) => Promise<Result>;
  readonly onError: (error: unknown) => void;
}

/** Does what a key means. Returns whether the key was used. */
export function runPromptAction(action: PromptAction, environment: PromptEnvironment): boolean {
  const { store, editor, services } = environment;
  switch (action.type) {
    case "select":
      store.select(action.by, rowCountOf(store.list()));
      return true;
    case "complete":
      return complete(environment, { isEnter: false });
    case "accept":
      return accept(environment);
    case "dismiss":
      store.dismiss();
      return true;
    case "search":
      store.startSearch();
      return true;
    case "help":
      services.ui.open({ type: "help" });
      return true;
    case "new-line":
      store.insert("\n");
      return true;
    case "continue-line":
      return replaceRange(environment, {
        from: store.snapshot().draft.cursor - 1,
        to: store.snapshot().draft.cursor,
        by: "\n",
      });
    case "delete":
      return replaceRange(environment, { ...action.range, by: "" });
    case "submit":
      return submit(environment);
    case "clear":
      return clear(environment);
    case "steer":
      return steer(environment);
    case "send-held":
      services.ui.follow();
      services.chat.sendHeld();
      return true;
    case "edit-queued":
      return editQueued(environment);
    case "walk":
      return store.walk(action.by);
    case "edit-outside":
      return editOutside(environment);
    case "attach-image":
      pasteImage(environment).catch(environment.onError);
      return true;
    case "line-end":
      editor.moveToLineEnd();
      return true;
    case "vi":
      return runVi(action.result, environment);
    case "nothing":
      return true;
  }
}

/** What a click on a suggestion does: a command or a mention is put into the text, an earlier message replaces it. */
export function chooseRow(index: number, environment: PromptEnvironment): void {
  const { store } = environment;
  const list = store.list();
  store.selectRow(index, rowCountOf(list));
  runPromptAction({ type: list.type === "search" ? "accept" : "complete" }, environment);
}

function replaceRange(
  { store }: PromptEnvironment,
  { from, to, by }: { readonly from: number; readonly to: number; readonly by: string },
): boolean {
  const { text } = store.snapshot().draft;
  store.typeText({ text: text.slice(0, from) + by + text.slice(to), cursor: from + by.length });
  return true;
}

function complete(environment: PromptEnvironment, { isEnter }: { readonly isEnter: boolean }): boolean {
  const { store } = environment;
  const list = store.list();
  const { selected } = store.snapshot();
  if (list.type === "commands") {
    const row = list.rows[selected];
    if (row !== undefined) store.completeCommand(nameOf(row));
    return row !== undefined;
  }
  if (list.type !== "mentions") return false;
  const row = list.rows[selected];
  if (row !== undefined) mention(row, { environment, isOpen: row.type === "folder" && !isEnter });
  return row !== undefined;
}

/** Mentions a file, a folder or an agent. A folder can stay open, to choose what is in it. */
function mention(
  row: MentionMatch,
  { environment, isOpen }: { readonly environment: PromptEnvironment; readonly isOpen: boolean },
): void {
  const { store, services } = environment;
  const { draft, mention: token } = store.snapshot();
  if (token !== undefined && isOpen) {
    const rest = draft.text.slice(draft.cursor);
    const start = `${draft.text.slice(0, token.from)}@${row.shown}`;
    store.typeText({ text: start + rest, cursor: start.length });
    return;
  }
  if (row.type === "agent") {
    store.completeMention(row.shown);
    return;
  }
  const path = join(services.host.workingDirectory, row.value);
  store.completeMention(row.shown, { label: `@${row.shown}`, part: { type: "file", path } });
}

function accept(environment: PromptEnvironment): boolean {
  const { store, services } = environment;
  const list = store.list();
  const { selected, hasSelected, hint, searchedFrom } = store.snapshot();
  if (list.type === "search") {
    const match = list.rows[selected];
    store.endSearch(match === undefined ? (searchedFrom ?? draftOf("")) : atEnd(match.draft));
    return true;
  }
  if (list.type !== "commands" || hint.type !== "showing-suggestions") return complete(environment, { isEnter: true });
  // What was typed in full is executed, unless the user chose another row.
  const isKnown = services.commands.has(hint.query);
  // While commands load, the one that was typed may follow: who executes it waits, and completes it then.
  const isOpen = services.areCommandsLoading?.() === true;
  const row = hasSelected || !(isKnown || isOpen) ? list.rows[selected] : undefined;
  return submit(environment, row === undefined ? undefined : `/${nameOf(row)}`);
}

function atEnd<Value extends { readonly text: string }>(draft: Value): Value & { readonly cursor: number } {
  return { ...draft, cursor: draft.text.length };
}

function submit({ store, services, onSubmit }: PromptEnvironment, text?: string): boolean {
  if (isTooLong({ store, services }, text)) return true;
  const submitted = store.submit(text);
  if (submitted === undefined) return true;
  services.ui.follow();
  onSubmit(submitted.text, submitted.attachments);
  return true;
}

/** Whether a text is too long to be sent, with what was pasted into it. Says so; the text stays in the input. */
function isTooLong({ store, services }: Pick<PromptEnvironment, "store" | "services">, text?: string): boolean {
  const { draft } = store.sync();
  const problem = describeTooLong(expandPastes(text ?? draft.text, draft.attachments));
  if (problem !== undefined) services.ui.flash(problem);
  return problem !== undefined;
}

/** Empties the input. What was in it is the newest message of the history then. */
function clear({ store, services }: PromptEnvironment): boolean {
  store.keepDraft();
  store.setDraft(draftOf(""));
  services.ui.flash(`Cleared. ${services.keymap.labelOf("previous")} brings the text back`);
  return true;
}

/** Sends a message into the turn in progress. Commands, and messages while there is none, are submitted. */
function steer(environment: PromptEnvironment): boolean {
  const { store, services, onError } = environment;
  const { text } = store.snapshot().draft;
  if (services.chat.snapshot().status !== "working" || /^[/!]/.test(text)) return submit(environment);
  if (isTooLong({ store, services }, text)) return true;
  const submitted = store.submit();
  if (submitted === undefined) return true;
  services.ui.follow();
  services.chat.steer(submitted.text, submitted.attachments).catch(onError);
  return true;
}

/** Takes the last message out of the queue. What was in the input is the newest message of the history then. */
function editQueued({ store, services }: PromptEnvironment): boolean {
  const last = services.chat.snapshot().queue.at(-1);
  const queued = last === undefined ? undefined : services.chat.removeQueued(last.id);
  if (queued === undefined) return false;
  store.keepDraft();
  store.setDraft(draftOf(queued.text, queued.attachments));
  return true;
}

function editOutside({ store, services, leaveTerminal, onError }: PromptEnvironment): boolean {
  const { editText } = services.host;
  if (editText === undefined) {
    services.ui.flash("This program has no editor.");
    return true;
  }
  const { draft } = store.snapshot();
  leaveTerminal(() => editText(draft.text))
    .then((text) => store.setDraft(draftOf(text.replace(/\r?\n$/, ""), draft.attachments)))
    .catch(onError);
  return true;
}

async function pasteImage({ store, services }: PromptEnvironment): Promise<void> {
  const image = await services.host.readClipboardImage?.();
  if (image === undefined) {
    services.ui.flash("The clipboard has no image.");
    return;
  }
  const attachment = attachImage(image, store.snapshot().draft.attachments);
  store.insert(attachment.label, attachment);
}

function runVi({ vi, text, cursor, effect }: ViResult, { store }: PromptEnvironment): boolean {
  store.setVi(vi);
  if (effect === "undo") store.undo();
  else if (effect !== undefined) store.walk(effect === "history-previous" ? -1 : 1);
  else if (text === store.snapshot().draft.text) store.moveCursor(cursor);
  else store.typeText({ text, cursor });
  return true;
}

/** The name of a command as it is typed. */
function nameOf({ name }: CommandDefinition): string {
  return safeLine(name, 200);
}
