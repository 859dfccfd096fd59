import type { Bug } from './bug.ts';

/** Bugs in transactions of the hot wallets: nonces, funds, what ends a payment, sweeps, and the audit of them. */
export const TRANSACTION_BUGS: readonly Bug[] = [
  {
    name: 'wallet-unlocked',
    harm: 'Two transactions are signed at the same moment with one nonce.',
    edits: [
      {
        file: 'src/treasury/wallets/hot-wallets.sql.ts',
        search: 'and ${chain.active} for no key update of ${wallet}',
        replace: 'and ${chain.active}',
      },
    ],
    specs: ['src/treasury/wallets/locked-wallet.spec.ts'],
  },
  {
    name: 'run-spends-twice',
    harm: 'Payments that are signed together are each promised the same funds of the hot wallet.',
    edits: [
      {
        file: 'src/treasury/transactions/evm-spending-wallet.ts',
        search: 'this.funds.promise(order.token, order.amount);',
        replace: 'this.funds.promise(order.token, 0n);',
      },
    ],
    specs: ['src/treasury/transactions/signing-run.spec.ts'],
  },
  {
    name: 'run-over-limit',
    harm: "Withdrawals that are signed together each find the same room in their merchant's daily limit.",
    edits: [
      {
        file: 'src/treasury/transactions/transaction-signer.service.ts',
        search: '      rules.sign(purposeId);\n',
        replace: '',
      },
    ],
    specs: ['src/treasury/transactions/signing-run.spec.ts'],
  },
  {
    name: 'run-one-nonce',
    harm: 'Payments that are signed together have the same nonce: the chain takes one of them.',
    edits: [
      {
        file: 'src/treasury/transactions/evm-spending-wallet.ts',
        search: 'nonce: this.nextNonce++,',
        replace: 'nonce: this.nextNonce,',
      },
    ],
    specs: ['src/treasury/transactions/signing-run.spec.ts'],
  },
  {
    name: 'replacement-new-nonce',
    harm: 'A replacement is signed with the next nonce: the payee is paid twice.',
    edits: [
      {
        file: 'src/treasury/transactions/replacements.service.ts',
        search: 'nonce: Number(row.nonce),',
        replace: 'nonce: wallet.nextNonce,',
      },
    ],
    specs: ['src/treasury/transactions/replacements.service.spec.ts'],
  },
  {
    name: 'promised-coins-spent',
    harm: 'Gas that is reserved for open transactions counts as spendable.',
    edits: [
      {
        file: 'src/treasury/wallets/hot-balances.sql.ts',
        search: '${transaction.gasLimit} * ${highest.maxFeePerGas})',
        replace: '0 * ${highest.maxFeePerGas})',
      },
    ],
    specs: ['src/treasury/wallets/hot-balances.service.spec.ts'],
  },
  {
    name: 'broadcast-order',
    harm: 'Transactions are sent by id, not by nonce: nodes refuse those that come too early.',
    edits: [
      {
        file: 'src/treasury/transactions/broadcasts.sql.ts',
        search: 'order by ${claimed.nonce}`;',
        replace: 'order by ${claimed.id}`;',
      },
    ],
    specs: ['src/treasury/transactions/broadcaster.service.spec.ts'],
  },
  {
    name: 'ended-by-orphan',
    harm: 'A receipt of a block that is not on our chain ends a payment.',
    edits: [
      {
        file: 'src/treasury/transactions/checked-receipts.ts',
        search: 'if (header?.hash !== receipt.blockHash) continue;',
        replace: 'if (header === null || header === undefined) continue;',
      },
    ],
    specs: ['src/treasury/transactions/checked-receipts.spec.ts'],
  },
  {
    name: 'ended-by-other-block',
    harm: 'A payment ends by a block that the listener did not record at that height.',
    edits: [
      {
        file: 'src/treasury/transactions/outcomes.sql.ts',
        search: 'and ${block.hash} <> ${ended.blockHash})',
        replace: "and ${block.hash} <> ${ended.blockHash} and ${block.hash} = '')",
      },
    ],
    specs: ['src/treasury/transactions/outcome-recorder.spec.ts'],
  },
  {
    name: 'paid-while-halted',
    harm: 'Payments complete on a chain that staff have halted.',
    edits: [
      {
        file: 'src/treasury/transactions/outcomes.sql.ts',
        search: 'and ${cursor.haltedReason} is null',
        replace: '',
      },
    ],
    specs: ['src/treasury/transactions/outcome-recorder.spec.ts'],
  },
  {
    name: 'paid-before-final',
    harm: 'A payment ends before its block is final: a reorg removes it, and the money is missing from the books.',
    edits: [
      {
        file: 'src/treasury/transactions/outcomes.sql.ts',
        search: 'and ${cursor.finalizedHeight} >= ${ended.height}',
        replace: 'and ${cursor.headHeight} >= ${ended.height}',
      },
    ],
    specs: ['src/treasury/transactions/outcome-recorder.spec.ts'],
  },
  {
    name: 'reverted-as-paid',
    harm: 'A payment that was reverted counts as paid: the merchant loses the money.',
    edits: [
      {
        file: 'src/treasury/transactions/payment-outcome-handler.ts',
        search: 'const paid = outcomes.filter(({ succeeded }) => succeeded);',
        replace: 'const paid = outcomes;',
      },
      {
        file: 'src/treasury/transactions/payment-outcome-handler.ts',
        search: 'if (!succeeded) await',
        replace: 'if (!succeeded && txHash === null) await',
      },
    ],
    specs: ['src/treasury/transactions/outcome-recorder.spec.ts'],
  },
  {
    name: 'sweep-unfinal-frozen',
    harm: 'Funds of a listed sender that are not final yet are swept.',
    edits: [
      {
        file: 'src/treasury/sweeps/frozen-balances.sql.ts',
        search: `= 'seen' and listed_sender_of`,
        replace: `= 'none' and listed_sender_of`,
      },
    ],
    specs: ['src/treasury/sweeps/frozen-balances.spec.ts'],
  },
  {
    name: 'auditor-rule-off',
    harm: 'The auditor no longer counts verdicts: a signature without an entry in the books goes unnoticed.',
    edits: [
      {
        file: 'src/auditor/checks/signatures.sql.ts',
        search: 'having count(${attempt.rawTransaction}) <> 1 or count(${verdict.id}) <> 1 or',
        replace: 'having count(${attempt.rawTransaction}) <> 1 or',
      },
    ],
    specs: ['test/auditor/tampering.e2e-spec.ts'],
  },
];
