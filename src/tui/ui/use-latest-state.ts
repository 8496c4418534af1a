import { useCallback, useRef, useState } from "react";

/** A state that handlers read as it is now, not as it was when they were made: keys arrive faster than renders. */
export interface LatestState<State> {
  /** The state of this render. */
  readonly shown: State;
  readonly current: () => State;
  readonly set: (next: State) => void;
}

/** Holds a state whose current value handlers can read. */
export function useLatestState<State extends object | string | number | undefined>(initial: State): LatestState<State> {
  const latest = useRef(initial);
  const [shown, setShown] = useState(initial);
  const current = useCallback(() => latest.current, []);
  const set = useCallback((next: State) => {
    latest.current = next;
    setShown(next);
  }, []);
  return { shown, current, set };
}
