import { LazySaver } from "./savers/lazy-saver.ts";
import type { MemorySaver } from "./savers/memory-saver.ts";

/** Keeps journals in memory: for tests, and for runs that need to wait but not to outlive their process. */
export class LateMemorySaver extends LazySaver {
  /** Kept, because tests make a saver for each run, and an import that is done takes time all the same. */
  static #Loaded: typeof MemorySaver | undefined;

  constructor() {
    super(async () => {
      LateMemorySaver.#Loaded ??= (await import("./savers/memory-saver.ts")).MemorySaver;
      return new LateMemorySaver.#Loaded();
    });
  }
}
