import { type PriceSource, type SourceAnswers, SourceFault } from './price-source.js';
import { retryPauseMs } from './retry-pause.js';

/** Asks a source, and after a failure asks it again only after a delay that grows with each failure in a row. */
export class RetryingSource {
  private failures = 0;
  private askAgainAtMs = 0;
  private lastFault: SourceFault | null = null;

  constructor(readonly source: PriceSource) {}

  /** Returns the source's answers, or its fault; during the delay, the last fault. */
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
