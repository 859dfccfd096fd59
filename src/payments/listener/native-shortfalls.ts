import type { Logger } from 'pino';
import type { Difference } from './native-remainders.js';

/**
 * Logs addresses that hold less than transactions and final deposits say: coins left them that we did not send. Each is
 * logged once, and again when the amount changes. Nothing else follows: a person has to investigate.
 */
export class NativeShortfalls {
  private readonly reported = new Map<string, bigint>();

  constructor(private readonly logger: Logger) {}

  report(chainRef: string, shortfalls: readonly Difference[]): void {
    for (const { address, units } of shortfalls) {
      const key = `${chainRef} ${address}`;
      if (this.reported.get(key) === units) continue;
      this.reported.set(key, units);
      this.logger.error(
        { chainRef, address, missing: (-units).toString() },
        'An address holds less than the books say.',
      );
    }
  }
}
