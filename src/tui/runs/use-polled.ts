import { useCallback, useEffect, useRef, useState } from "react";
import { messageOf } from "../../contracts/index.ts";

/** A value that is read from time to time. */
export interface Polled<T> {
  /** Undefined until it was read once. */
  readonly value: T | undefined;
  /** Why the last attempt failed. */
  readonly problem: string | undefined;
  /** Reads it now. */
  readonly refresh: () => void;
}

/** Reads a value now and then again so many milliseconds after each attempt, while the component is mounted. */
export function usePolled<T>(read: () => Promise<T>, pollMs: number): Polled<T> {
  const [state, setState] = useState<Omit<Polled<T>, "refresh">>({ value: undefined, problem: undefined });
  const latest = useRef(read);
  latest.current = read;
  const poll = useRef<() => void>(() => undefined);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    // Only the latest attempt counts: an older one may settle after it.
    let attempt = 0;
    const start = async (): Promise<void> => {
      clearTimeout(timer);
      attempt++;
      const current = attempt;
      const next = await latest.current().then(
        (value) => ({ value, problem: undefined }),
        (error: unknown) => ({ problem: messageOf(error) }),
      );
      if (current !== attempt) return;
      setState((before) => ({ ...before, ...next }));
      timer = setTimeout(() => void start(), pollMs);
    };
    poll.current = () => void start();
    void start();
    return () => {
      attempt = Number.NaN;
      clearTimeout(timer);
    };
  }, [pollMs]);
  const refresh = useCallback(() => poll.current(), []);
  return { ...state, refresh };
}
