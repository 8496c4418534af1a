/** The longest time, in milliseconds, that a timer of JavaScript can wait: with more it fires at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;
