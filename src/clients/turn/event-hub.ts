import type { AgentEvent, AgentEventType, Unsubscribe } from "../../contracts/index.ts";

type Listener = (event: AgentEvent) => void;

/** The subscribers to the events of all sessions of a client. */
export class EventHub {
  readonly #listeners = new Map<AgentEventType | "*", Set<Listener>>();

  /** Adds a subscriber; the same function may be added several times, each time with its own subscription. */
  on<T extends AgentEventType | "*">(
    type: T,
    listener: (event: T extends AgentEventType ? Extract<AgentEvent, { type: T }> : AgentEvent) => void,
  ): Unsubscribe {
    const listeners = this.#listeners.get(type) ?? new Set();
    this.#listeners.set(type, listeners);
    // The cast is true: `publish` calls a subscriber only with events of the type that it is registered for.
    const known = listener as Listener;
    const subscription: Listener = (event) => known(event);
    listeners.add(subscription);
    return () => listeners.delete(subscription);
  }

  /** Calls the subscribers to the event's type, then those to all events. New subscribers receive the next event. */
  publish(event: AgentEvent): void {
    tell(this.#listeners.get(event.type), event);
    tell(this.#listeners.get("*"), event);
  }
}

function tell(listeners: ReadonlySet<Listener> | undefined, event: AgentEvent): void {
  if (listeners === undefined || listeners.size === 0) return;
  for (const listener of [...listeners]) if (listeners.has(listener)) listener(event);
}
