import type { Bug } from './bug.ts';

const DEATH = ['src/chains/tron/death-proof.spec.ts'];
const CHECK = ['src/chains/tron/signed-transaction-check.spec.ts'];
const PAYER = ['src/chains/tron/tron-payer.spec.ts'];
const FINAL = ['src/chains/tron/final-transaction.spec.ts'];

/** Bugs in payments on tron. */
export const TRON_BUGS: readonly Bug[] = [
  {
    name: 'tron-death-early',
    harm: 'A transaction is called dead a block before its last one.',
    edits: [
      {
        file: 'src/chains/tron/death-proof.ts',
        search: 'if (header.time.getTime() > until) return true;',
        replace: 'if (header.time.getTime() > until - 3_000) return true;',
      },
    ],
    specs: DEATH,
  },
  {
    name: 'tron-death-gaps',
    harm: 'Blocks that a node leaves out count as read: a transaction in one of them is called dead.',
    edits: [
      {
        file: 'src/chains/tron/death-proof.ts',
        search: 'if (!isChild(header, previous)) {',
        replace: 'if (!isChild(header, previous) && header.height < 0) {',
      },
    ],
    specs: DEATH,
  },
  {
    name: 'tron-death-any-start',
    harm: 'The block that a transaction names is not looked at: with a wrong height, blocks that may contain it are not read.',
    edits: [
      {
        file: 'src/chains/tron/death-proof.ts',
        search: 'previous.hash !== after.hash || previous.height !== after.height',
        replace: 'previous.height !== after.height',
      },
    ],
    specs: DEATH,
  },
  {
    name: 'tron-death-ids-unread',
    harm: 'A transaction in a final block is called dead where the node has lost its info.',
    edits: [
      {
        file: 'src/chains/tron/death-proof.ts',
        search: 'if (transactions.some((transaction) => transaction.txHash === txHash)) return false;',
        replace: 'if (transactions.length > 1e6 && txHash === after.hash) return false;',
      },
    ],
    specs: DEATH,
  },
  {
    name: 'tron-header-unproven',
    harm: 'A node whose clock runs ahead shows blocks of later times: a payment is called dead while it can be mined.',
    edits: [
      {
        file: 'src/chains/tron/block-header.ts',
        search: ': blockID === idOf(block_header.raw_data);',
        replace: ': heightIn(blockID) === number || blockID === idOf(block_header.raw_data);',
      },
    ],
    specs: DEATH,
  },
  {
    name: 'tron-head-unbounded',
    harm: 'A made-up newest block lets bytes live for hours, longer than a restored database waits for them.',
    edits: [
      {
        file: 'src/chains/tron/current-conditions.ts',
        search: 'Math.min(aheadMs, HEAD_ABOVE_FINAL_MAX_MS)',
        replace: 'Math.min(aheadMs, 1_000 * HEAD_ABOVE_FINAL_MAX_MS)',
      },
    ],
    specs: ['src/chains/tron/current-conditions.spec.ts'],
  },
  {
    name: 'tron-same-timestamp',
    harm: 'Equal payments on one block are the same transaction: one of them is never paid.',
    edits: [
      {
        file: 'src/chains/tron/planned-transaction.ts',
        search: 'headTime - SEQUENCES + (sequence % SEQUENCES)',
        replace: 'headTime - SEQUENCES + (sequence % 2)',
      },
    ],
    specs: PAYER,
  },
  {
    name: 'tron-no-headroom',
    harm: 'A price that rises before the block burns the fee, and pays nothing.',
    edits: [
      { file: 'src/chains/tron/payment-fee.ts', search: 'const HEADROOM = 2n;', replace: 'const HEADROOM = 1n;' },
    ],
    specs: [...PAYER, 'src/chains/tron/tron-payments.spec.ts'],
  },
  {
    name: 'tron-signer-unchecked',
    harm: 'Bytes that another key has signed are recorded as ours.',
    edits: [
      {
        file: 'src/chains/tron/signed-transaction-check.ts',
        search: 'if (signerOf(digest, signatureField.value) !== hexOfKey(unsigned.owner)) throw',
        replace: 'if (signerOf(digest, signatureField.value) === null) throw',
      },
    ],
    specs: CHECK,
  },
  {
    name: 'tron-log-unread',
    harm: 'A call that the token did not carry out counts as paid.',
    edits: [
      {
        file: 'src/chains/tron/final-transaction.ts',
        search: 'TRANSFER_CALL.test(action.data) &&',
        replace: '!TRANSFER_CALL.test(action.data) &&',
      },
    ],
    specs: FINAL,
  },
  {
    name: 'tron-moved-elsewhere-failed',
    harm: 'A payment that USDT has moved in its new contract counts as failed: its amount is paid out again.',
    edits: [
      {
        file: 'src/chains/tron/final-transaction.ts',
        search: 'info.log.length > 0',
        replace: 'transfers.length > 0',
      },
    ],
    specs: FINAL,
  },
  {
    name: 'tron-token-fee-ignored',
    harm: 'A withdrawal is signed in a token whose issuer takes a fee: less arrives, and it never ends.',
    edits: [
      {
        file: 'src/treasury/expiring/expiring-spending-wallet.ts',
        search: "if (!payer.paysWhole(token, conditions)) return 'token_changed';",
        replace: "if (!payer.paysWhole(token, conditions) && amount < 0n) return 'token_changed';",
      },
    ],
    specs: ['src/treasury/expiring/tron-refusals.spec.ts'],
  },
];
