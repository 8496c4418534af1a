import { LazySaver } from "./savers/lazy-saver.ts";

/** Keeps journals in memory: for tests, and for runs that need to wait but not to outlive their process. */
export class LateMemorySaver extends LazySaver {
  constructor() {
    super(async () => {
      const { MemorySaver } = await import("./savers/memory-saver.ts");
      return new MemorySaver();
    });
  }
}
