import { useState } from "react";
import type { RunSummary, RunsPort } from "../host/runs-port.ts";
import type { PressedKey } from "../keys/keymap.ts";
import { TextField } from "../ui/text-field.tsx";
import { useKeys, useScreen, useUi } from "../ui/ui-context.ts";
import { hiddenRows } from "./hidden-rows.ts";
import { fitLine, span, windowAround } from "./line.ts";
import { LinesView, LineView } from "./lines-view.tsx";
import { keysLine } from "./run-lines.ts";
import { neighbour } from "./run-screen.ts";
import { filterRuns, runColumns, runLine } from "./runs-list.ts";
import { useMeasure } from "./use-measure.ts";
import { usePolled } from "./use-polled.ts";

/** So many runs are listed. */
const MAX_RUNS = 500;

/** Properties of {@link RunsView}. */
export interface RunsViewProps {
  /** How often the runs are read, in milliseconds. @default 2000 */
  readonly pollMs?: number;
}

/** The runs of this machine, newest first. */
export function RunsView(props: RunsViewProps) {
  const { runs } = useUi().host;
  if (runs !== undefined) return <ListedRuns runs={runs} {...props} />;
  return (
    <box flexGrow={1} paddingX={2}>
      <LineView line={[span("This program offers no runs.", "muted")]} />
    </box>
  );
}

function ListedRuns({ runs: port, pollMs = 2_000 }: RunsViewProps & { readonly runs: RunsPort }) {
  const { glyphs, now } = useUi();
  const { value: all, problem } = usePolled(() => port.list({ limit: MAX_RUNS }), pollMs);
  const { size, ...measured } = useMeasure();
  const { runs, selected, query, setQuery, isTyping } = useRunChoice(all ?? [], size.rows - 3);
  const padding = size.columns < 60 ? 1 : 2;
  const columns = size.columns - 2 * padding;
  const rows = Math.max(1, size.rows - 3);
  const index = runs.findIndex(({ id }) => id === selected?.id);
  const start = windowAround(index, { count: runs.length, size: rows });
  const style = { columns, glyphs, now: now(), widths: runColumns(runs) };
  const visible = runs.slice(start, start + rows);
  const lines = visible.map((run) => runLine(run, { ...style, isSelected: run === selected }));
  const empty =
    all === undefined ? `Reading the runs ${glyphs.ellipsis}` : all.length === 0 ? NO_RUNS : "No run matches.";
  const count = query === "" ? String(runs.length) : `${runs.length} of ${all?.length ?? 0}`;
  const newest = (all?.length ?? 0) < MAX_RUNS ? [] : [span(`, the newest ${MAX_RUNS}`, "muted")];
  const title = [span("Runs", "accent", { isBold: true }), span(`  ${count}`, "muted"), ...newest];
  const keys = isTyping ? TYPING_KEYS : LIST_KEYS;
  return (
    <box flexDirection="column" flexGrow={1} overflow="hidden" paddingX={padding} {...measured}>
      <LineView line={fitLine(title, hiddenRows({ count: runs.length, shown: rows }, glyphs), columns)} />
      {isTyping || query !== "" ? (
        <TextField label="  / " value={query} isFocused={isTyping} onInput={setQuery} />
      ) : (
        <LineView line={[]} />
      )}
      <LinesView
        lines={runs.length === 0 ? [[span(`  ${empty}`, "muted")]] : lines}
        rows={rows}
        selected={new Set(selected === undefined ? [] : [index - start])}
      />
      {problem === undefined ? (
        <LineView line={keysLine(keys, { columns, glyphs })} />
      ) : (
        <LineView line={fitLine([span(problem, "warning")], [], columns)} />
      )}
    </box>
  );
}

/** Which runs are listed, and which one is selected. */
function useRunChoice(all: readonly RunSummary[], pageRows: number) {
  const { ui, keymap } = useUi();
  const { view } = useScreen();
  const [query, setQuery] = useState(view.type === "runs" ? (view.filter ?? "") : "");
  const [isTyping, setTyping] = useState(false);
  const [chosen, setChosen] = useState(view.type === "runs" ? view.runId : undefined);
  const runs = filterRuns(all, query);
  const selected = runs.find(({ id }) => id === chosen) ?? runs[0];
  const move = (step: number): void => {
    const keys = runs.map(({ id }) => ({ key: id }));
    setChosen(neighbour(keys, selected?.id, step));
  };
  const leave = (): void => {
    if (query === "" && !isTyping) ui.show({ type: "chat" });
    setQuery("");
    setTyping(false);
  };
  const press = (key: PressedKey): boolean => {
    const isPlain = !key.ctrl && !key.meta;
    if (keymap.matches("stop", key)) leave();
    else if (keymap.matches("previous", key)) move(-1);
    else if (keymap.matches("next", key)) move(1);
    else if (keymap.matches("pageUp", key)) move(-pageRows);
    else if (keymap.matches("pageDown", key)) move(pageRows);
    else if (key.name === "return") {
      if (selected !== undefined) {
        ui.show({ type: "run", runId: selected.id, from: "runs", ...(query === "" ? {} : { filter: query }) });
      }
    }
    // While a filter is typed, the field receives everything else.
    else if (isTyping) return false;
    else if (isPlain && (key.sequence === "/" || key.name === "/")) setTyping(true);
    else if (isPlain && key.name === "i") ui.show({ type: "inbox" });
    else return false;
    return true;
  };
  useKeys(press, { isModal: isTyping });
  return { runs, selected, query, setQuery, isTyping };
}

const TYPING_KEYS = ["up/down choose", "enter open", "esc clear"];
const LIST_KEYS = ["enter open", "/ filter", "i inbox", "esc leave"];
const NO_RUNS = "There are no runs yet.";
