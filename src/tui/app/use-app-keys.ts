import { useRef } from "react";
import { lastAnswerOf } from "../chat/last-answer.ts";
import { useKeys, useUi } from "../ui/ui-context.ts";

const BASE = { isBase: true };

/** A second Ctrl+C within this time quits. */
const QUIT_MS = 2_000;

/** The keys that work everywhere: below all dialogs and views, so that those can use them first. */
export function useAppKeys(): void {
  const { keymap, ui, chat, now, host, copy, quit, suspend } = useUi();
  const quitAskedAt = useRef(Number.NEGATIVE_INFINITY);
  useKeys((key) => {
    if (!keymap.matches("quit", key)) ui.flash(undefined);
    const { status, model } = chat.snapshot();
    const { view } = ui.snapshot();
    if (keymap.matches("quit", key)) {
      const isSecond = now() - quitAskedAt.current <= QUIT_MS;
      quitAskedAt.current = now();
      if (isSecond) quit();
      else {
        if (status === "working") void chat.interrupt();
        ui.flash({ type: "quit" });
      }
      return true;
    }
    if (keymap.matches("stop", key)) {
      if (view.type !== "chat") ui.show({ type: "chat" });
      else void chat.interrupt();
      return true;
    }
    if (suspend !== undefined && keymap.matches("suspend", key)) {
      suspend();
      return true;
    }
    if (keymap.matches("transcript", key)) {
      ui.show({ type: view.type === "transcript" ? "chat" : "transcript" });
      return true;
    }
    if (keymap.matches("tasks", key)) {
      ui.toggleTasks();
      return true;
    }
    if (keymap.matches("model", key)) {
      ui.open({ type: "model" });
      return true;
    }
    if (host.runs !== undefined && keymap.matches("inbox", key)) {
      ui.show({ type: "inbox" });
      return true;
    }
    if (host.runs !== undefined && keymap.matches("runs", key)) {
      ui.show({ type: "runs" });
      return true;
    }
    if (keymap.matches("copy", key)) {
      const last = lastAnswerOf(model.entries);
      if (last !== undefined) copy(last);
      ui.flash(last === undefined ? "There is no answer to copy yet" : "Copied the last answer");
      return true;
    }
    return false;
  }, BASE);
}
