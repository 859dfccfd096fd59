import { z } from 'zod';
import { HEX_NUMBER } from '../../src/devtools/devnet/dev-rpc.js';
import { addressOf, intentWithAddress, untilStatus } from '../http/intents.js';
import { eventually } from '../support/eventually.js';
import { query } from '../support/sql.js';
import { COIN, PayoutLab } from './payout-lab.js';
import { type SweepView, sweepsOf } from './sweeps.js';

const WITHIN_MS = 45_000;
const MINE_EVERY_MS = 1_000;
const CENTS = 5_000;

/** What one payment of `paidAddresses` is, in smallest units. */
export const PAID = 50n * COIN;

/** A sweep may cost 5 % more than is planned. */
const GAS_MARGIN = 1.05;

/** Gas per deposit, on the line between the two points that the design gives (1 and 50). */
interface PlannedGas {
  readonly deposits: number;
  /** Of the first sweep of an address, which delegates it, and of later ones. */
  readonly first: number;
  readonly later: number;
}

/** A lab that sweeps what is paid, and replaces a sweep that is stuck for a second. */
export class SweptLab {
  private constructor(readonly payouts: PayoutLab) {}

  static async open(): Promise<SweptLab> {
    return new SweptLab(await PayoutLab.open({ SWEEP_FEE_SHARE_BPS: '100', TRANSACTION_STUCK_AFTER_MS: '1000' }));
  }

  /** Mines once a second, so that everything becomes final, until the condition holds. */
  whileFinal<T>(condition: () => Promise<T | null>): Promise<NonNullable<T>> {
    return eventually(async () => {
      await this.payouts.makeFinal();
      return eventually(condition, MINE_EVERY_MS);
    }, WITHIN_MS);
  }

  /** Freezes signing, or unfreezes it (null): all payments of the meantime are swept together. */
  async freeze(reason: string | null): Promise<void> {
    await query(this.payouts.world.database, `update hot_wallet set frozen_reason = $1`, [reason]);
  }

  /** Every sweep, the oldest first. */
  sweeps(): Promise<readonly SweepView[]> {
    return sweepsOf(this.payouts.world.database);
  }

  async countSweeps(): Promise<number> {
    return (await this.sweeps()).length;
  }

  /** Waits until the newest sweep is signed, as often as this, and returns it. */
  untilSigned(times = 1): Promise<SweepView> {
    return eventually(async () => {
      const newest = (await this.sweeps()).at(-1);
      return newest?.status === 'signed' && newest.attempts.length >= times ? newest : null;
    }, WITHIN_MS);
  }

  /** Waits until one more sweep than before has ended and no other is open, and returns the newest. */
  nextSweep(after: number): Promise<SweepView> {
    return this.whileFinal(async () => {
      const sweeps = await this.sweeps();
      const isOver = sweeps.length === after + 1 && sweeps.every(({ isFinished }) => isFinished);
      return isOver ? (sweeps.at(-1) ?? null) : null;
    });
  }

  /** Pays that many intents as customers, without a sweep while the wallet is frozen. Returns the addresses. */
  async paidAddresses(count: number): Promise<string[]> {
    const { api } = this.payouts.world;
    await this.freeze('a spec gathers deposits');
    const intents = await Promise.all(
      Array.from({ length: count }, () => intentWithAddress(api, { network: 'bnb', amount_cents: CENTS })),
    );
    await this.payAgain(intents.map(addressOf));
    for (const { id } of intents) await untilStatus(api, id, 'completed');
    return intents.map((intent) => addressOf(intent).toLowerCase());
  }

  /** Pays to the addresses, and waits until all payments are booked as final. */
  async payAgain(addresses: readonly string[]): Promise<void> {
    const { testnet, world } = this.payouts;
    for (const to of addresses) await testnet.controls.pay({ to, token: 'USDC', amount: PAID });
    await this.payouts.makeFinal();
    await eventually(
      async () => (await query(world.database, `select from deposit where status = 'seen'`)).length,
      (seen) => seen === 0,
    );
  }

  /** Sweeps new deposits in one transaction, and later ones to the same addresses in another, each for its gas at most. */
  async expectPlannedGas({ deposits, first, later }: PlannedGas): Promise<void> {
    const before = await this.countSweeps();
    const addresses = await this.paidAddresses(deposits);
    await this.freeze(null);
    const fresh = await this.nextSweep(before);
    expect(fresh.reason).toBe('threshold');
    expect(new Set(fresh.items.map(({ address }) => address))).toEqual(new Set(addresses));
    expect(fresh.items.map(({ swept }) => swept)).toEqual(addresses.map(() => PAID));
    expect((await this.gasOf(fresh)) / deposits).toBeLessThanOrEqual(first * GAS_MARGIN);

    // Once more to the same addresses, which delegate already.
    await this.freeze('a spec gathers deposits');
    await this.payAgain(addresses);
    await this.freeze(null);
    const again = await this.nextSweep(before + 1);
    expect(again.items.map(({ swept }) => swept)).toEqual(addresses.map(() => PAID));
    expect((await this.gasOf(again)) / deposits).toBeLessThanOrEqual(later * GAS_MARGIN);
  }

  /** Returns the gas that the mined version used on the chain. */
  private async gasOf({ minedHash }: SweepView): Promise<number> {
    const receipt = z.object({ gasUsed: HEX_NUMBER });
    return (await this.payouts.testnet.node.ask(receipt, 'eth_getTransactionReceipt', minedHash)).gasUsed;
  }

  close(): Promise<void> {
    return this.payouts.close();
  }
}
