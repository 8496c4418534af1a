import { messageOf } from "../contracts/index.ts";

/** Calls two functions, the second also when the first throws. @throws what one threw, or an AggregateError of both */
export function callBoth(first: () => void, second: () => void): void {
  try {
    first();
  } catch (error) {
    try {
      second();
    } catch (next) {
      throw new AggregateError([error, next], `${messageOf(error)}; ${messageOf(next)}`);
    }
    throw error;
  }
  second();
}
