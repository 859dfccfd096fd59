import type { Logger } from 'pino';
import type { Difference } from './native-remainders.js';

/**
 * Tells of addresses that hold less than transactions and final deposits say: coins left them that we did not send. Each
 * is told once, and again when the amount changes; nothing is changed by it, since people have to look.
 */
export class NativeShortfalls {
  private readonly told = new Map<string, bigint>();

  constructor(private readonly logger: Logger) {}

  tell(chainRef: string, shortfalls: readonly Difference[]): void {
    for (const { address, units } of shortfalls) {
      const key = `${chainRef} ${address}`;
      if (this.told.get(key) === units) continue;
      this.told.set(key, units);
      this.logger.error(
        { chainRef, address, missing: (-units).toString() },
        'an address holds less than the books say',
      );
    }
  }
}
