import { randomBytes } from "node:crypto";

/** No letter that can be taken for a digit; digits sort before letters. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const EPOCH_MS = Date.UTC(2025, 0, 1);
/** 7 characters of 5 bits in steps of 64 ms last until the year 2094. */
const STEP_MS = 64;
const TIME_CHARACTERS = 7;
const RANDOM_CHARACTERS = 5;
/** An identifier begins with a digit, so that it is not taken for a name. */
const DIGITS = 10;

/** Settings of {@link generateWorkflowSessionId}. */
export interface GenerateSessionIdOptions {
  /** Milliseconds since 1970. @default Date.now */
  readonly clock?: () => number;
  /** Returns that many random bytes. @default node:crypto */
  readonly random?: (count: number) => Uint8Array;
}

/**
 * A new identifier of 12 lower-case letters and digits, such as `7m2xd1t4k9qz`: the first five are random, so that the
 * least prefix, of four, nearly always says which is meant; the last seven tell the time.
 */
export function generateWorkflowSessionId(options: GenerateSessionIdOptions = {}): string {
  const { clock = Date.now, random = randomBytes } = options;
  let steps = Math.max(0, Math.floor((clock() - EPOCH_MS) / STEP_MS));
  let time = "";
  for (let index = 0; index < TIME_CHARACTERS; index++) {
    time = (ALPHABET[steps % ALPHABET.length] ?? "0") + time;
    steps = Math.floor(steps / ALPHABET.length);
  }
  const letters = Array.from(
    random(RANDOM_CHARACTERS),
    (byte, index) => ALPHABET[byte % (index === 0 ? DIGITS : ALPHABET.length)],
  );
  return letters.join("") + time;
}

/** Sorts identifiers that {@link generateWorkflowSessionId} has made by age, oldest first. */
export function compareIdsByAge(left: string, right: string): number {
  const [leftTime, rightTime] = [left.slice(RANDOM_CHARACTERS), right.slice(RANDOM_CHARACTERS)];
  return leftTime < rightTime ? -1 : leftTime > rightTime ? 1 : 0;
}

/**
 * Whether a text is a valid name of a session's folder: 4 to 64 lower-case letters, digits, `-` and `_`. Atomic's own
 * identifiers and lower-case UUIDs are valid, paths never are.
 */
export function isWorkflowSessionId(text: string): boolean {
  return /^[a-z0-9][a-z0-9_-]{3,63}$/.test(text);
}
