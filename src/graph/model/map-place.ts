/** The branches of maps around a thread. */
export interface MapPlace<Item = unknown> {
  /** The item of this branch of the innermost `.map`; `undefined` outside of one. */
  readonly item: Item;
  /** Its index in the list; -1 outside of a `.map`. */
  readonly index: number;
  /** The place in the next outer `.map`; `undefined` when there is none. */
  readonly outer: MapPlace | undefined;
}

/** Outside of all maps. */
export const OUTSIDE_MAPS: MapPlace = Object.freeze({ item: undefined, index: -1, outer: undefined });
