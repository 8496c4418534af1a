/** How many random bits a run's id has. */
const ID_BITS = 128;
const BITS_PER_DRAW = 32;

/**
 * An id for a run that is given none. It only has to be unlike all others, not hard to guess: the process's chance does,
 * and `node:crypto` would take 5 ms of every start of a process on Node.
 */
export function createRunId(): string {
  let id = "";
  for (let bits = 0; bits < ID_BITS; bits += BITS_PER_DRAW) {
    const draw = Math.floor(Math.random() * 2 ** BITS_PER_DRAW);
    id += draw.toString(16).padStart(BITS_PER_DRAW / 4, "0");
  }
  return id;
}
