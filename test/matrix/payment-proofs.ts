import { COLLECTED } from './collected.js';
import type { Proof } from './proof.js';
import { all, provenBy } from './proven-by.js';

const LISTENER = 'src/payments/listener';

/** Tests of payments that come in. `collecting.ts` makes its cells from the table itself. */
export const PAYMENT_PROOFS: readonly Proof[] = [
  ...Object.values(COLLECTED).flatMap((name) =>
    provenBy('test/matrix/collecting.ts', '$name in $symbol on $network', [name], all()),
  ),

  ...provenBy(
    'test/chain/dust.soak-spec.ts',
    '2,000 transfers of dust are credited to the last unit, and neither flood the merchant nor delay a customer [G-96]',
    ['dust'],
    { bnb: ['USDC'] },
  ),
  ...provenBy(
    'test/chain/dust.soak-spec.ts',
    '2,000 wei in as many payments of the coin, half of them inside of contracts, are credited to the last one',
    ['dust'],
    { bnb: ['BNB'] },
  ),
  ...provenBy(
    'test/chain/dust-elsewhere.soak-spec.ts',
    'in 480 payments of %s is credited to the last unit, and neither floods the merchant nor delays a customer [G-96]',
    ['dust'],
    { solana: ['USDC', 'SOL'], tron: ['USDT', 'TRX'] },
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
    `${LISTENER}/accounts/account-forks.spec.ts`,
    'that drops a payment in %s takes it back, and its return counts once',
    ['fork or reorg'],
    { solana: ['USDC', 'SOL'] },
  ),
  ...provenBy(
    `${LISTENER}/accounts/account-listener.spec.ts`,
    'in SOL may come from two payers at once, or be what a program pays out of an account that it closes',
    ['two payers in one transaction', 'the coin through a contract', 'contract or program as payer'],
    { solana: ['SOL'] },
  ),
  ...provenBy(
    `${LISTENER}/accounts/message-forms.spec.ts`,
    'is collected from a payer with %s',
    ['payer with a legacy transaction', 'payer with version 0 and a lookup table', 'payer with version 1'],
    { solana: [] },
  ),
  ...provenBy(
    `${LISTENER}/accounts/message-forms.spec.ts`,
    'is collected from an account of a program: a multisig, which two of its signers let pay',
    ['contract or program as payer'],
    { solana: ['USDC'] },
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
    'drops a payment in %s that does not come back, and moves one that does [F-66]',
    ['fork or reorg'],
    { tron: ['USDT', 'TRX'] },
  ),
  ...provenBy('src/chains/tron/block-transfers.spec.ts', 'are not %s', ['failed on chain'], { tron: ['TRX'] }),
  ...provenBy(
    'test/chain/tron-contract-payers.soak-spec.ts',
    'counts when a contract pays it',
    ['contract or program as payer'],
    { tron: ['USDT', 'USDC'] },
  ),
  ...provenBy(
    'test/chain/tron-contract-payers.soak-spec.ts',
    'counts twice when a contract collects it from two payers in one transaction',
    ['two payers in one transaction'],
    { tron: ['USDT', 'USDC'] },
  ),
  ...provenBy(
    'test/chain/tron-contract-payers.soak-spec.ts',
    'count to the last sun when a contract and its caller pay them in one transaction',
    ['two payers in one transaction'],
    { tron: ['TRX'] },
  ),
];
