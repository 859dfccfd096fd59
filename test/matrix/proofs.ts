import { EVM_NETWORKS, type Network, NETWORKS } from '../../src/domain/network.js';
import { ASSETS, type AssetKind, type CaseName } from './cells.js';
import type { Proof } from './proof.js';
import { COLLECTED } from './collected.js';

type Where = Readonly<Partial<Record<Network, readonly string[]>>>;

/** The proofs of one test: for each network, the assets that it runs with; an empty list where a case is about none. */
function provenBy(file: string, title: string, cases: readonly CaseName[], where: Where): Proof[] {
  return NETWORKS.flatMap((network) => {
    const symbols = where[network];
    if (symbols === undefined) return [];
    const kinds = new Set<AssetKind>(
      ASSETS.flatMap((asset) => (asset.network === network && symbols.includes(asset.symbol) ? [asset.kind] : [])),
    );
    return [{ cases, file, title, networks: [network], symbols, kinds: [...kinds] }];
  });
}

/** Every asset of these networks. */
const all = (networks: readonly Network[] = NETWORKS): Where =>
  Object.fromEntries(
    networks.map((network) => [
      network,
      ASSETS.filter((asset) => asset.network === network).map(({ symbol }) => symbol),
    ]),
  );

const SOLANA = ['USDC', 'USDT', 'SOL'];
const TRON = ['USDT', 'USDC', 'TRX'];
const LISTENER = 'src/payments/listener';
const EXPIRING = 'src/treasury/expiring';
const SWEEPS = 'src/treasury/sweeps';

/** Every test that proves a cell. `collecting.e2e-spec.ts` runs its cells from the table itself. */
export const PROOFS: readonly Proof[] = [
  ...Object.values(COLLECTED).flatMap((name) =>
    provenBy('test/matrix/collecting.e2e-spec.ts', '$name in $symbol on $network', [name], all()),
  ),

  ...provenBy(
    'test/chain/dust.e2e-spec.ts',
    '2,000 transfers of dust are credited to the last unit, and neither flood the merchant nor delay a customer [G-96]',
    ['dust'],
    { bnb: ['USDC'] },
  ),
  ...provenBy('test/chain/unattributed-deposits.e2e-spec.ts', 'leaves no trace: %s', ['failed on chain'], {
    bnb: ['USDC'],
  }),
  ...provenBy(
    'test/chain/unattributed-deposits.e2e-spec.ts',
    'counts transfers that a third party sends for the customer [G-89]',
    ['contract or program as payer'],
    { bnb: ['USDC'] },
  ),
  ...provenBy(
    'test/chain/unattributed-deposits.e2e-spec.ts',
    'counts for each recipient alone when one transaction holds 50 transfers of two tokens [G-88] [G-89]',
    ['two payers in one transaction'],
    { bnb: ['USDC'] },
  ),
  ...provenBy(
    'test/chain/native.e2e-spec.ts',
    'is none when the inner call was reverted, or the transaction failed [G-94] [G-84]',
    ['failed on chain'],
    { polygon: ['POL'] },
  ),
  ...provenBy(
    'test/chain/native.e2e-spec.ts',
    'comes in parts, by a transaction and inside of contracts in one block and in others, and above what was asked [G-93]',
    ['the coin through a contract', 'contract or program as payer'],
    { polygon: ['POL'] },
  ),
  ...provenBy(
    'test/chain/native.e2e-spec.ts',
    'reaches several customers in one transaction of a contract, and one in the end of another [G-88] [G-93]',
    ['two payers in one transaction'],
    { polygon: ['POL'] },
  ),
  ...provenBy(
    'test/chain/native.e2e-spec.ts',
    'takes %s back, and credits it once when it is mined again [F-64] [F-65]',
    ['fork or reorg'],
    { polygon: ['POL'] },
  ),
  ...provenBy(
    'test/chain/reorgs.e2e-spec.ts',
    'of %i blocks takes a dropped payment back, and credits it once when it returns [F-64]',
    ['fork or reorg'],
    { bnb: ['USDC'] },
  ),

  ...provenBy(
    `${LISTENER}/accounts/account-listener.spec.ts`,
    'that fails on the chain, or in a token that is not listed, is no payment',
    ['failed on chain'],
    { solana: ['USDC'] },
  ),
  ...provenBy(
    `${LISTENER}/accounts/account-listener.spec.ts`,
    'by two payers in one transaction has two senders, and both are screened',
    ['two payers in one transaction'],
    { solana: ['USDC'] },
  ),
  ...provenBy(
    `${LISTENER}/accounts/account-listener.spec.ts`,
    'that drops a payment takes it back, and its return counts once',
    ['fork or reorg'],
    { solana: ['USDC'] },
  ),
  ...provenBy(
    `${LISTENER}/accounts/message-forms.spec.ts`,
    'is collected from a payer with %s',
    ['payer with a legacy transaction', 'payer with version 0 and a lookup table', 'payer with version 1'],
    { solana: [] },
  ),
  ...provenBy(
    'src/chains/solana/transaction-transfers.spec.ts',
    'of a failed transaction do not exist',
    ['failed on chain'],
    { solana: ['SOL'] },
  ),

  ...provenBy(`${LISTENER}/tron-payments.spec.ts`, 'that is %s on the chain is none [G-94]', ['failed on chain'], {
    tron: ['USDT'],
  }),
  ...provenBy(`${LISTENER}/tron-payments.spec.ts`, 'may come in parts, some of them in one block', ['two parts'], {
    tron: ['USDT'],
  }),
  ...provenBy(
    `${LISTENER}/tron-payments.spec.ts`,
    'are found by the balance, with internal transactions %s [G-93]',
    ['the coin through a contract', 'contract or program as payer'],
    { tron: ['TRX'] },
  ),
  ...provenBy(
    `${LISTENER}/tron-payments.spec.ts`,
    'drops a payment that does not come back, and moves one that does [F-66]',
    ['fork or reorg'],
    { tron: ['USDT'] },
  ),
  ...provenBy('src/chains/tron/block-transfers.spec.ts', 'are not %s', ['failed on chain'], { tron: ['TRX'] }),

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
    `${EXPIRING}/solana-withdrawals.spec.ts`,
    'have 50 ids, and each is paid once on the chain [I-118]',
    ['50 equal withdrawals at once'],
    { solana: ['USDC'] },
  ),
  ...provenBy(
    `${EXPIRING}/tron-withdrawals.spec.ts`,
    'to %s recipient completes, and the books hold to the sun [H-107]',
    ['withdrawal', 'withdrawal to a fresh recipient'],
    { tron: TRON },
  ),
  ...provenBy(
    `${EXPIRING}/tron-withdrawals.spec.ts`,
    'have 50 ids, and each is paid once on the chain [I-118]',
    ['50 equal withdrawals at once'],
    { tron: ['USDT'] },
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
    `${SWEEPS}/expiring/expiring-sweeps.spec.ts`,
    'bring at once what a withdrawal waits for, of the largest balance, and close no account then',
    ['withdrawal that waits for swept funds'],
    { solana: ['USDC'] },
  ),
  ...provenBy(
    'test/withdrawals/tron-swept-funds.spec.ts',
    'is paid in USDT once a sweep has brought them',
    ['withdrawal that waits for swept funds'],
    { tron: ['USDT'] },
  ),

  ...provenBy(
    'test/withdrawals/sweeps.e2e-spec.ts',
    '$deposits deposits above the threshold are swept in one transaction, for the planned gas',
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
    `${SWEEPS}/funding/tron-sweeps.spec.ts`,
    'bring the USDT of an address that was never activated, which the hot wallet pays for',
    ['sweep'],
    { tron: ['USDT'] },
  ),
  ...provenBy(`${SWEEPS}/funding/tron-sweeps.spec.ts`, 'of TRX empty the address, without a funding', ['sweep'], {
    tron: ['TRX'],
  }),
  ...provenBy(
    `${SWEEPS}/funding/tron-sweeps.spec.ts`,
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
    'at %s on %s: one transaction is mined, and the withdrawal ends completed [I-108]',
    ['kill -9 of a withdrawal'],
    { ethereum: ['USDC'] },
  ),
  ...provenBy(
    'test/crash/sweep-deaths.ts',
    'at %s on %s: the funds move once, and the books show it [I-108]',
    ['kill -9 of a sweep'],
    { ethereum: ['USDC'] },
  ),
  ...provenBy(
    `${EXPIRING}/killed-payments.spec.ts`,
    'at %s: one transaction is final, and the withdrawal is paid once [I-108]',
    ['kill -9 of a withdrawal'],
    { solana: ['USDC'], tron: ['USDC'] },
  ),
  ...provenBy(
    `${SWEEPS}/expiring/expiring-sweeps.spec.ts`,
    'are sent with the same bytes by the next process when one dies, and pay once',
    ['kill -9 of a sweep'],
    { solana: ['USDC'] },
  ),
  ...provenBy(
    `${SWEEPS}/funding/killed-tron-sweeps.spec.ts`,
    'at %s: the address is funded once and swept once',
    ['kill -9 of a sweep'],
    { tron: ['USDT'] },
  ),

  ...provenBy(
    'test/withdrawals/restore.e2e-spec.ts',
    'the withdrawal completes by its final receipt with an event, the sweep ends by its logs, and nothing is paid twice',
    ['restore with live bytes in flight'],
    { bnb: ['USDC'] },
  ),
  ...provenBy(
    `${EXPIRING}/restored-records.spec.ts`,
    'signs nothing until bytes that were in flight can no longer be mined',
    ['restore with live bytes in flight'],
    { solana: ['USDC'] },
  ),
  ...provenBy(
    `${EXPIRING}/tron-restored-records.spec.ts`,
    'signs nothing until bytes that were in flight can no longer be mined',
    ['restore with live bytes in flight'],
    { tron: ['USDT'] },
  ),

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
    `${SWEEPS}/expiring/expiring-sweeps.spec.ts`,
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
];
