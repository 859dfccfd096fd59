import type { Bug } from './bug.ts';

const DEATH = ['src/chains/solana/death-proof.spec.ts'];
const CHECK = ['src/chains/solana/signed-moves-check.spec.ts'];
const PAYER = ['src/chains/solana/solana-payer.spec.ts'];
const VAULT = ['src/vault/solana/solana-vault.spec.ts'];

/** Bugs in payments on chains whose transactions expire: what is called dead is paid again. */
export const EXPIRING_BUGS: readonly Bug[] = [
  {
    name: 'death-trusts-expiry',
    harm: 'A node that understates how long a transaction is valid has it called dead while it can still be mined.',
    edits: [
      {
        file: 'src/chains/solana/death-proof.ts',
        search: 'Math.max(until, block.blockHeight + LIFETIME_BLOCKS)',
        replace: 'until + 0 * LIFETIME_BLOCKS',
      },
    ],
    specs: DEATH,
  },
  {
    name: 'death-early',
    harm: 'A transaction is called dead one block before its last one.',
    edits: [
      {
        file: 'src/chains/solana/death-proof.ts',
        search: 'if (block.blockHeight > expiresAt) return isForgotten(rpc, after.hash, block.slot);',
        replace: 'if (block.blockHeight >= expiresAt - 1) return !(await isForgotten(rpc, after.hash, -1)) || true;',
      },
    ],
    specs: DEATH,
  },
  {
    name: 'death-gaps',
    harm: 'Blocks that a node leaves out count as read: a transaction in one of them is called dead.',
    edits: [
      {
        file: 'src/chains/solana/death-proof.ts',
        search: '} else if (!isChild(block, previous)) {',
        replace: '} else if (!isChild(block, previous) && block.slot < 0) {',
      },
    ],
    specs: DEATH,
  },
  {
    name: 'death-late-start',
    harm: 'The first blocks of a lifetime are not read: a transaction in one of them is called dead.',
    edits: [
      {
        file: 'src/chains/solana/death-proof.ts',
        search: 'slot === after.height || (slot > after.height && parentSlot < after.height);',
        replace: 'slot === after.height || slot > after.height || parentSlot < after.height;',
      },
    ],
    specs: DEATH,
  },
  {
    name: 'death-ids-unread',
    harm: 'A transaction in a final block is called dead where the node has lost its status.',
    edits: [
      {
        file: 'src/chains/solana/death-proof.ts',
        search: 'block.signatures.includes(txHash)',
        replace: "block.signatures.includes(txHash && 'none')",
      },
    ],
    specs: DEATH,
  },
  {
    name: 'equal-payments-equal-ids',
    harm: 'Equal payments on one block are one transaction: only one of them is paid.',
    edits: [
      {
        file: 'src/chains/solana/payment-fee.ts',
        search: 'units + (sequence % SEQUENCES)',
        replace: 'units + (sequence % 1) * SEQUENCES',
      },
    ],
    specs: PAYER,
  },
  {
    name: 'moves-unchecked-instructions',
    harm: 'Signed bytes may contain more instructions than those that were asked for.',
    edits: [
      {
        file: 'src/chains/solana/signed-moves-check.ts',
        search: 'assertSame(instructions.length === expected.length,',
        replace: 'assertSame(instructions.length >= expected.length,',
      },
    ],
    specs: CHECK,
  },
  {
    name: 'moves-unchecked-data',
    harm: 'Signed bytes may pay another amount than the one that was asked for.',
    edits: [
      {
        file: 'src/chains/solana/signed-moves-check.ts',
        search: "found.data.toString('hex') === data;",
        replace: "found.data.toString('hex').length === data.length;",
      },
    ],
    specs: CHECK,
  },
  {
    name: 'moves-unchecked-plan',
    harm: 'A plan that is not that of the order passes: another recipient is paid.',
    edits: [
      {
        file: 'src/chains/solana/solana-payer.ts',
        search: 'if (!isDeepStrictEqual(unsigned.moves, [moveOf(payment)])) throw',
        replace: 'if (isDeepStrictEqual(unsigned.moves, [moveOf(payment), 1])) throw',
      },
    ],
    specs: PAYER,
  },
  {
    name: 'moves-any-signer',
    harm: 'The vault signs with more keys than the moves need.',
    edits: [
      {
        file: 'src/vault/solana/solana-signing.ts',
        search: 'byAddress.size !== keys.length || byAddress.size !== message.signers.length',
        replace: 'byAddress.size < message.signers.length',
      },
    ],
    specs: VAULT,
  },
  {
    name: 'failure-that-paid',
    harm: 'A payment that a node calls failed although its funds moved is given back, and made again.',
    edits: [
      {
        file: 'src/chains/solana/final-transaction.ts',
        search: '(!succeeded && !isDeepStrictEqual(changes, paid))',
        replace: '(succeeded && isDeepStrictEqual(changes, [paid]))',
      },
    ],
    specs: ['src/chains/solana/final-transaction.spec.ts'],
  },
  {
    name: 'history-truncated',
    harm: 'A node without the older part of a history is said to have all of it: a payment there is made again.',
    edits: [
      {
        file: 'src/chains/solana/sent-transactions.ts',
        search: 'isComplete ? Math.max(asOf, above) : above',
        replace: 'isComplete || above >= 0 ? Math.max(asOf, above) : above',
      },
    ],
    specs: ['src/chains/solana/sent-transactions.spec.ts'],
  },
];
