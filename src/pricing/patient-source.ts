import { type PriceSource, type SourceAnswers, SourceFault } from './price-source.js';
import { retryPauseMs } from './retry-pause.js';

/** A source that is left alone for a while after it failed. */
export class PatientSource {
  private failures = 0;
  private askAgainAtMs = 0;
  private lastFault: SourceFault | null = null;

  constructor(readonly source: PriceSource) {}

  /** What the source says, or why it says nothing; while it is left alone, the last fault. */
  async ask(tokens: readonly string[]): Promise<SourceAnswers | SourceFault> {
    if (this.lastFault !== null && performance.now() < this.askAgainAtMs) return this.lastFault;
    try {
      const answers = await this.source.ask(tokens);
      this.failures = 0;
      this.lastFault = null;
      return answers;
    } catch (error) {
      const fault = faultOf(this.source.name, error);
      this.failures++;
      this.lastFault = fault;
      this.askAgainAtMs = performance.now() + retryPauseMs(this.failures, fault.retryAfterMs);
      return fault;
    }
  }
}

/** A defect of one source is a fault like any other: the others still make a price. */
function faultOf(source: string, error: unknown): SourceFault {
  if (error instanceof SourceFault) return error;
  return new SourceFault('no_answer', `${source} could not be asked.`, null, { cause: error });
}
