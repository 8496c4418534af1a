/** What was measured of one turn. */
export interface TurnMeasurement {
  /** From the sending of the message to the first piece of the answer. */
  readonly firstDeltaMillis: number;
  /** The mean distance between two pieces. */
  readonly perDeltaMicros: number;
  /** How many pieces came. */
  readonly deltaCount: number;
  /** From the sending to the end of the turn. */
  readonly wallMillis: number;
  /** Processor time of the process that holds the SDK, all its threads together. */
  readonly cpuMillis: number;
  /** Processor time of the agent's processes, to 10 ms; 0 where the system does not tell. */
  readonly agentCpuMillis: number;
}

/** What one process measured of one variant of an agent. */
export interface AgentMeasurement {
  /** Turns with an answer of one piece. */
  readonly shortTurns: readonly TurnMeasurement[];
  /** Turns with an answer of some thousand pieces. */
  readonly longTurns: readonly TurnMeasurement[];
  /** How long each call of a tool lasts, in milliseconds: turns with some calls, less a turn with none. */
  readonly toolCallMillis: readonly number[];
  /** The most memory that the process had. */
  readonly peakRssMib: number;
}
