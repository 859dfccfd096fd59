import type { Bug } from './bug.ts';

/** Bugs in reading chains: nodes, reorgs, finality, the deposits that a listener records. */
export const CHAIN_BUGS: readonly Bug[] = [
  {
    name: 'bnb-usdc-6',
    harm: 'Live USDC on bnb is listed with 6 decimals: payments count 10^12 times too much.',
    edits: [
      {
        file: 'src/domain/evm-catalogue.ts',
        search: `token('USDC', '0x8ac76a51cc950d9822d68b83fe1ad97b32cd580d', 18)`,
        replace: `token('USDC', '0x8ac76a51cc950d9822d68b83fe1ad97b32cd580d', 6)`,
      },
    ],
    specs: ['src/chains/networks.spec.ts'],
  },
  {
    name: 'balances-by-number',
    harm: 'Balances are read by height: after a reorg they are those of another block.',
    edits: [
      {
        file: 'src/chains/evm/balance-reader.ts',
        search: 'const at = ({ hash }: BlockRef): object => ({ blockHash: hash });',
        replace: 'const at = ({ height }: BlockRef): string => `0x${height.toString(16)}`;',
      },
    ],
    specs: ['src/chains/evm/balance-reader.spec.ts'],
  },
  {
    name: 'finality-off-by-one',
    harm: 'A block is final one confirmation early.',
    edits: [
      {
        file: 'src/chains/evm/evm-chain-client.ts',
        search: 'head.height - this.options.profile.finality.minDepth',
        replace: 'head.height + 1 - this.options.profile.finality.minDepth',
      },
    ],
    specs: ['src/chains/evm/evm-chain-client.spec.ts'],
  },
  {
    name: 'wrong-contract',
    harm: 'A transfer of a contract that is not listed counts as money.',
    edits: [
      {
        file: 'src/chains/evm/transfer-log.ts',
        search: '|| !listed.has(token) ||',
        replace: '|| (listed.size === 0 && !listed.has(token)) ||',
      },
    ],
    specs: ['src/chains/evm/transfer-log.spec.ts'],
  },
  {
    name: 'failed-transfer-counts',
    harm: 'A transaction that was reverted counts as a payment in coins.',
    edits: [
      {
        file: 'src/chains/evm/native-transfers.ts',
        search: 'succeeded ? (nominated.get(txHash) ?? []) : []',
        replace: 'succeeded || true ? (nominated.get(txHash) ?? []) : []',
      },
    ],
    specs: ['src/chains/evm/native-transfers.spec.ts'],
  },
  {
    name: 'parent-check',
    harm: 'A reorg between two header reads of one step credits money that is not on the chain.',
    edits: [
      {
        file: 'src/payments/listener/chain-reader.ts',
        search: '|| header.parentHash !== previous.hash',
        replace: '|| (header.parentHash === header.hash && previous.hash === header.hash)',
      },
    ],
    specs: ['src/payments/listener/chain-reader.spec.ts'],
  },
  {
    name: 'watched-too-early',
    harm: 'A payment to an address that was assigned between two reads is missed.',
    edits: [
      {
        file: 'src/payments/listener/chain-reader.ts',
        search: '  const head = await client.head();',
        replace: '  const early = await context.refreshWatched();\n  const head = await client.head();',
      },
      {
        file: 'src/payments/listener/chain-reader.ts',
        search: 'headers.length > 0 ? await context.refreshWatched() : NO_ADDRESS',
        replace: 'headers.length > 0 ? early : NO_ADDRESS',
      },
    ],
    specs: ['src/payments/listener/chain-reader.spec.ts'],
  },
  {
    name: 'final-by-height',
    harm: 'A height is final although the node holds another block there than the one that was recorded.',
    edits: [
      {
        file: 'src/payments/listener/chain-reader.ts',
        search: 'recorded !== null && onChain?.hash === recorded ? finalized',
        replace: 'recorded !== null && onChain !== null ? finalized',
      },
    ],
    specs: ['src/payments/listener/chain-reader.spec.ts'],
  },
  {
    name: 'rollback-below-final',
    harm: 'A node on another fork rolls back final blocks, instead of halting the chain.',
    edits: [
      {
        file: 'src/payments/listener/chain-reader.ts',
        search: 'if (height <= cursor.finalizedHeight) throw',
        replace: 'if (height < cursor.finalizedHeight) throw',
      },
    ],
    specs: ['src/payments/listener/chain-reader.spec.ts'],
  },
  {
    name: 'lagging-node-rolls-back',
    harm: 'A node that merely lags rolls back blocks and their payments.',
    edits: [
      {
        file: 'src/payments/listener/chain-reader.ts',
        search: `if (height === head.height && height < cursor.height) {`,
        replace: `if (cursor.height < 0) {`,
      },
    ],
    specs: ['src/payments/listener/chain-reader.spec.ts'],
  },
  {
    name: 'halt-at-once',
    harm: 'One contradicting read of one node halts a chain until staff act.',
    edits: [
      {
        file: 'src/payments/listener/chain-listener.ts',
        search: 'TICKS_BEFORE_HALT = 2',
        replace: 'TICKS_BEFORE_HALT = 1',
      },
    ],
    specs: ['src/payments/listener/chain-listener.spec.ts'],
  },
  {
    name: 'cursor-first',
    harm: 'The cursor commits before the deposits: a crash in between loses them.',
    edits: [
      {
        file: 'src/payments/listener/deposit-recorder.service.ts',
        search: 'await moveCursor(tx, read);',
        replace: 'await this.database.transaction((first) => moveCursor(first, read));',
      },
    ],
    specs: ['src/payments/listener/deposit-recorder.spec.ts'],
  },
  {
    name: 'lease-epoch',
    harm: 'A listener that was deposed still writes.',
    edits: [
      {
        file: 'src/platform/leases.sql.ts',
        search: '${lease.epoch} = ${epoch} for key share',
        replace: '${lease.epoch} >= ${epoch} for key share',
      },
    ],
    specs: ['src/payments/listener/deposit-recorder.spec.ts', 'src/platform/leases.spec.ts'],
  },
  {
    name: 'marks-after-deposits',
    harm: 'Intents are marked after their deposits change: listener and settlement deadlock.',
    edits: [
      {
        file: 'src/payments/listener/deposit-recorder.service.ts',
        search: 'await markDirty(tx, [...marked]);',
        replace: 'marked.clear();',
      },
    ],
    specs: ['src/payments/listener/deposit-recorder.spec.ts'],
  },
  {
    name: 'confirmed-above-final',
    harm: 'A deposit one block above finality is booked.',
    edits: [
      {
        file: 'src/payments/listener/deposit-recorder.sql.ts',
        search: '${deposit.blockHeight} <= ${final.finalizedHeight}',
        replace: '${deposit.blockHeight} <= ${final.finalizedHeight} + 1',
      },
    ],
    specs: ['src/payments/listener/deposit-recorder.spec.ts'],
  },
  {
    name: 'rollback-spares-one',
    harm: 'The lowest block that a reorg removed keeps its payments.',
    edits: [
      {
        file: 'src/payments/listener/deposit-recorder.sql.ts',
        search: '${deposit.blockHeight} > ${height}',
        replace: '${deposit.blockHeight} > ${height} + 1',
      },
    ],
    specs: ['src/payments/listener/deposit-recorder.spec.ts'],
  },
  {
    name: 'any-token-pays',
    harm: 'A payment in another token than the quoted one counts for the intent.',
    edits: [
      {
        file: 'src/payments/listener/deposit-writer.sql.ts',
        search:
          'case when ${intent.chainRef} = ${chainRef} and ${intent.tokenContract} = ${seen.tokenContract} then ${intent.id} end',
        replace: 'case when ${intent.chainRef} = ${chainRef} then ${intent.id} end',
      },
      {
        file: 'src/payments/listener/deposit-writer.sql.ts',
        search:
          'case when ${intent.chainRef} = ${chainRef} and ${intent.tokenContract} = ${seen.tokenContract} then ${intent.merchantId} end',
        replace: 'case when ${intent.chainRef} = ${chainRef} then ${intent.merchantId} end',
      },
      {
        file: 'src/payments/listener/deposit-writer.sql.ts',
        search: "              when ${intent.tokenContract} <> ${seen.tokenContract} then 'other_token' end",
        replace: '              end',
      },
    ],
    specs: ['src/payments/listener/deposit-recorder.spec.ts'],
  },
  {
    name: 'second-node-off',
    harm: 'Large deposits become final by the report of one node.',
    edits: [
      {
        file: 'src/payments/listener/second-node-rule.sql.ts',
        search: '(${above}::bigint is null or',
        replace: '(true or ${above}::bigint is null or',
      },
    ],
    specs: ['src/payments/listener/second-node-queue.spec.ts'],
  },
];
