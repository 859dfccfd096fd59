import { type BlockHeader, ChainUnavailable } from '../chain.js';
import { abilityOf, HISTORY_MS, inDays, versionOf } from '../node-abilities.js';
import type { NodeFacts } from '../node-facts.js';
import type { OutgoingClient } from '../outgoing.js';
import type { JsonRpc } from '../rpc/json-rpc.js';
import { readHeader, readList, readQuantity } from './rpc-values.js';
import { TRANSFER_TOPIC } from './transfer-log.js';

const ZERO_ADDRESS = `0x${'0'.repeat(40)}`;
/** Blocks from which the time between two is estimated. */
const SAMPLE_BLOCKS = 1_000;

/** Returns what an EVM node says about itself, and whether it has what listener, treasury and auditor ask of it. */
export async function evmNodeFacts(
  rpc: Pick<JsonRpc, 'call'>,
  outgoing: Pick<OutgoingClient, 'feeHistory'>,
): Promise<NodeFacts> {
  const version = await versionOf(async () => String(await rpc.call('web3_clientVersion', [])));
  const head = await blockAt(rpc, 'latest');
  const abilities = [
    await abilityOf(
      {
        name: 'logs by block hash',
        isRequired: true,
        advice: 'use a node that answers eth_getLogs with blockHash: payments in tokens are read by it',
      },
      async () => `${await countLogs(rpc, head)} transfers in block ${head.height}`,
    ),
    await abilityOf(
      {
        name: 'balances at a final block',
        isRequired: true,
        advice: 'use a node that keeps the state of final blocks: payments in coins and the audit need it',
      },
      async () => {
        const { height, hash } = await blockAt(rpc, 'finalized');
        readQuantity(await rpc.call('eth_getBalance', [ZERO_ADDRESS, { blockHash: hash }]), 'balance');
        return `at block ${height}`;
      },
    ),
    await abilityOf(
      {
        name: 'fees of past blocks',
        isRequired: true,
        advice: 'use a node that answers eth_feeHistory: withdrawals have no fee without it',
      },
      async () => {
        const { tips } = await outgoing.feeHistory();
        return `of the last ${tips.length} blocks`;
      },
    ),
    await abilityOf(
      {
        name: 'history',
        isRequired: false,
        advice: 'after a downtime longer than its history the listener halts: use a node with the logs of two days',
      },
      async () => history(rpc, head),
    ),
  ];
  return { version, abilities };
}

async function blockAt(rpc: Pick<JsonRpc, 'call'>, block: string): Promise<BlockHeader> {
  const answer = await rpc.call('eth_getBlockByNumber', [block, false]);
  if (answer === null) throw new ChainUnavailable(`The node has no block ${block}.`);
  return readHeader(answer);
}

async function countLogs(rpc: Pick<JsonRpc, 'call'>, { hash }: BlockHeader): Promise<number> {
  const answer = await rpc.call('eth_getLogs', [{ blockHash: hash, topics: [TRANSFER_TOPIC] }]);
  return readList(answer, 'logs').length;
}

/** Reads the logs of a block that is two days old, or of the first block of a younger chain. */
async function history(rpc: Pick<JsonRpc, 'call'>, head: BlockHeader): Promise<string> {
  const sampled = Math.min(SAMPLE_BLOCKS, head.height);
  if (sampled === 0) return 'the chain has one block';
  const earlier = await blockAt(rpc, hex(head.height - sampled));
  const intervalMs = Math.max(1, (head.time.getTime() - earlier.time.getTime()) / sampled);
  const old = await blockAt(rpc, hex(Math.max(0, head.height - Math.ceil(HISTORY_MS / intervalMs))));
  await countLogs(rpc, old);
  return `logs of ${inDays(head.time.getTime() - old.time.getTime())}`;
}

const hex = (height: number): string => `0x${height.toString(16)}`;
