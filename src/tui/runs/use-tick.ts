import { useEffect, useReducer } from "react";

/** Draws again each second, for times that run. @param isOn whether any does */
export function useTick(isOn: boolean): void {
  const [, tick] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const timer = isOn ? setInterval(tick, 1_000) : undefined;
    return () => clearInterval(timer);
  }, [isOn]);
}
