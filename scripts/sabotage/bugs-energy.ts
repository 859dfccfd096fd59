import type { Bug } from './bug.ts';

const LENT = ['src/treasury/sweeps/energy/lent-energy.spec.ts'];
const LENDER = ['src/chains/tron/tron-lender.spec.ts'];
const ADOPTED = ['src/recovery/expiring/adopted-energy.spec.ts'];

const STAKES = ['src/treasury/stakes/stakes.spec.ts'];

/** Bugs in energy that a hot wallet lends, and in the stake that gives it. */
export const ENERGY_BUGS: readonly Bug[] = [
  {
    name: 'energy-kept',
    harm: 'The energy of a sweep that has ended never comes back.',
    edits: [
      {
        file: 'src/treasury/sweeps/sweep-rows.ts',
        search: 'await takeEnergyBack(tx, sweepIds);',
        replace: 'await takeEnergyBack(tx, sweepIds.slice(1_000));',
      },
    ],
    specs: LENT,
  },
  {
    name: 'energy-lent-twice',
    harm: 'Loans that are not final are forgotten: together they are above the stake, and nodes refuse them.',
    edits: [
      {
        file: 'src/treasury/sweeps/energy/lendable-stake.ts',
        search: 'return free - BigInt(lent.stake);',
        replace: 'return BigInt(lent.stake) >= 0n ? free : 0n;',
      },
    ],
    specs: LENT,
  },
  {
    name: 'energy-before-activation',
    harm: 'Energy is lent before its address is active, which every node refuses.',
    edits: [
      {
        file: 'src/treasury/sweeps/sweep-signer.service.ts',
        search: "if (purpose === 'energy_loan') return null;",
        replace: '',
      },
      {
        file: 'src/treasury/sweeps/sweep-signer.service.ts',
        search: "if (purpose !== 'sweep' && purpose !== 'energy_loan') return null;",
        replace: "if (purpose !== 'sweep') return null;",
      },
    ],
    specs: LENT,
  },
  {
    name: 'energy-for-strangers',
    harm: 'A row can lend the energy of the hot wallet to an address of others.',
    edits: [
      {
        file: 'src/treasury/expiring/expiring-spending-wallet.ts',
        search: 'if (derived?.addressKey !== borrower)',
        replace: 'if (derived === undefined)',
      },
    ],
    specs: LENT,
  },
  {
    name: 'energy-again-after-failure',
    harm: 'A sweep that ran out of its energy borrows again and again.',
    edits: [
      {
        file: 'src/treasury/sweeps/funding/funded-sweep-planner.service.ts',
        search: 'failed.has(item.addressId) ? 0n : lendable',
        replace: "failed.has('') ? 0n : lendable",
      },
    ],
    specs: LENT,
  },
  {
    name: 'energy-limit-of-price',
    harm: 'The limit of a sweep with lent energy is its present price: a higher one stops it.',
    edits: [
      {
        file: 'src/chains/tron/sweep-fee.ts',
        search: 'most: HEADROOM * energy * at.energyPrice + bandwidth,',
        replace: 'most: energy * at.energyPrice + bandwidth,',
      },
    ],
    specs: [...LENT, ...LENDER],
  },
  {
    name: 'energy-stake-missing',
    harm: 'Staked coins count as gone: the books say that the hot wallet lacks them.',
    edits: [
      {
        file: 'src/chains/tron/tron-client.ts',
        search: '(tokens[place] === NATIVE_COIN ? held + all : held)',
        replace: '(tokens[place] === NATIVE_COIN && all < 0n ? held + all : held)',
      },
    ],
    specs: LENT,
  },
  {
    name: 'energy-adopted-beside',
    harm: 'A loan that a restored database lacks is recorded beside the one that waits for it, which is lent too.',
    edits: [
      {
        file: 'src/recovery/expiring/adopted-energy.ts',
        search: "const purposeId = waiting[0]?.id ?? newId('eln_');\n  if (waiting.length > 0)",
        replace: "const purposeId = newId('eln_');\n  if (waiting.length > 1)",
      },
    ],
    specs: ADOPTED,
  },
  {
    name: 'stake-of-owed-coins',
    harm: 'The hot wallet stakes coins that belong to merchants: their withdrawals wait for 14 days.',
    edits: [
      {
        file: 'src/treasury/stakes/staking-reserve.ts',
        search: 'forPayouts: unswept > 0n ? unswept : 0n,',
        replace: 'forPayouts: unswept > 0n ? 0n : 0n,',
      },
    ],
    specs: STAKES,
  },
  {
    name: 'stake-beyond-reserve',
    harm: 'The vault signs a stake whatever the wallet must keep.',
    edits: [
      {
        file: 'src/treasury/expiring/expiring-spending-wallet.ts',
        search: '{ costMax, reserve: staking.reserve }',
        replace: '{ costMax, reserve: -amount }',
      },
    ],
    specs: STAKES,
  },
  {
    name: 'stake-lent-while-leaving',
    harm: 'Energy of a stake that is about to be taken back is lent: nodes refuse the loan, and the sweep is late.',
    edits: [
      {
        file: 'src/treasury/sweeps/energy/lendable-stake.ts',
        search: 'const free = stake - BigInt(leaving.stake);',
        replace: 'const free = BigInt(leaving.stake) >= 0n ? stake : 0n;',
      },
    ],
    specs: STAKES,
  },
];
