import { FRAME_MS } from "../../../src/tui/chat/chat-store.ts";

/** What is measured of one conversation. */
export interface TuiMeasurement {
  /** From the start of the process to the first frame. */
  readonly firstFrameMs: number;
  readonly frameP50Ms: number;
  readonly frameP95Ms: number;
  /** CPU of all threads, divided by the frames. Unlike the times it does not depend on what else the machine does. */
  readonly frameCpuMs: number;
  /** Of one processor, the worker that highlights code included. */
  readonly cpuPercent: number;
  readonly rssMb: number;
  /** How much more memory the process has per minute, from the middle of the answer to its end, after garbage collection. */
  readonly growthMbPerMinute: number;
  readonly frameCount: number;
}

/** The model writes so many tokens a second, and they are shown at most every {@link FLUSH_MS}. */
export const TOKENS_PER_SECOND = 200;
export const FLUSH_MS = FRAME_MS;

const MEGABYTE = 1_048_576;

function measureMemory(): { readonly at: number; readonly bytes: number } {
  // Ink is measured on Bun, too.
  Bun.gc(true);
  return { at: performance.now(), bytes: process.memoryUsage().rss };
}

/**
 * Streams an answer as a model does.
 *
 * @param tokens the answer
 * @param drawFrame shows the answer with what is new; resolves when the frame is drawn
 */
export async function streamTokens(
  tokens: readonly string[],
  drawFrame: (added: string) => Promise<void>,
): Promise<Omit<TuiMeasurement, "firstFrameMs">> {
  const frames: number[] = [];
  const startedAt = performance.now();
  const cpuBefore = process.cpuUsage();
  const middle = { at: 0, bytes: 0 };
  let shown = 0;
  while (shown < tokens.length) {
    const tickAt = performance.now();
    const due = Math.min(tokens.length, Math.floor(((tickAt - startedAt) / 1_000) * TOKENS_PER_SECOND) + 1);
    await drawFrame(tokens.slice(shown, due).join(""));
    shown = due;
    frames.push(performance.now() - tickAt);
    if (middle.at === 0 && shown >= tokens.length / 2) Object.assign(middle, measureMemory());
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, FLUSH_MS - (performance.now() - tickAt))));
  }
  const took = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpuBefore);
  const rssMb = process.memoryUsage().rss / MEGABYTE;
  const end = measureMemory();
  const sorted = frames.toSorted((one, other) => one - other);
  const quantile = (part: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
  return {
    frameP50Ms: quantile(0.5),
    frameP95Ms: quantile(0.95),
    frameCpuMs: (user + system) / 1_000 / frames.length,
    cpuPercent: ((user + system) / 1_000 / took) * 100,
    rssMb,
    growthMbPerMinute: ((end.bytes - middle.bytes) / MEGABYTE / (end.at - middle.at)) * 60_000,
    frameCount: frames.length,
  };
}
