import { useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { messageOf } from "../../contracts/index.ts";
import type { RunsPort } from "../host/runs-port.ts";
import { useKeys, useScreen, useUi } from "../ui/ui-context.ts";
import type { MainView, OpenedQuestion } from "../ui/ui-store.ts";
import { span } from "./line.ts";
import { LineView } from "./lines-view.tsx";
import { RunPanes } from "./run-panes.tsx";
import { createRunScene, possibleScroll } from "./run-scene.ts";
import { OPENED_RUN, pressRunKey, type RunEffect } from "./run-screen.ts";
import { RunWatcher, stateOfWatched, type WatchedRun, waitsForAnswers } from "./run-watcher.ts";
import { useMeasure } from "./use-measure.ts";
import { useTick } from "./use-tick.ts";

/** Properties of {@link RunView}. */
export interface RunViewProps {
  readonly runId: string;
  /** How often the run is read besides its events, in milliseconds. @default 2000 */
  readonly pollMs?: number;
}

/** A run: its graph, its agents, its tasks, and the thread of the chosen agent. */
export function RunView({ runId, ...props }: RunViewProps) {
  const { runs } = useUi().host;
  if (runs === undefined) {
    return (
      <box flexGrow={1} paddingX={2}>
        <LineView line={[span("This program offers no runs.", "muted")]} />
      </box>
    );
  }
  return <WatchedRunView key={runId} runs={runs} runId={runId} {...props} />;
}

function WatchedRunView({ runs, runId, pollMs = 2_000 }: RunViewProps & { readonly runs: RunsPort }) {
  const { keymap, glyphs } = useUi();
  const { areTasksShown } = useScreen();
  const watcher = useMemo(() => new RunWatcher(runs, runId, { pollMs }), [runs, runId, pollMs]);
  useEffect(() => {
    watcher.start();
    return () => watcher.stop();
  }, [watcher]);
  const watched = useSyncExternalStore(watcher.subscribe, watcher.snapshot);
  const [screen, setScreen] = useState(OPENED_RUN);
  const [said, setSaid] = useState("");
  const { size, ...measured } = useMeasure();
  useTick(watched.model.isLive);
  const scene = createRunScene(watched, screen, size);

  const perform = useRunEffects({ runs, watcher, watched, setSaid });
  useKeys((key) => {
    const scroll = possibleScroll(watched, screen, { scene, glyphs });
    const outcome = pressRunKey({ ...screen, scroll }, key, {
      scene,
      matches: (action, pressed) => keymap.matches(action, pressed),
    });
    if (outcome === undefined) return false;
    setSaid("");
    setScreen(outcome.screen);
    if (outcome.effect !== undefined) perform(outcome.effect);
    return true;
  });
  return (
    // Where a dialog takes the room, what does not fit is cut off and not drawn over the rest.
    <box flexDirection="column" flexGrow={1} flexShrink={1} minHeight={0} overflow="hidden" {...measured}>
      <RunPanes watched={watched} screen={screen} scene={scene} said={said} areTasksShown={areTasksShown} />
    </box>
  );
}

/** What is shown after a run: what it was opened from. */
function viewAfter(view: MainView): MainView {
  if (view.type !== "run" || view.from === undefined) return { type: "chat" };
  if (view.from !== "runs") return { type: view.from };
  const { runId, filter } = view;
  return { type: "runs", runId, ...(filter === undefined ? {} : { filter }) };
}

/** What {@link useRunEffects} changes. */
interface RunEffectTargets {
  readonly runs: RunsPort;
  readonly watcher: RunWatcher;
  readonly watched: WatchedRun;
  readonly setSaid: (text: string) => void;
}

/** Does what a key asks for: to the run, or on the screen. */
function useRunEffects({ runs, watcher, watched, setSaid }: RunEffectTargets): (effect: RunEffect) => void {
  const { ui, followRun } = useUi();
  const { view } = useScreen();
  const { runId } = watched;
  const attempt = (doing: string, action: Promise<void>): void => {
    setSaid(`${doing} …`);
    action.then(
      () => {
        setSaid("");
        watcher.refresh();
      },
      (error: unknown) => setSaid(`${doing}: ${messageOf(error)}`),
    );
  };
  /** Does what may have a process continue the run. */
  const advance = (doing: string, action: Promise<void>): void =>
    attempt(
      doing,
      action.then(() => followRun?.(runId)),
    );
  return (effect) => {
    switch (effect.type) {
      case "say":
        return setSaid(effect.text);
      case "inbox":
        return ui.show({
          type: "inbox",
          question: questionOf(watched, effect),
          ...(view.type === "run" ? { back: view } : {}),
        });
      case "tasks":
        return ui.toggleTasks();
      case "leave":
        return ui.show(viewAfter(view));
      case "cancel-run":
        return attempt("Cancel the run", runs.cancel(runId));
      case "cancel-node":
        return attempt(`Cancel "${effect.visit.name}"`, runs.cancelNode(runId, effect.visit.taskId));
      case "skip-node":
        return advance(`Skip "${effect.visit.name}"`, runs.skipNode(runId, effect.visit.taskId));
      case "retry-node":
        return advance(`Retry "${effect.visit.name}"`, runs.retryNode(runId, effect.visit.taskId));
      case "pause-or-resume": {
        const state = stateOfWatched(watched);
        if (state === "running") return attempt("Pause the run", runs.pause(runId));
        if (state === "completed") return setSaid("The run has completed.");
        if (waitsForAnswers(watched)) return setSaid("The run waits for an answer: i opens the question.");
        if (state === "pausing") return advance("Withdraw the pause", runs.resume(runId));
        return advance("Resume the run", runs.resume(runId));
      }
    }
  };
}

/** The question that the inbox is opened with: that of a step, or the first of the run. */
function questionOf(
  { model, runId }: WatchedRun,
  { taskId, isOpen = false }: Extract<RunEffect, { readonly type: "inbox" }>,
): OpenedQuestion {
  const asked = [...model.questions.values()].find((question) => question.taskId === taskId);
  return asked === undefined ? { runId } : { runId, requestId: asked.request.id, isOpen };
}
