import { createHash } from 'node:crypto';
import type { Figure } from '../report.ts';
import { setTronSweepStage, type SweepWay } from '../tron-sweep-stage.ts';

const DEPOSITS = 10;
const SUN_PER_TRX = 1_000_000;
/** About 950,000 energy a day on the main network. */
const STAKE = 100_000n * 1_000_000n;
/** With lent energy a sweep may cost this part of one that burns TRX. */
const PART_MAX = 0.5;

/** Measures what a deposit of USDT at an address that was never used costs until it is in the hot wallet. */
export async function measureTronSweepCost(): Promise<Figure[]> {
  const stage = await setTronSweepStage(keyOf('hot wallet'), STAKE);
  try {
    const meanOf = async (way: SweepWay) => {
      let [spent, left] = [0n, 0n];
      for (let deposit = 0; deposit < DEPOSITS; deposit++) {
        const cost = await stage.sweep(way, keyOf(`${way} ${deposit}`));
        [spent, left] = [spent + cost.spent, left + cost.left];
      }
      return { spent: trx(spent), left: trx(left) };
    };
    const burned = await meanOf('burned');
    const lent = await meanOf('lent');
    const shown = ({ spent, left }: typeof lent): string =>
      `${spent.toFixed(2)} TRX per deposit, and ${left.toFixed(2)} left at the address`;
    const part = lent.spent / burned.spent;
    return [
      { name: 'tron sweep of USDT, TRX burned', measured: shown(burned), limit: 'none', isMet: true },
      {
        name: 'tron sweep of USDT, energy lent',
        measured: `${shown(lent)}; ${part.toFixed(2)} of burned`,
        limit: `<= ${PART_MAX}`,
        isMet: part <= PART_MAX,
      },
    ];
  } finally {
    await stage.close();
  }
}

const keyOf = (name: string): Uint8Array => createHash('sha256').update(`bench ${name}`).digest();

const trx = (sun: bigint): number => Number(sun) / DEPOSITS / SUN_PER_TRX;
