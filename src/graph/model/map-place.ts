/** Which branches of maps something stands in. */
export interface MapPlace<Item = unknown> {
  /** What this branch of the innermost `.map` is about; `undefined` outside of one. */
  readonly item: Item;
  /** Its place in the list; -1 outside of a `.map`. */
  readonly index: number;
  /** The same of the `.map` around that one; `undefined` where there is none. */
  readonly outer: MapPlace | undefined;
}

/** Outside of all maps. */
export const OUTSIDE_MAPS: MapPlace = Object.freeze({ item: undefined, index: -1, outer: undefined });
