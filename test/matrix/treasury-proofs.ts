import type { Proof } from './proof.js';
import { provenBy } from './proven-by.js';

const SOLANA = ['USDC', 'USDT', 'SOL'];
const TRON = ['USDT', 'USDC', 'TRX'];
const LISTENER = 'src/payments/listener';
const EXPIRING = 'src/treasury/expiring';
const SWEEPS = 'src/treasury/sweeps';

/** Tests of withdrawals, sweeps, kills and restores. */
export const TREASURY_PROOFS: readonly Proof[] = [
  ...provenBy(
    'test/withdrawals/withdrawals.e2e-spec.ts',
    'pays out all of a pocket of $token on $network, exactly in its minor units; a remainder below one stays [spec 2.2 amount_cents, network_fee_cents] [spec 4.6 amount_cents] [H-104]',
    ['withdrawal', 'withdrawal to a fresh recipient'],
    { polygon: ['POL', 'USDT'], bnb: ['USDC', 'BNB'] },
  ),
  ...provenBy(
    'test/withdrawals/parallel-withdrawals.e2e-spec.ts',
    '12 withdrawals from 12 pockets all complete: each is paid once, by a transaction of its own',
    ['withdrawal'],
    { polygon: ['USDC'] },
  ),
  ...provenBy(
    `${EXPIRING}/solana-withdrawals.spec.ts`,
    'to %s recipient completes, and the books hold to the lamport [H-107]',
    ['withdrawal', 'withdrawal to a fresh recipient'],
    { solana: SOLANA },
  ),
  ...provenBy(
    `${EXPIRING}/tron-withdrawals.spec.ts`,
    'to %s recipient completes, and the books hold to the sun [H-107]',
    ['withdrawal', 'withdrawal to a fresh recipient'],
    { tron: TRON },
  ),
  ...provenBy(
    'test/support/fifty-withdrawals.ts',
    'have 50 ids in %s, and each is paid once on the chain [I-118]',
    ['50 equal withdrawals at once'],
    { solana: ['USDC', 'SOL'], tron: ['USDT', 'TRX'] },
  ),
  ...provenBy(
    'test/withdrawals/fifty-evm.soak-spec.ts',
    '50 equal withdrawals of different merchants at once in $symbol on $network: each is paid once, by a transaction of its own',
    ['50 equal withdrawals at once'],
    { ethereum: ['USDC', 'ETH'], polygon: ['USDC', 'POL'], bnb: ['USDC', 'BNB'] },
  ),

  ...provenBy(
    'test/withdrawals/sweeps.e2e-spec.ts',
    'a withdrawal larger than the hot wallet triggers the sweep it needs, and completes',
    ['withdrawal that waits for swept funds'],
    { bnb: ['USDC'] },
  ),
  ...provenBy(
    `${SWEEPS}/sweep-drafts.service.spec.ts`,
    'with missing $what, sweeps are due',
    ['withdrawal that waits for swept funds'],
    { polygon: ['POL'] },
  ),
  ...provenBy(
    'test/withdrawals/solana-sweeps.soak-spec.ts',
    'bring at once what a withdrawal waits for, of the largest balance, and close no account then',
    ['withdrawal that waits for swept funds'],
    { solana: ['USDC'] },
  ),
  ...provenBy(
    'test/withdrawals/tron-swept-funds.spec.ts',
    'is paid in $symbol once a sweep has brought them',
    ['withdrawal that waits for swept funds'],
    { tron: ['USDT', 'TRX'] },
  ),
  ...provenBy(
    'test/withdrawals/solana-coin-sweeps.soak-spec.ts',
    'is paid in SOL once a sweep has brought them',
    ['withdrawal that waits for swept funds'],
    { solana: ['SOL'] },
  ),

  ...provenBy(
    'test/withdrawals/sweeps.e2e-spec.ts',
    '10 deposits above the threshold are swept in one transaction, for the planned gas',
    ['sweep'],
    { bnb: ['USDC'] },
  ),
  ...provenBy(
    'test/withdrawals/sweeps.e2e-spec.ts',
    'the coin is swept too, and a later payment to the address is found and counted once',
    ['sweep'],
    { bnb: ['BNB'] },
  ),
  ...provenBy(
    `${LISTENER}/native-sweeps.spec.ts`,
    'coins that arrive while a sweep is under way are booked once, as soon as it is final at the latest',
    ['sweep racing a deposit'],
    { polygon: ['POL'] },
  ),
  ...provenBy(
    'test/withdrawals/racing-sweeps.soak-spec.ts',
    'a sweep of tokens brings what arrives between its signature and its block, and each deposit is credited once',
    ['sweep racing a deposit'],
    { bnb: ['USDC'] },
  ),
  ...provenBy(
    `${SWEEPS}/expiring/expiring-sweeps.spec.ts`,
    'bring what several addresses hold in all tokens, close their accounts, and book the rent',
    ['sweep'],
    { solana: SOLANA },
  ),
  ...provenBy(
    `${SWEEPS}/expiring/expiring-sweeps.spec.ts`,
    'that close an account fail as a whole when a payment races them, and are planned again one by one',
    ['sweep racing a deposit'],
    { solana: ['USDC'] },
  ),
  ...provenBy(
    'test/withdrawals/solana-coin-sweeps.soak-spec.ts',
    'of SOL leaves what arrives meanwhile for the next one',
    ['sweep racing a deposit'],
    { solana: ['SOL'] },
  ),
  ...provenBy(
    `${SWEEPS}/funding/tron-sweeps.spec.ts`,
    'bring the USDT of an address that was never activated, which the hot wallet pays for',
    ['sweep'],
    { tron: ['USDT'] },
  ),
  ...provenBy(`${SWEEPS}/funding/tron-sweeps.spec.ts`, 'of TRX empty the address, without a funding', ['sweep'], {
    tron: ['TRX'],
  }),
  ...provenBy(
    'test/withdrawals/tron-sweeps.soak-spec.ts',
    'leave what arrives meanwhile for the next one, which pays with what the first left',
    ['sweep racing a deposit'],
    { tron: ['USDT'] },
  ),
  ...provenBy(
    `${SWEEPS}/funding/tron-sweeps.spec.ts`,
    'credit TRX that come to the address meanwhile, from a customer or a contract, and nothing of their own',
    ['sweep racing a deposit'],
    { tron: ['TRX'] },
  ),

  ...provenBy(
    'test/crash/withdrawal-deaths.ts',
    'at %s on %s in %s: one transaction is mined, and the withdrawal ends completed [I-108]',
    ['kill -9 of a withdrawal'],
    { ethereum: ['USDC', 'ETH'], polygon: ['USDC', 'POL'], bnb: ['USDC', 'BNB'] },
  ),
  ...provenBy(
    'test/crash/sweep-deaths.ts',
    'at %s on %s in %s: the funds move once, and the books show it [I-108]',
    ['kill -9 of a sweep'],
    { ethereum: ['USDC', 'ETH'], polygon: ['USDC', 'POL'], bnb: ['USDC', 'BNB'] },
  ),
  ...provenBy(
    'test/crash/expiring-payment-deaths.ts',
    'at %s: one transaction is final, and the withdrawal is paid once [I-108]',
    ['kill -9 of a withdrawal'],
    { solana: ['USDC', 'SOL'], tron: ['USDC', 'TRX'] },
  ),
  ...provenBy(
    'test/crash/solana-sweep-deaths.ts',
    'at %s: one transaction is final, and it sweeps the address',
    ['kill -9 of a sweep'],
    { solana: ['USDC', 'SOL'] },
  ),
  ...provenBy(
    'test/crash/tron-sweep-deaths.ts',
    'at %s: the address is swept once, and before that funded once for a token',
    ['kill -9 of a sweep'],
    { tron: ['USDT', 'TRX'] },
  ),

  ...provenBy(
    'test/withdrawals/restore.soak-spec.ts',
    'each withdrawal completes by its final receipt with an event, the sweep ends by its logs, and nothing is paid twice',
    ['restore with live bytes in flight'],
    { bnb: ['USDC', 'BNB'] },
  ),
  ...provenBy(
    `${EXPIRING}/restored-records.spec.ts`,
    'signs nothing in %s until bytes that were in flight can no longer be mined',
    ['restore with live bytes in flight'],
    { solana: ['USDC', 'SOL'] },
  ),
  ...provenBy(
    `${EXPIRING}/tron-restored-records.spec.ts`,
    'signs nothing in %s until bytes that were in flight can no longer be mined',
    ['restore with live bytes in flight'],
    { tron: ['USDT', 'TRX'] },
  ),
];
