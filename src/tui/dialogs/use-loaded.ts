import { useEffect, useState } from "react";
import { messageOf } from "../../contracts/index.ts";

/** Something that takes a moment to load. */
export type Loaded<Value> =
  | { readonly type: "loading" }
  | { readonly type: "loaded"; readonly value: Value }
  | { readonly type: "failed"; readonly message: string };

/** Loads once, when the component appears. */
export function useLoaded<Value>(load: () => Promise<Value>): Loaded<Value> {
  const [loaded, setLoaded] = useState<Loaded<Value>>({ type: "loading" });
  const [start] = useState(() => load);
  useEffect(() => {
    let isGone = false;
    const show = (result: Loaded<Value>): void => {
      if (!isGone) setLoaded(result);
    };
    start().then(
      (value) => show({ type: "loaded", value }),
      (error: unknown) => show({ type: "failed", message: messageOf(error) }),
    );
    return () => {
      isGone = true;
    };
  }, [start]);
  return loaded;
}
