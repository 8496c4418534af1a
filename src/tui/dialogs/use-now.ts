import { useEffect, useState } from "react";
import { useUi } from "../ui/ui-context.ts";

/** The time, again each second while `isRunning`. In milliseconds since 1970. */
export function useNow({ isRunning }: { readonly isRunning: boolean }): number {
  const { now } = useUi();
  const [time, setTime] = useState(now);
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => setTime(now()), 1_000);
    return () => clearInterval(timer);
  }, [isRunning, now]);
  return time;
}
