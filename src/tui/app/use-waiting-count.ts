import { useEffect, useState } from "react";
import { useScreen, useUi } from "../ui/ui-context.ts";

/** When the inbox is first read, and how long after each attempt it is read again, in milliseconds. */
const FIRST_MS = 1_000;
const POLL_MS = 5_000;

/** Settings of {@link useWaitingCount}. */
export interface WaitingCountOptions {
  /** How long after each attempt the inbox is read again, in milliseconds. @default 5000 */
  readonly pollMs?: number;
}

/** How many things wait for a person, over all runs of the machine. Read again when the view changes. */
export function useWaitingCount({ pollMs = POLL_MS }: WaitingCountOptions = {}): number {
  const { runs } = useUi().host;
  const { view } = useScreen();
  const [count, setCount] = useState(0);
  // The inbox has its own count.
  const isRead = runs !== undefined && view.type === "chat";
  useEffect(() => {
    if (!isRead) return;
    let isMounted = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const plan = (delayMs: number): void => {
      if (isMounted) timer = setTimeout(() => void read(), delayMs);
    };
    const read = async (): Promise<void> => {
      // What cannot be read now may be readable next time; the inbox says why.
      const items = await runs.loadInbox().catch(() => undefined);
      if (isMounted && items !== undefined) setCount(items.length);
      plan(pollMs);
    };
    plan(Math.min(FIRST_MS, pollMs));
    return () => {
      isMounted = false;
      clearTimeout(timer);
    };
  }, [runs, isRead, pollMs]);
  return isRead ? count : 0;
}
