/**
 * A map in insertion order, for entries that come and go at every step; most of the time there is only one.
 *
 * V8 allocates a new table for a `Map` after enough of its entries were deleted, and the old table points to the new one.
 * Once a dead table is in the old generation, all later tables survive young collections, with everything they refer to,
 * and V8 enlarges the young generation. A single entry is therefore stored without a table.
 */
export class SmallMap<Key extends object | string, Value> {
  /** `undefined` unless there is exactly one entry and no table. */
  #key: Key | undefined = undefined;
  #value: Value | undefined = undefined;
  /** Contains all entries, from the time there are two until there are none. */
  #table: Map<Key, Value> | undefined = undefined;

  /** The number of entries. */
  get size(): number {
    return this.#table?.size ?? (this.#key === undefined ? 0 : 1);
  }

  /** Whether there is an entry with this key. */
  has(key: Key): boolean {
    return this.#table?.has(key) ?? this.#key === key;
  }

  /** The value of a key; `undefined` when there is none. */
  get(key: Key): Value | undefined {
    if (this.#table !== undefined) return this.#table.get(key);
    return this.#key === key ? this.#value : undefined;
  }

  /** Adds an entry or replaces its value. */
  set(key: Key, value: Value): void {
    if (this.#table !== undefined) this.#table.set(key, value);
    else if (this.#key === undefined || this.#key === key) this.#holdOne(key, value);
    else {
      // The cast is true: where there is a key, there is its value.
      this.#table = new Map([[this.#key, this.#value as Value]]);
      this.#table.set(key, value);
      this.#holdOne(undefined, undefined);
    }
  }

  #holdOne(key: Key | undefined, value: Value | undefined): void {
    this.#key = key;
    this.#value = value;
  }

  /** Removes an entry, if there is one. */
  delete(key: Key): void {
    if (this.#key === key) this.#holdOne(undefined, undefined);
    this.#table?.delete(key);
    if (this.#table?.size === 0) this.#table = undefined;
  }

  /** The keys, in the order in which they were added. */
  keys(): Iterable<Key> {
    return this.#table?.keys() ?? (this.#key === undefined ? [] : [this.#key]);
  }

  /** The values, in the order of their keys. */
  values(): Iterable<Value> {
    if (this.#table !== undefined) return this.#table.values();
    // The cast is true: where there is a key, there is its value.
    return this.#key === undefined ? [] : [this.#value as Value];
  }
}
