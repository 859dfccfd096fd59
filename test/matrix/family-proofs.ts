import { EVM_NETWORKS } from '../../src/domain/network.js';
import type { Proof } from './proof.js';
import { provenBy } from './proven-by.js';

const EXPIRING = 'src/treasury/expiring';
const SWEEPS = 'src/treasury/sweeps';

/** Tests of what one family alone knows. */
export const FAMILY_PROOFS: readonly Proof[] = [
  ...provenBy(
    'src/treasury/wallets/issuer-freezes.service.spec.ts',
    'freezes a hot wallet that a token issuer has frozen, and again as long as the issuer does [G-99]',
    ['frozen hot wallet'],
    { ethereum: [], polygon: [], bnb: [] },
  ),
  ...provenBy(
    'test/chain/sweep-contracts.e2e-spec.ts',
    'pass over what cannot be swept, and sweep everything beside it',
    ['frozen source of a sweep'],
    Object.fromEntries(EVM_NETWORKS.map((network) => [network, []])),
  ),
  ...provenBy(
    'test/withdrawals/failed-withdrawals.e2e-spec.ts',
    'because the destination %s, fails unsigned: amount and fee are back, the merchant gets an event, the pocket is free [I-116]',
    ['frozen destination'],
    { polygon: [] },
  ),
  ...provenBy(
    `${EXPIRING}/refused-payments.spec.ts`,
    "when the issuer has frozen the recipient's account",
    ['frozen destination'],
    { solana: [] },
  ),
  ...provenBy(
    `${EXPIRING}/refused-payments.spec.ts`,
    'is frozen here too, and withdrawals wait until it is thawed',
    ['frozen hot wallet'],
    { solana: [] },
  ),
  ...provenBy(
    `${EXPIRING}/refused-payments.spec.ts`,
    'is opened by the payment, which completes with the rent in its costs',
    ['account closed and paid again'],
    { solana: [] },
  ),
  ...provenBy(
    `${EXPIRING}/refused-payments.spec.ts`,
    'when it is less than an address without coins must hold',
    ['below the minimum'],
    { solana: [] },
  ),
  ...provenBy(
    'src/chains/solana/simulated-payments.spec.ts',
    'follows the rent when it changes',
    ['rent changed in between'],
    { solana: [] },
  ),
  ...provenBy(
    `${EXPIRING}/disputed-expiry.spec.ts`,
    'with an understated lifetime is not freed while it may be mined',
    ['a node that understates expiry'],
    { solana: [] },
  ),
  ...provenBy(
    'test/withdrawals/solana-sweeps.soak-spec.ts',
    'leave out an account that its issuer has frozen',
    ['frozen source of a sweep'],
    { solana: [] },
  ),
  ...provenBy(
    `${EXPIRING}/tron-refusals.spec.ts`,
    'of %s when the issuer has frozen the recipient',
    ['frozen destination'],
    { tron: [] },
  ),
  ...provenBy(
    `${EXPIRING}/tron-refusals.spec.ts`,
    'is frozen here too, and withdrawals wait until it is released',
    ['frozen hot wallet'],
    { tron: [] },
  ),
  ...provenBy(
    `${EXPIRING}/tron-refusals.spec.ts`,
    'ends failed with the money back in the pocket and what was burned booked [I-116]',
    ['OUT_OF_ENERGY of a withdrawal'],
    { tron: [] },
  ),
  ...provenBy(
    `${SWEEPS}/funding/tron-sweeps.spec.ts`,
    'that run out of energy burn what they were funded with, and are funded again',
    ['OUT_OF_ENERGY of a sweep'],
    { tron: [] },
  ),
  ...provenBy(
    `${SWEEPS}/funding/tron-sweeps.spec.ts`,
    'leave out an address that the issuer has frozen, and are set aside in the end',
    ['frozen source of a sweep'],
    { tron: [] },
  ),
  ...provenBy(
    'src/chains/tron/tron-payments.spec.ts',
    'are mined when the price doubles after they are signed',
    ['energy price up between quote and sending'],
    { tron: [] },
  ),
  ...provenBy(
    `${SWEEPS}/energy/lent-energy.spec.ts`,
    'is one of several: together they borrow no more than the stake, and the others burn [I-119]',
    ['staked energy exhausted'],
    { tron: [] },
  ),
];
