/** Time between two steps while no intent is open or ended within a day. */
const QUIET_PAUSE_MS = 2_000;
/** Steps of a round over all addresses that may be so far apart: it then takes a minute at most. */
const QUIET_STEPS_MAX = 30;

/** A step of the listener. */
interface Step {
  /** Addresses that may be paid now. */
  readonly recent: number;
  /** It read the last addresses of a round over all. */
  readonly endsRound: boolean;
}

/** Decides how long the listener pauses: longer while no payment is expected, unless a round over all would take too long. */
export class AccountPace {
  private steps = 0;
  private stepsOfRound = Infinity;
  private isQuiet = false;

  constructor(private readonly blockIntervalMs: number) {}

  /** Pause after the step that was noted last. */
  get pauseMs(): number {
    return this.isQuiet ? QUIET_PAUSE_MS : this.blockIntervalMs;
  }

  /** Notes that a step was made. */
  note({ recent, endsRound }: Step): void {
    this.steps++;
    if (endsRound) [this.stepsOfRound, this.steps] = [this.steps, 0];
    this.isQuiet = recent === 0 && Math.max(this.steps, this.stepsOfRound) <= QUIET_STEPS_MAX;
  }
}
